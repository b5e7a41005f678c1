// SPDX-License-Identifier: Apache-2.0
// The Matmul object on a cube core, made of LoadData, Mmad and Fixpipe. Its factors and its result are rows
// in GM (ND).
#pragma once

#include "../../kernel_tiling/kernel_tiling.h"
#include "../../sim/matmul_factor.h"
#include "matmul_config.h"

namespace AscendC {

template <class A_TYPE, class B_TYPE, class C_TYPE, class BIAS_TYPE = C_TYPE, const auto &MM_CFG = CFG_NORM>
class MatmulImpl {
  using SrcT = typename A_TYPE::T;
  using DstT = typename C_TYPE::T;
  using BiasT = typename BIAS_TYPE::T;
  static_assert(std::is_same_v<SrcT, typename B_TYPE::T> &&
                    (std::is_same_v<SrcT, half> || std::is_same_v<SrcT, bfloat16_t> ||
                     std::is_same_v<SrcT, float>),
                "Matmul here multiplies half, bfloat16_t or float, both factors of one type");
  static_assert(A_TYPE::pos == TPosition::GM && B_TYPE::pos == TPosition::GM && C_TYPE::pos == TPosition::GM,
                "Matmul here takes its matrices from GM and leaves its result there");
  static_assert(A_TYPE::format == CubeFormat::ND && B_TYPE::format == CubeFormat::ND &&
                    C_TYPE::format == CubeFormat::ND,
                "Matmul here takes and leaves matrices in ND");

 public:
  void Init(const TCubeTiling *cubeTiling, TPipe *tpipe = nullptr, sim::Where where = sim::Where::Here()) {
    sim::Core &core = sim::Core::Current();
    if (!core.IsCube())
      Fail("Init", where, "a Matmul object runs on cube cores alone: guard it by ASCEND_IS_AIC");
    if (tpipe != nullptr) pipe_ = tpipe;
    if (pipe_ == nullptr) Fail("Init", where, "no TPipe: missing REGIST_MATMUL_OBJ");
    t_ = *cubeTiling;
    CheckTiling(where);
    SetOrgShape(t_.M, t_.N, t_.Ka, t_.Kb);
    SetSingleShape(t_.singleCoreM, t_.singleCoreN, t_.singleCoreK);
    a_.Init(pipe_, t_.baseM, t_.baseK, t_.stepKa, t_.depthA1 / t_.stepKa, t_.dbL0A, where);
    b_.Init(pipe_, t_.baseN, t_.baseK, t_.stepKb, t_.depthB1 / t_.stepKb, t_.dbL0B, where);
    pipe_->InitBuffer(c_, t_.dbL0C > 1 ? 2 : 1, t_.baseM * t_.baseN * sizeof(float), where);
    if (t_.isBias != 0) {
      pipe_->InitBuffer(bias1_, 1, t_.baseN * sizeof(float), where);
      pipe_->InitBuffer(bias2_, t_.baseN * sizeof(float), where);
    }
  }
  void SetSubBlockIdx(uint8_t) {}
  void SetPipe(TPipe *tpipe) { pipe_ = tpipe; }

  void SetOrgShape(int orgM, int orgN, int orgK) { SetOrgShape(orgM, orgN, orgK, orgK); }
  void SetOrgShape(int orgM, int orgN, int orgKa, int orgKb, int orgKc = 0) {
    m_ = orgM, n_ = orgN, ka_ = orgKa, kb_ = orgKb;
    row_ = orgKc != 0 ? orgKc : orgN;
  }
  void SetSingleShape(int singleM, int singleN, int singleK) { SetTail(singleM, singleN, singleK); }
  void SetTail(int tailM = -1, int tailN = -1, int tailK = -1) {
    if (tailM != -1) single_m_ = tailM;
    if (tailN != -1) single_n_ = tailN;
    if (tailK != -1) single_k_ = tailK;
  }

  void SetTensorA(const GlobalTensor<SrcT> &gm, bool isTransposeA = false) {
    a_.Set(gm, !isTransposeA, isTransposeA ? m_ : ka_);
    tile_ = 0;
  }
  void SetTensorB(const GlobalTensor<SrcT> &gm, bool isTransposeB = false) {
    b_.Set(gm, isTransposeB, isTransposeB ? kb_ : n_);
    tile_ = 0;
  }
  void SetBias(const GlobalTensor<BiasT> &biasGlobal) {
    static_assert(std::is_same_v<BiasT, float>, "Matmul here takes a bias of float");
    bias_ = biasGlobal;
    biased_ = true;
  }
  void ClearBias() { biased_ = false; }
  void DisableBias() { biased_ = false; }
  // transMode 1: ties towards zero.
  void SetHF32(bool enableHF32 = false, int32_t transMode = 0) {
    SetHF32Mode(enableHF32);
    SetHF32TransMode(transMode == 1);
  }
  template <typename T>
  void SetWorkspace(GlobalTensor<T> &) {}

  // Computes the next tile of baseM x baseN; returns false where there is none. enPartialSum: it is added to
  // the tile in L0C.
  template <bool sync = true>
  bool Iterate(bool enPartialSum = false, sim::Where where = sim::Where::Here()) {
    const uint32_t rows = Tiles(single_m_, t_.baseM), columns = Tiles(single_n_, t_.baseN);
    if (tile_ >= rows * columns) return false;
    const bool along_n = t_.iterateOrder == 1;
    const uint32_t row = (along_n ? tile_ / columns : tile_ % rows) * t_.baseM;
    const uint32_t column = (along_n ? tile_ % columns : tile_ / rows) * t_.baseN;
    ++tile_;
    if (held_ && !enPartialSum) {
      Fail("Iterate", where, "the tile of the Iterate before is still there: missing GetTensorC");
    }
    const bool first = !held_;
    if (first) result_ = c_.template AllocTensor<float>(where);
    held_ = true;
    at_ = {row, column, std::min<uint32_t>(t_.baseM, single_m_ - row),
           std::min<uint32_t>(t_.baseN, single_n_ - column)};
    Multiply(first, where);
    return true;
  }

  // Copies the tile to its place in C.
  template <bool sync = true>
  void GetTensorC(const GlobalTensor<DstT> &gm, uint8_t enAtomic = 0, bool enSequentialWrite = false,
                  sim::Where where = sim::Where::Here()) {
    if (!held_) Fail("GetTensorC", where, "there is no tile: missing Iterate");
    if (enAtomic > 1) Fail("GetTensorC", where, "enAtomic must be 0 or 1 (add)");
    c_.EnQue(result_, where);
    result_ = c_.template DeQue<float>(where);
    const uint32_t rows = static_cast<uint32_t>(sim::AlignUp(at_.m, sim::kFractalRows));
    FixpipeParamsV220 out(at_.n, at_.m, rows, enSequentialWrite ? t_.baseN : row_, false);
    if constexpr (std::is_same_v<DstT, half>) out.quantPre = QuantMode_t::F322F16;
    if constexpr (std::is_same_v<DstT, bfloat16_t>) out.quantPre = QuantMode_t::F322BF16;
    const uint64_t offset = enSequentialWrite ? 0 : uint64_t{at_.row} * row_ + at_.column;
    if (enAtomic == 1) SetAtomicAdd<DstT>();
    Fixpipe(gm[offset], result_, out, where);
    if (enAtomic == 1) SetAtomicNone();
    c_.FreeTensor(result_, where);
    held_ = false;
  }

  template <bool sync = true>
  void IterateAll(const GlobalTensor<DstT> &gm, uint8_t enAtomic = 0, bool enSequentialWrite = false,
                  bool waitIterateAll = false, bool fakeMsg = false, sim::Where where = sim::Where::Here()) {
    (void)waitIterateAll, (void)fakeMsg;  // for the asynchronous mode, which a cube core does not have
    while (Iterate<sync>(false, where)) GetTensorC<sync>(gm, enAtomic, enSequentialWrite, where);
  }

  void End() {}

 private:
  struct Place {
    uint32_t row, column, m, n;
  };

  [[noreturn]] static void Fail(const char *name, sim::Where where, const std::string &text) {
    sim::Core::Current().Fail(sim::FaultKind::kOther, (std::string("Matmul::") + name).c_str(), where, text);
  }
  static uint32_t Tiles(uint32_t size, uint32_t base) { return (size + base - 1) / base; }

  void CheckTiling(sim::Where where) const {
    for (const int32_t size : {t_.baseM, t_.baseN, t_.baseK}) {
      if (size <= 0 || size % 16 != 0) Fail("Init", where, "baseM, baseN and baseK must be multiples of 16");
    }
    if (t_.stepM != 1 || t_.stepN != 1)
      Fail("Init", where, "stepM and stepN must be 1, others are not modelled");
    if (t_.stepKa < 1 || t_.stepKb < 1 || t_.depthA1 < t_.stepKa || t_.depthB1 < t_.stepKb) {
      Fail("Init", where, "depthA1 and depthB1 must hold stepKa and stepKb products, at least one");
    }
  }

  void LoadBias(sim::Where where) {
    auto bias = bias1_.template AllocTensor<float>(where);
    const uint16_t n = static_cast<uint16_t>(at_.n);
    DataCopy(bias, bias_[at_.column], Nd2NzParams(1, 1, n, 0, n, 1, 1, 0), where);
    bias1_.EnQue(bias, where);
    bias = bias1_.template DeQue<float>(where);
    // Waits for products that read the bias before.
    SetFlag<HardEvent::M_MTE1>(EVENT_ID7, where);
    WaitFlag<HardEvent::M_MTE1>(EVENT_ID7, where);
    const uint16_t blocks = static_cast<uint16_t>(sim::CeilDivide(at_.n, 16));
    DataCopy(bias2_.template Get<float>(), bias, DataCopyParams(1, blocks, 0, 0), where);
    SetFlag<HardEvent::MTE1_M>(EVENT_ID7, where);
    WaitFlag<HardEvent::MTE1_M>(EVENT_ID7, where);
    bias1_.FreeTensor(bias, where);
  }

  void Multiply(bool first, sim::Where where) {
    constexpr uint32_t kChained = 10;  // with so many fractals in a tile products need no barrier
    if (at_.m == 1 && !a_.k_contiguous()) Fail("Iterate", where, "one row of a transposed A is not modelled");
    const bool biased = biased_ && first;
    if (biased && t_.isBias == 0) Fail("Iterate", where, "SetBias needs a tiling with isBias");
    if (biased) LoadBias(where);
    a_.Begin(at_.row, at_.m, single_k_);
    b_.Begin(at_.column, at_.n, single_k_);
    for (uint32_t i = 0; i < Tiles(single_k_, t_.baseK); ++i) {
      auto a = a_.Take(i, where), b = b_.Take(i, where);
      MmadParams product(at_.m, at_.n, a_.Depth(i), 0, false, first && i == 0 && !biased);
      product.kDirectionAlign = sizeof(SrcT) == 4 && !a_.k_contiguous();
      if (biased && i == 0) {
        Mmad(result_, a, b, bias2_.template Get<float>(), product, where);
      } else {
        Mmad(result_, a, b, product, where);
      }
      if (at_.m / 16 * (at_.n / 16) < kChained) PipeBarrier<PIPE_M>(where);
      a_.Free(a, where);
      b_.Free(b, where);
    }
  }

  TCubeTiling t_{};
  TPipe *pipe_ = nullptr;
  sim::MatmulFactor<SrcT, TPosition::A1, TPosition::A2> a_;
  sim::MatmulFactor<SrcT, TPosition::B1, TPosition::B2> b_;
  TQue<TPosition::CO1, 2> c_;
  TQue<TPosition::C1, 1> bias1_;
  TBuf<TPosition::C2> bias2_;
  GlobalTensor<BiasT> bias_;
  LocalTensor<float> result_;
  Place at_{};
  bool biased_ = false;
  bool held_ = false;  // a tile is in L0C
  uint32_t m_ = 0, n_ = 0, ka_ = 0, kb_ = 0, row_ = 0;
  uint32_t single_m_ = 0, single_n_ = 0, single_k_ = 0;
  uint32_t tile_ = 0;
};

}  // namespace AscendC
