// SPDX-License-Identifier: Apache-2.0
// What tiling may ask about a device, with the names and values of CANN's tiling API.
#pragma once

#include <cstdint>

#include "platform/soc_spec.h"

namespace fe {
class PlatFormInfos;
}

namespace platform_ascendc {

enum class CoreMemType {
  L0_A = 0,
  L0_B = 1,
  L0_C = 2,
  L1 = 3,
  L2 = 4,
  UB = 5,
  HBM = 6,
  FB = 7,
  BT = 8,
  RESERVED
};

enum class SocVersion {
  ASCEND910 = 0,
  ASCEND910B,
  ASCEND310P,
  ASCEND310B,
  ASCEND950,
  ASCEND910_55,
  ASCEND910_95 = ASCEND950,
  AS31XM1,
  ASCEND031,
  ASCEND035,
  ASCEND310,
  ASCEND610,
  ASCEND610Lite,
  ASCEND910_93,
  RESERVED_VERSION = 99999,
};

enum class ReservedSize { RESERVED_SIZE_8K, RESERVED_SIZE_16K, RESERVED_SIZE_32K };

class __attribute__((visibility("default"))) PlatformAscendC {
 public:
  PlatformAscendC() = delete;
  ~PlatformAscendC() = default;
  explicit PlatformAscendC(fe::PlatFormInfos *platformInfo) : platformInfo_(platformInfo) {}

  uint32_t GetCoreNum(void) const;  // AI cores
  uint32_t GetCoreNumAic(void) const;
  uint32_t GetCoreNumAiv(void) const;
  uint32_t GetCoreNumVector(void) const;  // extra vector cores, which only Ascend 310P has
  uint32_t CalcTschBlockDim(uint32_t sliceNum, uint32_t aicCoreNum, uint32_t aivCoreNum) const;
  uint32_t CalcTschNumBlocks(uint32_t sliceNum, uint32_t aicCoreNum, uint32_t aivCoreNum) const;
  uint32_t GetLibApiWorkSpaceSize(void) const;
  uint32_t GetResCubeGroupWorkSpaceSize(void) const;
  uint32_t GetResGroupBarrierWorkSpaceSize(void) const;
  // In bytes. For UB and L1 it is 256 less than there are, which CANN keeps for itself.
  void GetCoreMemSize(const CoreMemType &memType, uint64_t &size) const;
  // In bytes for each cycle of one AI core, for L2 and HBM only.
  void GetCoreMemBw(const CoreMemType &memType, uint64_t &bwSize) const;
  void ReserveLocalMemory(ReservedSize size);
  SocVersion GetSocVersion(void) const;
  NpuArch GetCurNpuArch(void) const;
  uint32_t GetVecRegLen(void) const;

 private:
  fe::PlatFormInfos *platformInfo_;
  uint32_t reservedMemSize_ = 0;
};

class __attribute__((visibility("default"))) PlatformAscendCManager {
 public:
  PlatformAscendCManager() = delete;

  // Returns the simulated device. Throws std::invalid_argument, which lists the known devices, for any other
  // name.
  static PlatformAscendC *GetInstance();
  static PlatformAscendC *GetInstance(const char *customSocVersion);
};

}  // namespace platform_ascendc
