// SPDX-License-Identifier: Apache-2.0
#include "tiling/platform/platform_ascendc.h"

#include <cmath>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "ascendc/engine/device_model.h"
#include "platform/platform_infos_def.h"
#include "runtime/device.h"
#include "sim/platform_infos.h"

namespace fe {

bool PlatFormInfos::GetPlatformRes(const std::string &label, const std::string &key, std::string &value) const {
  const std::map<std::string, std::string> known = {
      {"version/SoC_version", model.soc},
      {"version/Short_SoC_version", "Ascend910B"},
      {"SoCInfo/ai_core_cnt", std::to_string(model.cube_cores)},
      {"SoCInfo/cube_core_cnt", std::to_string(model.cube_cores)},
      {"SoCInfo/vector_core_cnt", std::to_string(model.vector_cores)},
      {"AICoreSpec/ub_size", std::to_string(model.bytes[static_cast<int>(sim::Space::UB)])},
      {"AICoreintrinsicDtypeMap/Intrinsic_fix_pipe_l0c2out", "float16,float32,int32"},
  };
  const auto found = known.find(label + "/" + key);
  if (found != known.end()) value = found->second;
  return found != known.end();
}

}  // namespace fe

namespace platform_ascendc {
namespace {

constexpr uint64_t kReservedLocalBytes = 256;
constexpr uint32_t kLibApiWorkspaceBytes = 16 * 1024 * 1024;
constexpr uint32_t kGroupWorkspaceBytes = 1024 * 1024;
constexpr uint32_t kVectorCoresOfBlock = 2;

uint64_t BytesOf(const sim::DeviceModel &model, sim::Space space) {
  return model.bytes[static_cast<int>(space)];
}

struct Instance {
  explicit Instance(const sim::DeviceModel &model) : infos(model), platform(&infos) {}
  fe::PlatFormInfos infos;
  PlatformAscendC platform;
};

// The device of that name; for nullptr the simulated one, with the size that it has now.
Instance &InstanceOf(const char *soc) {
  static std::mutex mutex;
  static auto *instances = new std::map<const sim::DeviceModel *, std::unique_ptr<Instance>>;
  const sim::DeviceModel &model = soc != nullptr
                                      ? sim::DeviceModel::Find(soc)
                                      : sim::runtime::Sized(sim::DeviceModel::Find(sim::runtime::SocName()));
  std::lock_guard<std::mutex> lock(mutex);
  std::unique_ptr<Instance> &instance = (*instances)[&model];
  if (instance == nullptr) instance = std::make_unique<Instance>(model);
  return *instance;
}

}  // namespace

uint32_t PlatformAscendC::GetCoreNum(void) const { return platformInfo_->model.cube_cores; }

uint32_t PlatformAscendC::GetCoreNumAic(void) const { return platformInfo_->model.cube_cores; }

uint32_t PlatformAscendC::GetCoreNumAiv(void) const { return platformInfo_->model.vector_cores; }

uint32_t PlatformAscendC::GetCoreNumVector(void) const { return 0; }

// A mixed block is one cube core with its vector cores. The result is as many blocks as the slices need, and
// at most as many as there are cube cores.
uint32_t PlatformAscendC::CalcTschNumBlocks(uint32_t sliceNum, uint32_t aicCoreNum,
                                            uint32_t aivCoreNum) const {
  if (aicCoreNum == 0 || aivCoreNum == 0 || aicCoreNum > aivCoreNum) return sliceNum;
  const uint32_t ratio = aivCoreNum / aicCoreNum;
  const uint32_t blocks = (sliceNum + ratio - 1) / ratio;
  return ratio == kVectorCoresOfBlock && blocks > aicCoreNum ? 0 : blocks;
}

uint32_t PlatformAscendC::CalcTschBlockDim(uint32_t sliceNum, uint32_t aicCoreNum,
                                           uint32_t aivCoreNum) const {
  return CalcTschNumBlocks(sliceNum, aicCoreNum, aivCoreNum);
}

uint32_t PlatformAscendC::GetLibApiWorkSpaceSize(void) const { return kLibApiWorkspaceBytes; }

uint32_t PlatformAscendC::GetResCubeGroupWorkSpaceSize(void) const { return kGroupWorkspaceBytes; }

uint32_t PlatformAscendC::GetResGroupBarrierWorkSpaceSize(void) const { return kGroupWorkspaceBytes; }

void PlatformAscendC::GetCoreMemSize(const CoreMemType &memType, uint64_t &size) const {
  const sim::DeviceModel &model = platformInfo_->model;
  switch (memType) {
    case CoreMemType::L0_A:
      size = BytesOf(model, sim::Space::L0A);
      return;
    case CoreMemType::L0_B:
      size = BytesOf(model, sim::Space::L0B);
      return;
    case CoreMemType::L0_C:
      size = BytesOf(model, sim::Space::L0C);
      return;
    case CoreMemType::L1:
      size = BytesOf(model, sim::Space::L1) - kReservedLocalBytes;
      return;
    case CoreMemType::L2:
      size = model.l2_bytes;
      return;
    case CoreMemType::UB:
      size = BytesOf(model, sim::Space::UB) - kReservedLocalBytes - reservedMemSize_;
      return;
    case CoreMemType::HBM:
      size = BytesOf(model, sim::Space::GM);
      return;
    case CoreMemType::FB:
      size = BytesOf(model, sim::Space::FB);
      return;
    case CoreMemType::BT:
      size = BytesOf(model, sim::Space::BT);
      return;
    case CoreMemType::RESERVED:
      return;
  }
}

void PlatformAscendC::GetCoreMemBw(const CoreMemType &memType, uint64_t &bwSize) const {
  const sim::DeviceModel &model = platformInfo_->model;
  const double cycles = model.clock_ghz * 1e9 * model.cube_cores;
  if (memType == CoreMemType::HBM) {
    bwSize = static_cast<uint64_t>(std::lround(model.hbm_bytes_per_second / cycles));
  } else if (memType == CoreMemType::L2) {
    bwSize = static_cast<uint64_t>(std::lround(model.l2_bytes_per_second / cycles));
  }
}

void PlatformAscendC::ReserveLocalMemory(ReservedSize size) {
  switch (size) {
    case ReservedSize::RESERVED_SIZE_8K:
      reservedMemSize_ = 8 * 1024;
      return;
    case ReservedSize::RESERVED_SIZE_16K:
      reservedMemSize_ = 16 * 1024;
      return;
    case ReservedSize::RESERVED_SIZE_32K:
      reservedMemSize_ = 32 * 1024;
      return;
  }
}

SocVersion PlatformAscendC::GetSocVersion(void) const { return SocVersion::ASCEND910B; }

NpuArch PlatformAscendC::GetCurNpuArch(void) const { return NpuArch::DAV_2201; }

// Ascend 910B computes on the Unified Buffer; it has no vector registers.
uint32_t PlatformAscendC::GetVecRegLen(void) const { return 0; }

PlatformAscendC *PlatformAscendCManager::GetInstance() { return GetInstance(nullptr); }

PlatformAscendC *PlatformAscendCManager::GetInstance(const char *customSocVersion) {
  return &InstanceOf(customSocVersion).platform;
}

}  // namespace platform_ascendc

namespace sim {

fe::PlatFormInfos *PlatformInfos() { return &platform_ascendc::InstanceOf(nullptr).infos; }

}  // namespace sim
