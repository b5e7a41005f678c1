// SPDX-License-Identifier: Apache-2.0
// The Matmul object on a cube core, made of LoadData, Mmad and Fixpipe. It takes its factors from GM and
// leaves its result there.
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
  static constexpr bool kBytes = std::is_same_v<SrcT, int8_t>;
  using L0cT = std::conditional_t<kBytes, int32_t, float>;
  static constexpr bool Known(CubeFormat format) {
    return format == CubeFormat::ND || format == CubeFormat::NZ || format == CubeFormat::VECTOR ||
           format == CubeFormat::COLUMN_MAJOR;
  }
  static_assert(std::is_same_v<SrcT, typename B_TYPE::T> &&
                    (std::is_same_v<SrcT, half> || std::is_same_v<SrcT, bfloat16_t> ||
                     std::is_same_v<SrcT, float> || kBytes),
                "Matmul here multiplies half, bfloat16_t, float or int8_t, both factors of one type");
  static_assert(Known(A_TYPE::format) && Known(B_TYPE::format),
                "Matmul here takes matrices in ND, NZ, VECTOR or COLUMN_MAJOR");
  static_assert(std::is_same_v<MATMUL_POLICY<MM_CFG>, Impl::Detail::MatmulPolicy<MM_CFG>>,
                "Matmul here has no other policy than MatmulPolicy");
  static_assert(MM_CB::DataCopyOutPtr == nullptr && MM_CB::CopyA1Ptr == nullptr &&
                    MM_CB::CopyB1Ptr == nullptr,
                "Matmul here takes no copies of the kernel (MatmulCallBackFunc)");

 public:
  static constexpr bool kHasTiling = sim::HasTiling(MM_CFG);

  void Init(const TCubeTiling *cubeTiling, TPipe *tpipe = nullptr, sim::Where where = sim::Where::Here()) {
    sim::Core &core = sim::Core::Current();
    if (!core.IsCube())
      Fail("Init", where, "a Matmul object runs on cube cores alone: guard it by ASCEND_IS_AIC");
    if (tpipe != nullptr) pipe_ = tpipe;
    if (pipe_ == nullptr) Fail("Init", where, "no TPipe: missing REGIST_MATMUL_OBJ");
    this->SetTiling(sim::TilingOf(MM_CFG, cubeTiling));
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
    if (this->tile_ >= this->Tiles(kConfig.isPartialOutput)) return false;
    if (held_ && !enPartialSum) {
      Fail("Iterate", where, "the tile of the Iterate before is still there: missing GetTensorC");
    }
    TakeMemories(where);
    const bool first = !held_;
    if (first) result_ = c_.template AllocTensor<L0cT>(where);
    held_ = true;
    // Partial results: one for each baseK of a tile.
    const uint32_t parts = this->PartsOfTile(kConfig.isPartialOutput), base_k = this->t_.baseK;
    at_ = PlaceOf(this->tile_ / parts);
    const uint32_t first_k = this->tile_++ % parts * base_k, left = this->with_.single_k - first_k;
    Multiply(first, first_k, parts == 1 ? left : std::min(base_k, left), where);
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
    out_.Copy(gm, result_, at_, with.m, static_cast<uint32_t>(columns), enSequentialWrite, with,
              kConfig.enableRelu, kConfig.isEnableChannelSplit, where);
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
    const Operands all = this->with_;
    const auto a = sim::StepsOf<A_TYPE::layout>(
        {t.ALayoutInfoB, t.ALayoutInfoS, t.ALayoutInfoN, t.ALayoutInfoG, t.ALayoutInfoD},
        uint64_t{all.m} * all.ka, matrixStrideA);
    const auto b = sim::StepsOf<B_TYPE::layout>(
        {t.BLayoutInfoB, t.BLayoutInfoS, t.BLayoutInfoN, t.BLayoutInfoG, t.BLayoutInfoD},
        uint64_t{all.n} * all.kb, matrixStrideB);
    const auto c = sim::StepsOf<C_TYPE::layout>(
        {t.CLayoutInfoB, t.CLayoutInfoS1, t.CLayoutInfoN, t.CLayoutInfoG, t.CLayoutInfoS2},
        uint64_t{all.m} * all.n, matrixStrideC);
    sim::ForEachProduct(batchA, batchB, a, b, c,
                        [&](uint64_t at_a, uint64_t at_b, uint64_t at_c, uint32_t i) {
                          Operands one = all;
                          one.a = all.a[at_a];
                          one.b = all.b[at_b];
                          one.pitch_a = a.row, one.pitch_b = b.row, one.pitch_c = c.row;
                          if (all.biased && kConfig.isBiasBatch) one.bias = all.bias[uint64_t{i} * all.n];
                          Take(one, 0);
                          IterateAll(gm[at_c], enAtomic, false, false, false, where);
                        });
    Take(all, 0);
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
    a_.Init(pipe_, t.baseM, t.baseK, t.stepKa, t.depthA1 / t.stepKa, t.dbL0A, where);
    b_.Init(pipe_, t.baseN, t.baseK, t.stepKb, t.depthB1 / t.stepKb, t.dbL0B, where);
    pipe_->InitBuffer(c_, t.dbL0C > 1 ? 2 : 1, t.baseM * t.baseN * sizeof(L0cT), where);
    factors_ = false;
    if (t.isBias == 0) return;
    const auto columns = static_cast<uint32_t>(sim::AlignUp(t.baseN, kBiasBlock));
    pipe_->InitBuffer(bias1_, 1, columns * sizeof(BiasT), where);
    pipe_->InitBuffer(bias2_, columns * sizeof(L0cT), where);
  }
  void TakeMemories(sim::Where where) {
    if (group_ == nullptr || group_->owner == this) return;
    if (!initialised_) Fail("Iterate", where, "the object has no tiling: missing Init");
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

  void CheckTiling(sim::Where where) const {
    const TCubeTiling &t = this->t_;
    for (const int32_t size : {t.baseM, t.baseN, t.baseK}) {
      if (size <= 0 || size % 16 != 0) Fail("Init", where, "baseM, baseN and baseK must be multiples of 16");
    }
    if (t.stepKa < 1 || t.stepKb < 1 || t.depthA1 < t.stepKa || t.depthB1 < t.stepKb) {
      Fail("Init", where, "depthA1 and depthB1 must hold stepKa and stepKb products, at least one");
    }
  }

  void SetAtomic(uint8_t mode, sim::Where where) {
    if (mode > 3) Fail("GetTensorC", where, "enAtomic must be 0, 1 (add), 2 (maximum) or 3 (minimum)");
    if (mode == 1) SetAtomicAdd<DstT>();
    if (mode == 2) SetAtomicMax<DstT>();
    if (mode == 3) SetAtomicMin<DstT>();
  }

  void LoadBias(sim::Where where) {
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
      sim::CopySide source = sim::Side<BiasT>("src", bias);
      source.operand.defined = false;  // the last block may have columns behind the tile
      sim::CopyHalfsToTable("DataCopy", sim::Side<L0cT>("dst", table), source, params, where);
    } else {
      Fail("SetBias", where, "the bias must be float or half, or int32_t for factors of int8_t");
    }
    SetFlag<HardEvent::MTE1_M>(EVENT_ID7, where);
    WaitFlag<HardEvent::MTE1_M>(EVENT_ID7, where);
    bias1_.FreeTensor(bias, where);
  }

  // COLUMN_MAJOR is the transpose of ND.
  void SetFactors() {
    const Operands &with = this->with_;
    const bool trans_a = with.transpose_a != (A_TYPE::format == CubeFormat::COLUMN_MAJOR);
    const bool trans_b = with.transpose_b != (B_TYPE::format == CubeFormat::COLUMN_MAJOR);
    const auto pitch = [](uint64_t given, uint32_t columns) { return given != 0 ? given : columns; };
    a_.Set(with.a, !trans_a, trans_a ? with.ka : with.m, pitch(with.pitch_a, trans_a ? with.m : with.ka));
    b_.Set(with.b, trans_b, trans_b ? with.n : with.kb, pitch(with.pitch_b, trans_b ? with.kb : with.n));
    SetHF32Mode(with.hf32);
    SetHF32TransMode(with.hf32_to_zero);
  }

  void CheckTile(bool biased, sim::Where where) const {
    if (at_.m == 1 && !a_.k_contiguous()) Fail("Iterate", where, "one row of a transposed A is not modelled");
    if (biased && this->t_.isBias == 0) Fail("Iterate", where, "SetBias needs a tiling with isBias");
    const bool squares = (this->t_.baseM % 32 == 0 || a_.k_contiguous()) &&
                         (this->t_.baseN % 32 == 0 || b_.k_contiguous()) && this->t_.baseK % 32 == 0;
    if (kBytes && !squares) {
      Fail("Iterate", where,
           "for int8_t baseK must be a multiple of 32, and so must baseM of a transposed A "
           "and baseN of a B that is not");
    }
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
    for (uint32_t i = 0; i < sim::CeilDivide(k, base_k); ++i) {
      auto a = a_.Take(i, where), b = b_.Take(i, where);
      MmadParams product(at_.m, at_.n, a_.Depth(i), 0, false, first && i == 0 && !biased);
      product.kDirectionAlign = sizeof(SrcT) == 4 && !a_.k_contiguous();
      if (biased && i == 0) {
        Mmad(result_, a, b, bias2_.template Get<L0cT>(), product, where);
      } else {
        Mmad(result_, a, b, product, where);
      }
      if (at_.m / 16 * (at_.n / 16) < kChained) PipeBarrier<PIPE_M>(where);
      a_.Free(a, where);
      b_.Free(b, where);
    }
  }

  TPipe *pipe_ = nullptr;
  std::shared_ptr<sim::MatmulGroup> group_;
  sim::MatmulFactor<SrcT, TPosition::A1, TPosition::A2, A_TYPE::format> a_;
  sim::MatmulFactor<SrcT, TPosition::B1, TPosition::B2, B_TYPE::format> b_;
  sim::MatmulResult<C_TYPE, L0cT> out_;
  TQue<TPosition::CO1, 2> c_;
  TQue<TPosition::C1, 1> bias1_;
  TBuf<TPosition::C2> bias2_;
  LocalTensor<L0cT> result_;
  sim::MatmulTile at_{};
  bool held_ = false;  // a tile is in L0C
  bool initialised_ = false;
  bool factors_ = false;  // out_ has buffers for factors of columns
};

}  // namespace AscendC
