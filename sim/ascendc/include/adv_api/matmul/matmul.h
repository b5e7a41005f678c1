// SPDX-License-Identifier: Apache-2.0
// The Matmul object on a cube core, made of LoadData, Mmad and Fixpipe. It takes its factors from GM or L1
// and leaves its result in GM, or in L0C where the kernel says so.
#pragma once

#include "../../sim/matmul_batch.h"
#include "../../sim/matmul_factor.h"
#include "../../sim/matmul_result.h"

namespace AscendC {

template <class A_TYPE, class B_TYPE, class C_TYPE, class BIAS_TYPE = C_TYPE, const auto &MM_CFG = CFG_NORM,
          class MM_CB = MatmulCallBackFunc<>,
          template <const auto &, typename...> class MATMUL_POLICY = Impl::Detail::MatmulPolicy>
class MatmulImpl : public sim::MatmulSetters<A_TYPE, B_TYPE, BIAS_TYPE> {
  using SrcT = typename A_TYPE::T;
  using DstT = typename C_TYPE::T;
  using BiasT = typename BIAS_TYPE::T;
  using L0cT = typename GetMmDstType<SrcT>::Type;
  static constexpr bool kBytes = std::is_same_v<L0cT, int32_t>;
  static constexpr uint32_t kSquare = std::is_same_v<SrcT, int4b_t> ? 64 : 32;  // of narrow factors
  static constexpr bool kToL0c = C_TYPE::pos == TPosition::CO1;
  static constexpr sim::MatmulTriangle kTriangle = sim::TriangleOf<MM_CFG, MATMUL_POLICY>();
  static constexpr bool Known(CubeFormat format) {
    return format == CubeFormat::ND || format == CubeFormat::NZ || format == CubeFormat::VECTOR ||
           format == CubeFormat::SCALAR || format == CubeFormat::COLUMN_MAJOR;
  }
  static_assert(
      std::is_same_v<SrcT, typename B_TYPE::T> && sim::kOneOf<SrcT, half, bfloat16_t, float, int8_t, int4b_t>,
      "Matmul here multiplies half, bfloat16_t, float, int8_t or int4b_t, both factors of one type");
  static_assert(Known(A_TYPE::format) && Known(B_TYPE::format),
                "Matmul here takes matrices in ND, NZ, VECTOR, SCALAR or COLUMN_MAJOR");
  static_assert(
      sim::KnowsPolicy<MM_CFG, MATMUL_POLICY>(),
      "Matmul here has the policies MatmulPolicy, NBuffer33MatmulPolicy, TrianUpperMatmulPolicy and "
      "TrianLowerMatmulPolicy");
  static constexpr bool kNineBlocks = sim::kNineBlocks<MM_CFG, MATMUL_POLICY>;
  static_assert(!kNineBlocks || sim::ConfigOf(MM_CFG).doMultiDataLoad,
                "Matmul: NBuffer33MatmulPolicy needs a MatmulConfig of MDL, such as CFG_MDL");
  static_assert(!kNineBlocks || (A_TYPE::pos == TPosition::GM && B_TYPE::pos == TPosition::GM),
                "Matmul: NBuffer33MatmulPolicy takes A and B from TPosition::GM");
  static_assert(!sim::kIsSparse<B_TYPE> || std::is_same_v<SrcT, int8_t>, "Matmul: sparse factors are int8_t");
  static_assert(!kToL0c || (C_TYPE::format == CubeFormat::NZ && std::is_same_v<DstT, L0cT>),
                "Matmul: a result in CO1 is NZ, of float or int32_t as GetMmDstType says");

 public:
  static constexpr bool kHasTiling = sim::HasTiling(MM_CFG);

  void Init(const TCubeTiling *cubeTiling, TPipe *tpipe = nullptr, sim::Where where = sim::Where::Here()) {
    sim::Core &core = sim::Core::Current();
    if (!core.IsCube())
      Fail("Init", where, "a Matmul object runs on cube cores alone: guard it by ASCEND_IS_AIC");
    if (tpipe != nullptr) pipe_ = tpipe;
    if (pipe_ == nullptr) Fail("Init", where, "no TPipe: missing REGIST_MATMUL_OBJ");
    this->SetTiling(sim::TilingOf(MM_CFG, cubeTiling));
    // Some kernels register an object with zeros that they never use.
    if (!this->HasSizes()) return;
    CheckTiling(where);
    if (group_ == nullptr) MakeBuffers(where);
    initialised_ = true;
  }
  void SetPipe(TPipe *tpipe) { pipe_ = tpipe; }
  void SetGroup(const std::shared_ptr<sim::MatmulGroup> &group) { group_ = group; }
  bool initialised() const { return initialised_; }
  template <typename T>
  void SetWorkspace(GlobalTensor<T> &) {}

  // Computes the next tile of baseM x baseN; returns false where there is none. enPartialSum: it is added to
  // the tile in L0C.
  template <bool sync = true>
  bool Iterate(bool enPartialSum = false, sim::Where where = sim::Where::Here()) {
    static_assert(!kToL0c, "Matmul: a result in CO1 needs Iterate(enPartialSum, tensor)");
    this->CheckSizes(where);
    SkipTiles();
    if (this->tile_ >= this->Tiles(kConfig.isPartialOutput)) return false;
    if (held_ && !enPartialSum) {
      Fail("Iterate", where, "the tile of the Iterate before is still there: missing GetTensorC");
    }
    TakeMemories(where);
    const bool first = !held_;
    if (first) result_ = c_.template AllocTensor<L0cT>(where);
    held_ = true;
    Compute(first, where);
    return true;
  }
  // The same, into memory of the kernel in L0C.
  template <bool sync = true, typename T>
  bool Iterate(bool enPartialSum, const LocalTensor<T> &localCmatrix, sim::Where where = sim::Where::Here()) {
    static_assert(kToL0c && std::is_same_v<T, L0cT>,
                  "Matmul: Iterate to a tensor needs a C_TYPE in CO1, with the type of the tensor");
    this->CheckSizes(where);
    SkipTiles();
    if (this->tile_ >= this->Tiles(kConfig.isPartialOutput)) return false;
    TakeMemories(where);
    result_ = localCmatrix;
    Compute(!enPartialSum, where);
    return true;
  }

  // Copies the tile to its place in C, or with enSequentialWrite to the start of `gm`.
  template <bool sync = true>
  void GetTensorC(const GlobalTensor<DstT> &gm, uint8_t enAtomic = 0, bool enSequentialWrite = false,
                  sim::Where where = sim::Where::Here()) {
    if (!held_) Fail("GetTensorC", where, "there is no tile: missing Iterate");
    c_.EnQue(result_, where);
    result_ = c_.template DeQue<L0cT>(where);
    SetAtomic(enAtomic, where);
    const auto &with = this->with_;
    if (with.quant == sim::MatmulQuant::kVector && !factors_) {
      out_.Init(pipe_, this->t_.baseN, where);
      factors_ = true;
    }
    const uint64_t columns = with.pitch_c != 0 ? with.pitch_c : with.c != 0 ? with.c : with.n;
    sim::MatmulTarget target{at_,
                             with.m,
                             static_cast<uint32_t>(columns),
                             enSequentialWrite,
                             kConfig.enableRelu,
                             kConfig.isEnableChannelSplit};
    if constexpr (MM_CB::DataCopyOutPtr != nullptr) {
      out_.template CopyBy<MM_CB::DataCopyOutPtr>(gm, result_, target, with, this->t_, where);
    } else {
      out_.Copy(gm, result_, target, with, where);
    }
    if (enAtomic != 0) SetAtomicNone();
    c_.FreeTensor(result_, where);
    held_ = false;
  }

  template <bool sync = true>
  void IterateAll(const GlobalTensor<DstT> &gm, uint8_t enAtomic = 0, bool enSequentialWrite = false,
                  bool waitIterateAll = false, bool fakeMsg = false, sim::Where where = sim::Where::Here()) {
    (void)waitIterateAll, (void)fakeMsg;  // for the asynchronous mode, which a cube core does not have
    const uint64_t step = enSequentialWrite ? uint64_t(this->t_.baseM) * this->t_.baseN : 0;
    uint64_t offset = 0;
    while (Iterate<sync>(false, where)) {
      GetTensorC<sync>(gm[offset], enAtomic, enSequentialWrite, where);
      offset += step;
    }
  }

  // Computes the products of a batch; strides of 0 follow from the layout.
  template <bool sync = true, bool waitIterateBatch = false>
  void IterateBatch(const GlobalTensor<DstT> &gm, uint32_t batchA, uint32_t batchB, bool enSequentialWrite,
                    const uint32_t matrixStrideA = 0, const uint32_t matrixStrideB = 0,
                    const uint32_t matrixStrideC = 0, const bool enPartialSum = false,
                    const uint8_t enAtomic = 0, sim::Where where = sim::Where::Here()) {
    if (enPartialSum) Fail("IterateBatch", where, "enPartialSum is not modelled");
    (void)enSequentialWrite;  // each product is written to its place
    const uint32_t larger = std::max(batchA, batchB);
    if (batchA == 0 || batchB == 0 || larger % batchA != 0 || larger % batchB != 0) {
      Fail("IterateBatch", where, "batchA and batchB must be positive, and one a multiple of the other");
    }
    const TCubeTiling &t = this->t_;
    if (sim::AddsGroups(t)) {
      Fail("IterateBatch", where,
           "CLayoutInfoG must be " + std::to_string(std::max(t.ALayoutInfoG, t.BLayoutInfoG)) +
               ", the G of A or B, got 1: sums over the axis G are not modelled");
    }
    const Operands all = this->with_;
    const auto a = sim::StepsOf<A_TYPE::layout>(sim::AxesOfA(t), uint64_t{all.m} * all.ka, matrixStrideA);
    const auto b = sim::StepsOf<B_TYPE::layout>(sim::AxesOfB(t), uint64_t{all.n} * all.kb, matrixStrideB);
    const auto c = sim::StepsOf<C_TYPE::layout>(sim::AxesOfC(t), uint64_t{all.m} * all.n, matrixStrideC);
    sim::ForEachProduct(batchA, batchB, a, b, c,
                        [&](uint64_t at_a, uint64_t at_b, uint64_t at_c, uint32_t i) {
                          Operands one = all;
                          one.a = all.a.From(at_a, a.row);
                          one.b = all.b.From(at_b, b.row);
                          one.pitch_c = c.row;
                          if (all.biased && kConfig.isBiasBatch) one.bias = all.bias[uint64_t{i} * all.n];
                          Take(one, 0);
                          IterateAll(gm[at_c], enAtomic, false, false, false, where);
                        });
    Take(all, 0);
  }

  // Computes `batchLoop` batches one after the other, and calls done(i) after each of them. Of A, B and C the
  // next batch follows in the order of the layout.
  template <class Done>
  void IterateBatches(const GlobalTensor<DstT> &gm, uint32_t batchLoop, uint32_t batchA, uint32_t batchB,
                      uint32_t matrixStrideA, uint32_t matrixStrideB, sim::Where where, Done &&done) {
    const TCubeTiling &t = this->t_;
    const Operands all = this->with_;
    const uint32_t batch_c = std::max(batchA, batchB);
    for (uint32_t i = 0; i < batchLoop; ++i) {
      Operands one = all;
      one.a = all.a.From(sim::BatchStart<A_TYPE::layout>(sim::AxesOfA(t), uint64_t{i} * batchA), 0);
      one.b = all.b.From(sim::BatchStart<B_TYPE::layout>(sim::AxesOfB(t), uint64_t{i} * batchB), 0);
      if (all.biased && kConfig.isBiasBatch) one.bias = all.bias[uint64_t{i} * batch_c * all.n];
      Take(one, 0);
      IterateBatch(gm[sim::BatchStart<C_TYPE::layout>(sim::AxesOfC(t), uint64_t{i} * batch_c)], batchA,
                   batchB, false, matrixStrideA, matrixStrideB, 0, false, 0, where);
      done(i);
    }
  }

  // Takes what a vector core has set, and starts with a tile.
  using Operands = sim::MatmulOperands<A_TYPE, B_TYPE, BIAS_TYPE>;
  void Take(const Operands &operands, uint32_t tile) {
    this->with_ = operands;
    this->tile_ = tile;
  }

  void End() {}

 private:
  static constexpr MatmulConfig kConfig = sim::ConfigOf(MM_CFG);
  static constexpr uint32_t kBiasBlock = 64 / sizeof(BiasT);  // columns of a block of the bias table

  [[noreturn]] static void Fail(const char *name, sim::Where where, const std::string &text) {
    sim::FailMatmul(name, where, text);
  }

  void MakeBuffers(sim::Where where) {
    const TCubeTiling &t = this->t_;
    // The kernel's own copies move one product's operand at a time, or with MDL all of a step.
    const auto step = [](bool copied, int32_t steps) {
      return copied && !kConfig.doMultiDataLoad ? 1 : steps;
    };
    a_.Init(pipe_, t.baseM, t.baseK, step(MM_CB::CopyA1Ptr != nullptr, t.stepKa), t.depthA1 / t.stepKa,
            t.dbL0A, where);
    b_.Init(pipe_, t.baseN, t.baseK, step(MM_CB::CopyB1Ptr != nullptr, t.stepKb), t.depthB1 / t.stepKb,
            t.dbL0B, where);
    if (!kToL0c) pipe_->InitBuffer(c_, t.dbL0C > 1 ? 2 : 1, t.baseM * t.baseN * sizeof(L0cT), where);
    factors_ = bias_ = false;
  }
  // A constant tiling may speak of a bias and leave no room for one, where the kernel never sets it.
  void MakeBiasBuffers(sim::Where where) {
    if (bias_) return;
    bias_ = true;
    const auto columns = static_cast<uint32_t>(sim::AlignUp(this->t_.baseN, kBiasBlock));
    pipe_->InitBuffer(bias1_, 1, columns * sizeof(BiasT), where);
    pipe_->InitBuffer(bias2_, columns * sizeof(L0cT), where);
  }
  void TakeMemories(sim::Where where) {
    if (group_ == nullptr || group_->owner == this) return;
    if (group_->owner != nullptr) {
      pipe_->Destroy();
      pipe_->Init();
    }
    MakeBuffers(where);
    group_->owner = this;
  }

  sim::MatmulTile PlaceOf(uint32_t tile) const {
    const TCubeTiling &t = this->t_;
    const uint32_t rows = this->RowsOfTiles(), columns = this->ColumnsOfTiles();
    const bool along_n = kConfig.iterateOrder == IterateOrder::UNDEF
                             ? t.iterateOrder == 1
                             : kConfig.iterateOrder == IterateOrder::ORDER_N;
    const uint32_t row = (along_n ? tile / columns : tile % rows) * t.baseM;
    const uint32_t column = (along_n ? tile % columns : tile / rows) * t.baseN;
    return {row, column, std::min<uint32_t>(t.baseM, this->with_.single_m - row),
            std::min<uint32_t>(t.baseN, this->with_.single_n - column)};
  }
  // Passes over the tiles that lie outside of the policy's triangle.
  void SkipTiles() {
    if (kTriangle == sim::MatmulTriangle::kNone) return;
    const uint32_t parts = this->PartsOfTile(kConfig.isPartialOutput);
    for (; this->tile_ < this->Tiles(kConfig.isPartialOutput); ++this->tile_) {
      const sim::MatmulTile tile = PlaceOf(this->tile_ / parts);
      const uint32_t m = tile.row / this->t_.baseM, n = tile.column / this->t_.baseN;
      if (kTriangle == sim::MatmulTriangle::kUpper ? m <= n : m >= n) return;
    }
  }

  void CheckTiling(sim::Where where) const {
    const TCubeTiling &t = this->t_;
    for (const int32_t size : {t.baseM, t.baseN, t.baseK}) {
      if (size <= 0 || size % 16 != 0) Fail("Init", where, "baseM, baseN and baseK must be multiples of 16");
    }
    if (t.stepKa < 1 || t.stepKb < 1 || t.depthA1 < t.stepKa || t.depthB1 < t.stepKb) {
      Fail("Init", where, "depthA1 and depthB1 must hold stepKa and stepKb products, at least one");
    }
    if (kNineBlocks && (t.stepM > 3 || t.stepKa > 3)) {
      Fail("Init", where,
           "NBuffer33MatmulPolicy keeps 3 x 3 blocks of A: stepM and stepKa must be at most 3, got " +
               std::to_string(t.stepM) + " and " + std::to_string(t.stepKa));
    }
  }

  void SetAtomic(uint8_t mode, sim::Where where) {
    if (mode > 3) Fail("GetTensorC", where, "enAtomic must be 0, 1 (add), 2 (maximum) or 3 (minimum)");
    if (mode == 1) SetAtomicAdd<DstT>();
    if (mode == 2) SetAtomicMax<DstT>();
    if (mode == 3) SetAtomicMin<DstT>();
  }

  void LoadBias(sim::Where where) {
    MakeBiasBuffers(where);
    auto bias = bias1_.template AllocTensor<BiasT>(where);
    const uint16_t n = static_cast<uint16_t>(at_.n);
    DataCopy(bias, this->with_.bias[at_.column], Nd2NzParams(1, 1, n, 0, n, 1, 1, 0), where);
    bias1_.EnQue(bias, where);
    bias = bias1_.template DeQue<BiasT>(where);
    // Waits for products that read the bias before.
    SetFlag<HardEvent::M_MTE1>(EVENT_ID7, where);
    WaitFlag<HardEvent::M_MTE1>(EVENT_ID7, where);
    const auto blocks = static_cast<uint16_t>(sim::CeilDivide(at_.n, kBiasBlock));
    const auto table = bias2_.template Get<L0cT>();
    const DataCopyParams params(1, blocks, 0, 0);
    if constexpr (std::is_same_v<BiasT, L0cT>) {
      DataCopy(table, bias, params, where);
    } else if constexpr (std::is_same_v<BiasT, half> && !kBytes) {
      sim::CopyHalfsToTable("DataCopy", sim::Side<L0cT>("dst", table), sim::Side<BiasT>("src", bias), params,
                            where);
    } else {
      Fail("SetBias", where, "the bias must be float or half, or int32_t for factors of int8_t");
    }
    SetFlag<HardEvent::MTE1_M>(EVENT_ID7, where);
    WaitFlag<HardEvent::MTE1_M>(EVENT_ID7, where);
    bias1_.FreeTensor(bias, where);
  }

  // COLUMN_MAJOR is the transpose of ND. Rows and columns in L1 are those of the part that is computed.
  void SetFactors() {
    const Operands &with = this->with_;
    const bool trans_a = with.a.transposed != (A_TYPE::format == CubeFormat::COLUMN_MAJOR);
    const bool trans_b = with.b.transposed != (B_TYPE::format == CubeFormat::COLUMN_MAJOR);
    auto a = with.a, b = with.b;
    if (a.pitch == 0) a.pitch = trans_a ? with.m : with.ka;
    if (b.pitch == 0) b.pitch = trans_b ? with.kb : with.n;
    const bool l1_a = sim::kInL1<A_TYPE>, l1_b = sim::kInL1<B_TYPE>;
    const uint32_t m = l1_a ? with.single_m : with.m, ka = l1_a ? with.single_k : with.ka;
    const uint32_t n = l1_b ? with.single_n : with.n, kb = l1_b ? with.single_k : with.kb;
    a_.Set(a, !trans_a, trans_a ? ka : m, with.call);
    b_.Set(b, trans_b, trans_b ? n : kb, with.call);
    if constexpr (sim::kIsSparse<B_TYPE>) b_.SetIndex(with.index, n);
    SetHF32Mode(with.hf32);
    SetHF32TransMode(with.hf32_to_zero);
  }

  void CheckTile(bool biased, sim::Where where) const {
    if (biased && this->t_.isBias == 0) Fail("Iterate", where, "SetBias needs a tiling with isBias");
    constexpr uint32_t kDepth = sim::kIsSparse<B_TYPE> ? 64 : kSquare;
    const bool squares = (this->t_.baseM % kSquare == 0 || a_.k_contiguous()) &&
                         (this->t_.baseN % kSquare == 0 || b_.k_contiguous()) && this->t_.baseK % kDepth == 0;
    if (kBytes && !squares) {
      Fail("Iterate", where,
           "for int8_t baseK must be a multiple of 32, and so must baseM of a transposed A "
           "and baseN of a B that is not; for int4b_t and sparse factors the number is 64");
    }
    CheckRows("A", a_, where);
    CheckRows("B", b_, where);
    if (std::is_same_v<SrcT, int4b_t> && !a_.k_contiguous()) {
      Fail("Iterate", where, "A of int4b_t cannot be transposed: no instruction does that to L0A");
    }
    if (sim::kIsSparse<B_TYPE> && !b_.k_contiguous()) {
      Fail("Iterate", where, "a sparse B must be transposed: SetTensorB(…, true)");
    }
    if (!a_.CanTranspose() || !b_.CanTranspose()) {
      Fail("Iterate", where,
           "a float matrix that is transposed on its way to L0 must come from GM by Matmul");
    }
  }

  template <class Factor>
  static void CheckRows(const char *name, const Factor &factor, sim::Where where) {
    if (factor.StartsAtBytes()) return;
    Fail("Iterate", where,
         std::string("for int4b_t a row of ") + name +
             " in memory must have an even number of elements, got " + std::to_string(factor.pitch()));
  }

  void Compute(bool first, sim::Where where) {
    // Partial results: one for each baseK of a tile.
    const uint32_t parts = this->PartsOfTile(kConfig.isPartialOutput), base_k = this->t_.baseK;
    at_ = PlaceOf(this->tile_ / parts);
    const uint32_t first_k = this->tile_++ % parts * base_k, left = this->with_.single_k - first_k;
    Multiply(first, first_k, parts == 1 ? left : std::min(base_k, left), where);
  }

  void Multiply(bool first, uint32_t first_k, uint32_t k, sim::Where where) {
    constexpr uint32_t kChained = 10;  // with so many fractals in a tile products need no barrier
    const uint32_t base_k = this->t_.baseK;
    const bool biased = this->with_.biased && first && first_k == 0;
    SetFactors();
    CheckTile(biased, where);
    if (biased) LoadBias(where);
    a_.Begin(at_.row, at_.m, k, first_k);
    b_.Begin(at_.column, at_.n, k, first_k);
    // One row that does not lie as one is multiplied with the rows below it in its fractals.
    const uint32_t m = at_.m == 1 && !a_.IsRow() ? 16 : at_.m;
    for (uint32_t i = 0; i < sim::CeilDivide(k, base_k); ++i) {
      auto a = a_.Take(i, where), b = b_.Take(i, where);
      MmadParams product(m, at_.n, std::min(base_k, k - i * base_k), 0, false, first && i == 0 && !biased);
      product.kDirectionAlign = sizeof(SrcT) == 4 && !a_.k_contiguous();
      if constexpr (sim::kIsSparse<B_TYPE>) {
        MmadWithSparse(result_, a, b, product, where);
      } else if (biased && i == 0) {
        Mmad(result_, a, b, bias2_.template Get<L0cT>(), product, where);
      } else {
        Mmad(result_, a, b, product, where);
      }
      if (m / 16 * (at_.n / 16) < kChained) PipeBarrier<PIPE_M>(where);
      a_.Free(a, where);
      b_.Free(b, where);
    }
  }

  TPipe *pipe_ = nullptr;
  std::shared_ptr<sim::MatmulGroup> group_;
  sim::MatmulFactor<A_TYPE, true, MM_CB::CopyA1Ptr> a_;
  sim::MatmulFactor<B_TYPE, false, MM_CB::CopyB1Ptr> b_;
  sim::MatmulResult<C_TYPE, L0cT> out_;
  TQue<TPosition::CO1, 2> c_;
  TQue<TPosition::C1, 1> bias1_;
  TBuf<TPosition::C2> bias2_;
  LocalTensor<L0cT> result_;
  sim::MatmulTile at_{};
  bool held_ = false;  // a tile is in L0C
  bool initialised_ = false;
  bool factors_ = false;  // out_ has buffers for factors of columns
  bool bias_ = false;     // there are buffers for the bias
};

}  // namespace AscendC
