// SPDX-License-Identifier: Apache-2.0
// What a Matmul object multiplies: the types of its matrices, copies of the kernel, and policies.
#pragma once

#include <cstdint>
#include <type_traits>

#include "../../kernel_operator.h"

enum class CubeFormat { ND = 0, NZ, ZN, ZZ, NN, ND_ALIGN, SCALAR, VECTOR, ROW_MAJOR = ND, COLUMN_MAJOR = 8 };
enum class LayoutMode { NONE = 0, BSNGD, SBNGD, BNGS1S2, NORMAL };

namespace AscendC {

template <TPosition POSITION, CubeFormat FORMAT, typename TYPE, bool ISTRANS = false,
          LayoutMode LAYOUT = LayoutMode::NONE, bool IBSHARE = false, TPosition SRCPOS = TPosition::GM>
struct MatmulType {
  static constexpr TPosition pos = POSITION;
  static constexpr CubeFormat format = FORMAT;
  using T = TYPE;
  static constexpr bool isTrans = ISTRANS;
  static constexpr LayoutMode layout = LAYOUT;
  static constexpr bool ibShare = IBSHARE;
  static constexpr TPosition srcPos = SRCPOS;
};

// A right factor of which two of four values in a row are stored, with an index that says which two
// (MmadWithSparse).
template <TPosition POSITION, TPosition INDEX_POSITION, CubeFormat FORMAT, typename TYPE,
          bool ISTRANS = false, LayoutMode LAYOUT = LayoutMode::NONE, bool IBSHARE = false>
struct SparseMatmulType : MatmulType<POSITION, FORMAT, TYPE, ISTRANS, LAYOUT, IBSHARE> {
  static constexpr TPosition indexPosition = INDEX_POSITION;
};

// What L0C holds for factors of type T.
template <typename T>
struct GetMmDstType {
  using Type = std::conditional_t<std::is_same_v<T, int8_t> || std::is_same_v<T, int4b_t>, int32_t, float>;
};

// What a kernel's own copy of a result tile is told.
struct DataCopyOutParams {
  uint8_t quantMode = 0;
  uint16_t cBurstNum = 0;  // columns of fractals
  uint16_t burstLen = 0;   // data blocks of a column
  uint16_t srcStride = 0;
  uint32_t dstStride = 0;  // ND: elements from row to row; NZ: data blocks from column to column
  uint16_t oriNSize = 0;   // columns of the tile; NZ: 0
  bool enUnitFlag = false;
  uint64_t quantScalar = 0;
  int curM = 0;  // the number of the tile along m and along n
  int curN = 0;
  uint64_t cbufWorkspaceAddr = 0;  // factors of the tile's columns in L1
};

// Functions of the kernel that copy a tile of the result, of A and of B in place of the library.
template <void (*DataCopyOut)(const __gm__ void *gm, const LocalTensor<int8_t> &co1Local,
                              const void *dataCopyOutParams, const uint64_t tilingPtr,
                              const uint64_t dataPtr) = nullptr,
          void (*CopyA1)(const LocalTensor<int8_t> &aMatrix, const __gm__ void *gm, int row, int col,
                         int useM, int useK, const uint64_t tilingPtr, const uint64_t dataPtr) = nullptr,
          void (*CopyB1)(const LocalTensor<int8_t> &bMatrix, const __gm__ void *gm, int row, int col,
                         int useK, int useN, const uint64_t tilingPtr, const uint64_t dataPtr) = nullptr>
struct MatmulCallBackFunc {
  static constexpr auto DataCopyOutPtr = DataCopyOut;
  static constexpr auto CopyA1Ptr = CopyA1;
  static constexpr auto CopyB1Ptr = CopyB1;
};

namespace Impl {
constexpr int32_t QUEUE_DEPTH = 1;  // of a queue for results in L0C
}

namespace Impl::Detail {

// Policies: which tiles of the result are computed. A triangle holds the tiles whose number along m is at
// most (upper) or at least (lower) their number along n; the others stay as they are in memory.
template <const auto &MM_CFG, typename... Args>
struct MatmulPolicy {};
template <const auto &MM_CFG, typename... Args>
struct TrianUpperMatmulPolicy {};
template <const auto &MM_CFG, typename... Args>
struct TrianLowerMatmulPolicy {};
// All tiles. With CANN nine blocks of A stay in L1; the result is the same.
template <const auto &MM_CFG, typename... Args>
struct NBuffer33MatmulPolicy {};

}  // namespace Impl::Detail
}  // namespace AscendC

// The last parameter of a template that passes a policy on to Matmul.
#define MATMUL_POLICY_DEFAULT_OF(DEFAULT)       \
  template <const auto & = MM_CFG, typename...> \
  class MATMUL_POLICY = AscendC::Impl::Detail::DEFAULT

namespace matmul = AscendC;

namespace sim {

enum class MatmulTriangle : uint8_t { kNone, kUpper, kLower };

template <const auto &CFG, template <const auto &, typename...> class POLICY>
constexpr MatmulTriangle TriangleOf() {
  using namespace AscendC::Impl::Detail;
  if constexpr (std::is_same_v<POLICY<CFG>, TrianUpperMatmulPolicy<CFG>>) return MatmulTriangle::kUpper;
  if constexpr (std::is_same_v<POLICY<CFG>, TrianLowerMatmulPolicy<CFG>>) return MatmulTriangle::kLower;
  return MatmulTriangle::kNone;
}
template <const auto &CFG, template <const auto &, typename...> class POLICY>
constexpr bool KnowsPolicy() {
  using namespace AscendC::Impl::Detail;
  return TriangleOf<CFG, POLICY>() != MatmulTriangle::kNone ||
         std::is_same_v<POLICY<CFG>, MatmulPolicy<CFG>> ||
         std::is_same_v<POLICY<CFG>, NBuffer33MatmulPolicy<CFG>>;
}

template <class TYPE, typename = void>
constexpr bool kIsSparse = false;
template <class TYPE>
constexpr bool kIsSparse<TYPE, std::void_t<decltype(TYPE::indexPosition)>> = true;

template <const auto &CFG, template <const auto &, typename...> class POLICY>
constexpr bool kNineBlocks = std::is_same_v<POLICY<CFG>, AscendC::Impl::Detail::NBuffer33MatmulPolicy<CFG>>;

// Says whether a matrix of this type lies in L1.
template <class TYPE>
constexpr bool kInL1 = SpaceOf(TYPE::pos) == Space::L1;

}  // namespace sim
