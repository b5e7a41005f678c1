// SPDX-License-Identifier: Apache-2.0
// The search for a tiling of Matmul:
//
//   1  cores     m x n is divided among the cores so that the largest part is smallest
//   2  base      one product of baseM x baseN x baseK fits in L0A and L0B twice, and its result in L0C
//   3  steps     copies to L1 hold as many k as fit there twice
#include "tiling/matmul/matmul_problem.h"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <string>
#include <tuple>

namespace matmul_tiling {
namespace {

using AscendC::tiling::TCubeTiling;

constexpr int32_t kFractal = 16;
constexpr int32_t kLargestM = 128, kLargestN = 256;  // of one product, where nobody says more
constexpr int32_t kMostSteps = 8;
constexpr int32_t kMostBlocks = 3;  // of A along m and along k, for NBuffer33

int32_t CeilDivide(int32_t a, int32_t b) { return static_cast<int32_t>((int64_t{a} + b - 1) / b); }
int32_t AlignDown(int64_t value, int32_t step) { return static_cast<int32_t>(value / step * step); }
// Of sizes near the largest integer: the largest multiple that there is.
int32_t AlignUp(int32_t value, int32_t step) {
  return AlignDown(std::min<int64_t>(int64_t{value} + step - 1, std::numeric_limits<int32_t>::max()), step);
}

int32_t BytesOf(DataType type) {
  switch (type) {
    case DataType::DT_FLOAT:
    case DataType::DT_INT32:
    case DataType::DT_UINT32:
      return 4;
    case DataType::DT_INT8:
    case DataType::DT_UINT8:
    case DataType::DT_INT4:
      return 1;
    default:
      return 2;
  }
}

// The sides of what the device transposes at a time.
int32_t UnitOf(DataType type) {
  return type == DataType::DT_INT4 ? 64 : BytesOf(type) == 1 ? 2 * kFractal : kFractal;
}

bool InUb(const Matrix &matrix) {
  return matrix.position == TPosition::VECIN || matrix.position == TPosition::VECOUT ||
         matrix.position == TPosition::VECCALC;
}

bool Refuse(const std::string &text) {
  std::fprintf(stderr, "Matmul tiling: %s\n", text.c_str());
  return false;
}

// The sizes that one product needs of each memory, and what is left of these.
class Search {
 public:
  explicit Search(const Problem &problem)
      : p_(problem),
        bytes_(BytesOf(problem.a.type)),
        unit_(UnitOf(problem.a.type)),
        depth_(problem.sparse ? 2 * unit_
               : bytes_ == 1  ? unit_
                              : kFractal),
        m_(problem.part.m != kUnset ? problem.part.m : problem.whole.m),
        n_(problem.part.n != kUnset ? problem.part.n : problem.whole.n),
        k_(problem.part.k != kUnset ? problem.part.k : problem.whole.k) {}

  bool Run(TCubeTiling *tiling) {
    if (m_ <= 0 || n_ <= 0 || k_ <= 0) {
      return Refuse("m, n and k must be positive: SetShape or SetOrgShape is missing");
    }
    if (BytesOf(p_.b.type) != bytes_) return Refuse("A and B must have one type");
    if (!DivideAmongCores() || !ChooseBase() || !ChooseSteps()) return false;
    Write(tiling);
    return true;
  }

 private:
  // A size of a core, when `parts` cores divide `whole`.
  static int32_t Share(int32_t whole, int32_t parts, int32_t align, int32_t unit) {
    return std::min(whole, AlignUp(CeilDivide(whole, parts), std::max(align, unit)));
  }
  static int32_t Within(int32_t size, int32_t largest, int32_t smallest) {
    if (largest > 0) size = std::min(size, largest);
    return smallest > 0 ? std::max(size, smallest) : size;
  }

  // Along m each core has three blocks of A, and along n whole blocks of B, as many as every other core.
  bool DivideBlocks() {
    const int32_t blocks = CeilDivide(n_, kLargestN);
    const int32_t rows = CeilDivide(m_, kMostBlocks * kLargestM);
    int32_t columns = std::min(blocks, p_.cores / rows);
    while (columns > 1 && blocks % columns != 0) --columns;
    if (columns < 1) {
      return Refuse("NBuffer33: m needs " + std::to_string(rows) + " cores, there are " +
                    std::to_string(p_.cores) + " (SetDim)");
    }
    single_ = {std::min(m_, kMostBlocks * kLargestM), std::min(n_, blocks / columns * kLargestN), k_};
    cores_ = rows * columns;
    return !p_.split_k || DivideK();
  }
  bool DivideAmongCores() {
    if (p_.cores < 1) return Refuse("the number of cores must be positive");
    if (p_.nine_blocks) return DivideBlocks();
    Score best;
    bool found = false;
    // Each core has all of a factor in TSCM.
    const int32_t most_rows = p_.a.position == TPosition::TSCM ? 1 : p_.cores;
    for (int32_t rows = 1; rows <= most_rows; ++rows) {
      const int32_t columns = p_.b.position == TPosition::TSCM ? 1 : p_.cores / rows;
      Sizes single;
      single.m = p_.single.m > 0 ? p_.single.m : Share(m_, rows, p_.align.m, kFractal);
      single.n = p_.single.n > 0 ? p_.single.n : Share(n_, columns, p_.align.n, unit_);
      single.m = Within(single.m, p_.largest_single.m, p_.smallest_single.m);
      single.n = Within(single.n, p_.largest_single.n, p_.smallest_single.n);
      const int64_t used = int64_t{CeilDivide(m_, single.m)} * CeilDivide(n_, single.n);
      if (used > p_.cores) continue;
      const Score score = ScoreOf(single);
      if (found && !(score < best)) continue;
      found = true;
      best = score;
      single_ = single;
      cores_ = static_cast<int32_t>(used);
    }
    if (!found) {
      return Refuse("parts of the given size need more than " + std::to_string(p_.cores) + " cores (SetDim)");
    }
    single_.k = p_.single.k > 0 ? p_.single.k : k_;
    return !p_.split_k || DivideK();
  }
  // Less is better: the results of the busiest core, which count a quarter more where parts
  // differ in size or tiles are cut; then what all cores read. Where the kernel
  // fixes its tiles, the shorter side of a tile is divided among more cores, as CANN does; kernels rely on
  // it.
  using Score = std::tuple<int64_t, int64_t, int64_t>;
  Score ScoreOf(const Sizes &single) const {
    const int64_t rows = CeilDivide(m_, single.m), columns = CeilDivide(n_, single.n);
    const bool fixed = p_.base.m > 0 && p_.base.n > 0;
    const int64_t tile_m = fixed ? p_.base.m : kLargestM, tile_n = fixed ? p_.base.n : kLargestN;
    const int64_t results = int64_t{AlignUp(single.m, kFractal)} * AlignUp(single.n, kFractal);
    const bool whole_tiles = !fixed || (single.m % tile_m == 0 && single.n % tile_n == 0);
    const bool even = m_ % single.m == 0 && n_ % single.n == 0 && whole_tiles;
    return {results * (even ? 4 : 5), fixed ? 0 : columns * m_ + rows * n_, rows * tile_m + columns * tile_n};
  }
  bool DivideK() {
    const int32_t parts = p_.single.k > 0 ? CeilDivide(k_, single_.k) : p_.cores / cores_;
    if (p_.single.k <= 0) single_.k = Share(k_, std::max(parts, 1), p_.align.k, 2 * kFractal);
    const int64_t used = int64_t{cores_} * CeilDivide(k_, single_.k);
    if (used > p_.cores) {
      return Refuse("parts of the given k need " + std::to_string(used) + " cores, there are " +
                    std::to_string(p_.cores) + " (SetDim)");
    }
    cores_ = static_cast<int32_t>(used);
    return true;
  }

  bool ChooseBase() {
    const int64_t results = static_cast<int64_t>(p_.l0c / sizeof(float));
    base_.m =
        p_.base.m > 0 ? AlignUp(p_.base.m, kFractal) : FirstBase(single_.m, kLargestM, p_.largest_base.m);
    base_.n =
        p_.base.n > 0 ? AlignUp(p_.base.n, kFractal) : FirstBase(single_.n, kLargestN, p_.largest_base.n);
    // A result that goes to UB leaves half of it to the kernel.
    const int64_t tile = InUb(p_.c) ? std::min<int64_t>(results, p_.ub / 2 / BytesOf(p_.c.type)) : results;
    while (int64_t{base_.m} * base_.n > tile && Shrink()) continue;
    if (int64_t{base_.m} * base_.n > results) {
      return Refuse("baseM x baseN = " + std::to_string(base_.m) + " x " + std::to_string(base_.n) +
                    " values do not fit in L0C");
    }
    const int64_t a = static_cast<int64_t>(p_.l0a) / (int64_t{base_.m} * bytes_);
    const int64_t b = static_cast<int64_t>(p_.l0b) / (int64_t{base_.n} * bytes_);
    const int32_t step = depth_;
    const int32_t all = AlignUp(single_.k, step);
    const int64_t fit = std::min(a, b);
    const int64_t twice = fit / 2 >= step ? fit / 2 : fit;
    base_.k = p_.base.k > 0 ? AlignUp(p_.base.k, kFractal) : std::min(all, AlignDown(twice, step));
    if (p_.largest_base.k > 0) base_.k = std::min(base_.k, AlignDown(p_.largest_base.k, kFractal));
    if (base_.k < kFractal || base_.k > fit) {
      return Refuse("baseK = " + std::to_string(base_.k) + " does not fit in L0A and L0B beside baseM = " +
                    std::to_string(base_.m) + " and baseN = " + std::to_string(base_.n));
    }
    if (p_.nine_blocks && CeilDivide(single_.k, base_.k) > kMostBlocks) {
      return Refuse("NBuffer33: k of a core has more than 3 blocks of " + std::to_string(base_.k) +
                    "; EnableMultiCoreSplitK divides it among cores");
    }
    db_a_ = 2 * base_.k <= a ? 2 : 1;
    db_b_ = 2 * base_.k <= b ? 2 : 1;
    return true;
  }
  int32_t FirstBase(int32_t single, int32_t largest, int32_t limit) const {
    if (limit > 0) largest = std::min(largest, std::max(AlignDown(limit, unit_), unit_));
    return std::min(AlignUp(single, unit_), largest);
  }
  // Makes the longer side shorter that nobody has fixed.
  bool Shrink() {
    const bool m_free = p_.base.m <= 0 && base_.m > unit_, n_free = p_.base.n <= 0 && base_.n > unit_;
    if (!m_free && !n_free) return false;
    int32_t &side = m_free && (!n_free || base_.m >= base_.n) ? base_.m : base_.n;
    side = std::max(AlignUp(side / 2, unit_), unit_);
    return true;
  }

  bool ChooseSteps() {
    // A factor in TSCM takes no buffer; the half of L1 that TSCM has is no longer free.
    const bool resident_a = p_.a.position == TPosition::TSCM, resident_b = p_.b.position == TPosition::TSCM;
    const int64_t a = resident_a ? 0 : int64_t{base_.m} * base_.k * bytes_;
    const int64_t b = resident_b ? 0 : int64_t{base_.n} * base_.k * bytes_;
    reserved_ = (p_.biased ? int64_t{base_.n} * 4 : 0) + (p_.tables ? int64_t{base_.n} * 8 : 0);
    const int64_t all_l1 = static_cast<int64_t>(resident_a || resident_b ? p_.l1 / 2 : p_.l1);
    const int64_t space = all_l1 - reserved_, step = std::max<int64_t>(2 * (a + b), 1);
    if (a + b > space) return Refuse("one product of A and of B does not fit in L1");
    const int32_t all = CeilDivide(single_.k, base_.k);
    steps_ = static_cast<int32_t>(std::clamp<int64_t>(space / step, 1, std::min(all, kMostSteps)));
    buffers_ = all > steps_ && 2 * steps_ * (a + b) <= space ? 2 : 1;
    l1_ = steps_ * buffers_ * (a + b) + reserved_;
    return true;
  }

  void Write(TCubeTiling *tiling) const {
    TCubeTiling t = *tiling;
    t.usedCoreNum = cores_;
    t.M = p_.whole.m, t.N = p_.whole.n, t.Ka = p_.whole.k;
    t.Kb = p_.whole_kb != kUnset ? p_.whole_kb : p_.whole.k;
    t.singleCoreM = single_.m, t.singleCoreN = single_.n, t.singleCoreK = single_.k;
    t.baseM = base_.m, t.baseN = base_.n, t.baseK = base_.k;
    t.stepM = t.stepN = 1;
    t.stepKa = t.stepKb = steps_;
    t.depthA1 = t.depthB1 = steps_ * buffers_;
    t.isBias = p_.biased ? 1 : 0;
    t.iterateOrder = p_.along_n ? 1 : 0;
    t.dbL0A = db_a_, t.dbL0B = db_b_;
    const auto tile = static_cast<int32_t>(base_.m * base_.n * sizeof(float));
    t.dbL0C = 2 * static_cast<uint64_t>(tile) <= p_.l0c ? 2 : 1;
    t.shareL1Size = static_cast<int32_t>(l1_);
    t.shareL0CSize = tile;
    *tiling = t;
  }

  const Problem &p_;
  const int32_t bytes_;
  const int32_t unit_;   // sides of what the device transposes at a time
  const int32_t depth_;  // baseK is a multiple of it
  const int32_t m_, n_, k_;
  Sizes single_, base_;
  int32_t cores_ = 1, steps_ = 1, buffers_ = 1, db_a_ = 1, db_b_ = 1;
  int64_t reserved_ = 0, l1_ = 0;
};

}  // namespace

void TakeMemories(Problem *problem, const platform_ascendc::PlatformAscendC &platform) {
  using platform_ascendc::CoreMemType;
  platform.GetCoreMemSize(CoreMemType::L0_A, problem->l0a);
  platform.GetCoreMemSize(CoreMemType::L0_B, problem->l0b);
  platform.GetCoreMemSize(CoreMemType::L0_C, problem->l0c);
  platform.GetCoreMemSize(CoreMemType::L1, problem->l1);
  platform.GetCoreMemSize(CoreMemType::UB, problem->ub);
}

void TakeMemories(Problem *problem) {
  TakeMemories(problem, *platform_ascendc::PlatformAscendCManager::GetInstance());
}

bool FindTiling(const Problem &problem, TCubeTiling *tiling) { return Search(problem).Run(tiling); }

SysTilingTempBufSize MemoriesOf(const TCubeTiling &tiling) {
  return {tiling.shareUbSize, tiling.shareL1Size, tiling.shareL0CSize};
}

}  // namespace matmul_tiling
