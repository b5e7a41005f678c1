// SPDX-License-Identifier: Apache-2.0
// What a kernel tells a Matmul object before a product. A vector core sends it to the cube core with each
// call.
#pragma once

#include <memory>

#include "../adv_api/matmul/matmul_static_tiling.h"

namespace sim {

enum class MatmulQuant : uint8_t { kNone, kScalar, kVector };

template <class A_TYPE, class B_TYPE, class BIAS_TYPE>
struct MatmulOperands {
  AscendC::GlobalTensor<typename A_TYPE::T> a;
  AscendC::GlobalTensor<typename B_TYPE::T> b;
  AscendC::GlobalTensor<typename BIAS_TYPE::T> bias;
  AscendC::GlobalTensor<uint64_t> quant_vector;
  uint64_t quant_scalar = 0;
  MatmulQuant quant = MatmulQuant::kNone;
  bool transpose_a = false, transpose_b = false;
  bool biased = false;
  bool hf32 = false, hf32_to_zero = false;
  // The matrices in memory, then the part that is computed. c: columns of C, where these are not n.
  uint32_t m = 0, n = 0, ka = 0, kb = 0, c = 0;
  uint32_t single_m = 0, single_n = 0, single_k = 0;
  // Elements from row to row of A, B and C in a batch, where they are not the columns.
  uint64_t pitch_a = 0, pitch_b = 0, pitch_c = 0;
  // For the kernel's own copies.
  uint64_t callback_tiling = 0, callback_data = 0;
};

// The setters that Matmul objects of both kinds of cores have.
template <class A_TYPE, class B_TYPE, class BIAS_TYPE>
class MatmulSetters {
 public:
  void SetSubBlockIdx(uint8_t) {}
  void SetOrgShape(int orgM, int orgN, int orgK) { SetOrgShape(orgM, orgN, orgK, orgK); }
  void SetOrgShape(int orgM, int orgN, int orgKa, int orgKb, int orgKc = 0) {
    with_.m = orgM, with_.n = orgN, with_.ka = orgKa, with_.kb = orgKb;
    with_.c = orgKc;
  }
  void SetSingleShape(int singleM, int singleN, int singleK) { SetTail(singleM, singleN, singleK); }
  void SetTail(int tailM = -1, int tailN = -1, int tailK = -1) {
    if (tailM != -1) with_.single_m = tailM;
    if (tailN != -1) with_.single_n = tailN;
    if (tailK != -1) with_.single_k = tailK;
  }
  void SetTensorA(const AscendC::GlobalTensor<typename A_TYPE::T> &gm, bool isTransposeA = false) {
    with_.a = gm;
    with_.transpose_a = isTransposeA;
    tile_ = 0;
  }
  void SetTensorB(const AscendC::GlobalTensor<typename B_TYPE::T> &gm, bool isTransposeB = false) {
    with_.b = gm;
    with_.transpose_b = isTransposeB;
    tile_ = 0;
  }
  void SetBias(const AscendC::GlobalTensor<typename BIAS_TYPE::T> &biasGlobal) {
    with_.bias = biasGlobal;
    with_.biased = true;
  }
  void ClearBias() { with_.biased = false; }
  void DisableBias() { with_.biased = false; }
  // transMode 1: ties towards zero.
  void SetHF32(bool enableHF32 = false, int32_t transMode = 0) {
    with_.hf32 = enableHF32;
    with_.hf32_to_zero = transMode == 1;
  }
  void SetQuantScalar(const uint64_t quantScalar) {
    with_.quant_scalar = quantScalar;
    with_.quant = MatmulQuant::kScalar;
  }
  void SetQuantVector(const AscendC::GlobalTensor<uint64_t> &quantTensor) {
    with_.quant_vector = quantTensor;
    with_.quant = MatmulQuant::kVector;
  }
  void SetSelfDefineData(const uint64_t dataPtr) { with_.callback_data = dataPtr; }
  void SetUserDefInfo(const uint64_t tilingPtr) { with_.callback_tiling = tilingPtr; }
  // Scratch in UB for conversions, which no product on this device needs.
  void SetLocalWorkspace(const AscendC::LocalTensor<uint8_t> &) {}
  void SetBatchNum(int32_t batchA, int32_t batchB) { batch_a_ = batchA, batch_b_ = batchB; }

 protected:
  // Takes the sizes of the tiling.
  void SetTiling(const TCubeTiling &tiling) {
    t_ = tiling;
    SetOrgShape(t_.M, t_.N, t_.Ka, t_.Kb);
    SetSingleShape(t_.singleCoreM, t_.singleCoreN, t_.singleCoreK);
  }
  uint32_t RowsOfTiles() const { return static_cast<uint32_t>(CeilDivide(with_.single_m, t_.baseM)); }
  uint32_t ColumnsOfTiles() const { return static_cast<uint32_t>(CeilDivide(with_.single_n, t_.baseN)); }

  // `partial`: each baseK of a tile is a result of its own.
  uint32_t PartsOfTile(bool partial) const {
    return partial ? static_cast<uint32_t>(CeilDivide(with_.single_k, t_.baseK)) : 1;
  }
  uint32_t Tiles(bool partial) const { return RowsOfTiles() * ColumnsOfTiles() * PartsOfTile(partial); }

  TCubeTiling t_{};
  MatmulOperands<A_TYPE, B_TYPE, BIAS_TYPE> with_;
  uint32_t tile_ = 0;  // the next one
  int32_t batch_a_ = 1, batch_b_ = 1;
};

// Objects that are registered together use the memories of the cube core in turn. With CANN each has its own
// buffers, whose sum no tiling can know.
struct MatmulGroup {
  const void *owner = nullptr;
};

[[noreturn]] inline void FailMatmul(const char *name, Where where, const std::string &text) {
  Core::Current().Fail(FaultKind::kOther, (std::string("Matmul::") + name).c_str(), where, text);
}

}  // namespace sim
