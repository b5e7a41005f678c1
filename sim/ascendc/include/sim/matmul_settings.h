// SPDX-License-Identifier: Apache-2.0
// What a kernel tells a Matmul object before a product. A vector core sends it to the cube core with each
// call.
#pragma once

#include <memory>

#include "../adv_api/matmul/matmul_static_tiling.h"
#include "matmul_source.h"

namespace sim {

enum class MatmulQuant : uint8_t { kNone, kScalar, kVector };

template <class A_TYPE, class B_TYPE, class BIAS_TYPE>
struct MatmulOperands {
  MatmulSource<typename A_TYPE::T> a;
  MatmulSource<typename B_TYPE::T> b;
  AscendC::GlobalTensor<uint8_t> index;  // of a sparse B
  AscendC::GlobalTensor<typename BIAS_TYPE::T> bias;
  AscendC::GlobalTensor<uint64_t> quant_vector;
  uint64_t quant_scalar = 0;
  MatmulQuant quant = MatmulQuant::kNone;
  bool biased = false;
  bool hf32 = false, hf32_to_zero = false;
  // The matrices in memory, then the part that is computed. c: columns of C, where these are not n.
  uint32_t m = 0, n = 0, ka = 0, kb = 0, c = 0;
  uint32_t single_m = 0, single_n = 0, single_k = 0;
  // Elements from row to row of C in a batch, where they are not the columns.
  uint64_t pitch_c = 0;
  MatmulCallData call;
};

[[noreturn]] inline void FailMatmul(const char *name, Where where, const std::string &text) {
  Core::Current().Fail(FaultKind::kOther, (std::string("Matmul::") + name).c_str(), where, text);
}

// The setters that Matmul objects of both kinds of cores have.
template <class A_TYPE, class B_TYPE, class BIAS_TYPE>
class MatmulSetters {
 public:
  void SetSubBlockIdx(uint8_t subBlockIdx) { sub_block_ = subBlockIdx; }
  uint8_t GetSubBlockIdx() const {
    return sub_block_ >= 0 ? static_cast<uint8_t>(sub_block_)
                           : static_cast<uint8_t>(Core::Current().SubBlockIdx());
  }
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
    Set(&with_.a, gm, {}, isTransposeA);
  }
  void SetTensorB(const AscendC::GlobalTensor<typename B_TYPE::T> &gm, bool isTransposeB = false) {
    Set(&with_.b, gm, {}, isTransposeB);
  }
  // Matrices in L1, in columns of fractals: singleCoreM x singleCoreK, singleCoreK x singleCoreN.
  void SetTensorA(const AscendC::LocalTensor<typename A_TYPE::T> &leftMatrix, bool isTransposeA = false) {
    static_assert(kInL1<A_TYPE>, "Matmul: a LocalTensor for A needs a type whose position is TSCM or A1");
    Set(&with_.a, {}, leftMatrix, isTransposeA);
  }
  void SetTensorB(const AscendC::LocalTensor<typename B_TYPE::T> &rightMatrix, bool isTransposeB = false) {
    static_assert(kInL1<B_TYPE>, "Matmul: a LocalTensor for B needs a type whose position is TSCM or B1");
    Set(&with_.b, {}, rightMatrix, isTransposeB);
  }
  // A is one row, or B one column, of this value.
  void SetTensorA(typename A_TYPE::T aScalar) { SetScalar<A_TYPE>(&with_.a, aScalar); }
  void SetTensorB(typename B_TYPE::T bScalar) { SetScalar<B_TYPE>(&with_.b, bScalar); }
  void SetSparseIndex(const AscendC::GlobalTensor<uint8_t> &indexGlobal) {
    static_assert(kIsSparse<B_TYPE>, "Matmul: SetSparseIndex needs a B of SparseMatmulType");
    with_.index = indexGlobal;
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
  void SetSelfDefineData(const uint64_t dataPtr) { with_.call.data = dataPtr; }
  void SetUserDefInfo(const uint64_t tilingPtr) { with_.call.tiling = tilingPtr; }
  // Scratch in UB for conversions, which no product on this device needs.
  void SetLocalWorkspace(const AscendC::LocalTensor<uint8_t> &) {}
  void SetBatchNum(int32_t batchA, int32_t batchB) { batch_a_ = batchA, batch_b_ = batchB; }

 private:
  template <typename T>
  void Set(MatmulSource<T> *source, const AscendC::GlobalTensor<T> &gm, const AscendC::LocalTensor<T> &l1,
           bool transposed) {
    *source = {gm, l1, 0, transposed};
    tile_ = 0;
  }
  template <class TYPE>
  void SetScalar(MatmulSource<typename TYPE::T> *source, typename TYPE::T value) {
    static_assert(kOneOf<typename TYPE::T, half, float>, "Matmul: a scalar matrix is half or float");
    Set(source, {}, {}, false);
    source->is_scalar = true;
    source->scalar = value;
  }

 protected:
  // Takes the sizes of the tiling.
  void SetTiling(const TCubeTiling &tiling) {
    t_ = tiling;
    SetOrgShape(t_.M, t_.N, t_.Ka, t_.Kb);
    SetSingleShape(t_.singleCoreM, t_.singleCoreN, t_.singleCoreK);
  }
  bool HasSizes() const { return t_.baseM != 0 || t_.baseN != 0 || t_.baseK != 0; }
  void CheckSizes(Where where) const {
    if (!HasSizes()) FailMatmul("Iterate", where, "the object has no tiling, or one of zeros: missing Init");
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
  int32_t sub_block_ = -1;  // -1: nobody has set it
};

// Objects that are registered together use the memories of the cube core in turn. With CANN each has its own
// buffers, whose sum no tiling can know.
struct MatmulGroup {
  const void *owner = nullptr;
};

}  // namespace sim
