// SPDX-License-Identifier: Apache-2.0
// A small part of the AscendC API on the intrinsics of the device compiler, for tests (../README.md).
#pragma once

#include <cstdint>

using GM_ADDR = __gm__ uint8_t *;

namespace AscendC {

enum CoreType { AIC = 1, AIV = 2 };
enum class TPosition : uint8_t { VECIN, VECOUT };
enum class HardEvent : uint8_t { MTE2_V, V_MTE2, V_MTE3, MTE3_V, S_MTE3, MTE2_S };

}  // namespace AscendC

#ifdef __DAV_CUBE__
constexpr auto g_coreType = AscendC::AIC;
#else
constexpr auto g_coreType = AscendC::AIV;
#endif

// The build puts the workspace of a launch here. The API keeps the first bytes of it for itself.
inline __BLOCK_LOCAL__ __gm__ uint8_t *g_sysWorkspaceReserved = nullptr;

enum KernelMetaType { KERNEL_TYPE_AIV_ONLY, KERNEL_TYPE_AIC_ONLY, KERNEL_TYPE_MIX_AIV_1_0 };

#include "kernel_tensor.h"
#include "kernel_tpipe.h"

#include "impl/dav_c220/kernel_operator_vec_binary_impl.h"

namespace AscendC {

__aicore__ inline GM_ADDR GetUserWorkspace(GM_ADDR) {
  constexpr uint64_t kOwnBytes = 4096;
  return reinterpret_cast<GM_ADDR>(reinterpret_cast<uint64_t>(g_sysWorkspaceReserved) + kOwnBytes);
}

__aicore__ inline int64_t GetBlockIdx() { return get_block_idx(); }
__aicore__ inline int64_t GetBlockNum() { return get_block_num(); }

// Copies of whole data blocks of 32 bytes.
template <typename T>
__aicore__ inline void DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src, uint32_t count) {
  copy_gm_to_ubuf(dst.Pointer(), src.GetPhyAddr(), 0, 1, count * sizeof(T) / 32, 0, 0);
}
template <typename T>
__aicore__ inline void DataCopy(const GlobalTensor<T> &dst, const LocalTensor<T> &src, uint32_t count) {
  copy_ubuf_to_gm(dst.GetPhyAddr(), src.Pointer(), 0, 1, count * sizeof(T) / 32, 0, 0);
}

// Copies of any number of bytes to global memory.
struct DataCopyExtParams {
  uint16_t blockCount;
  uint32_t blockLen;
  uint32_t srcStride;
  uint32_t dstStride;
  uint32_t rsv;
};
template <typename T>
__aicore__ inline void DataCopyPad(const GlobalTensor<T> &dst, const LocalTensor<T> &src,
                                   const DataCopyExtParams &params) {
  static_assert(sizeof(T) == 4, "the small headers copy elements of four bytes");
  copy_ubuf_to_gm_align_b32(dst.GetPhyAddr(), src.Pointer(), 0, params.blockCount, params.blockLen, 0, 0,
                            params.srcStride, params.dstStride);
}

// Writes the line of the data cache that holds the first element back, and forgets it.
enum class CacheLine : uint64_t { SINGLE_CACHE_LINE, ENTIRE_DATA_CACHE };
enum class DcciDst : uint64_t { CACHELINE_ALL, CACHELINE_UB, CACHELINE_OUT };
template <typename T, CacheLine lines, DcciDst memory>
__aicore__ inline void DataCacheCleanAndInvalid(const GlobalTensor<T> &dst) {
  dcci(dst.GetPhyAddr(), static_cast<uint64_t>(lines), static_cast<uint64_t>(memory));
}

// Waits until all vector cores came here.
__aicore__ inline void SyncAll() {
  constexpr uint64_t kFlag = 12;
  pipe_barrier(PIPE_ALL);
  ffts_cross_core_sync(PIPE_MTE3, 1 | kFlag << 8);  // mode 0 in bits 4 and 5: all cores
  wait_flag_dev(kFlag);
}

}  // namespace AscendC
