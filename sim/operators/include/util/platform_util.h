// SPDX-License-Identifier: Apache-2.0
// What tilings ask about the device, under the names of CANN's op_common. `Context`: a TilingContext or a
// TilingParseContext.
#pragma once

#include "log/log.h"
#include "register/op_impl_registry.h"
#include "tiling/platform/platform_ascendc.h"

namespace Ops::Base {

template <typename Context>
uint32_t GetAivCoreNum(const Context *context) {
  return platform_ascendc::PlatformAscendC(context->GetPlatformInfo()).GetCoreNumAiv();
}

template <typename Context>
uint32_t GetAicCoreNum(const Context *context) {
  return platform_ascendc::PlatformAscendC(context->GetPlatformInfo()).GetCoreNumAic();
}

template <typename Context>
uint32_t GetUbSize(const Context *context) {
  uint64_t bytes = 0;
  platform_ascendc::PlatformAscendC(context->GetPlatformInfo())
      .GetCoreMemSize(platform_ascendc::CoreMemType::UB, bytes);
  return static_cast<uint32_t>(bytes);
}

template <typename Context>
uint32_t GetWorkspaceSize(const Context *context) {
  return platform_ascendc::PlatformAscendC(context->GetPlatformInfo()).GetLibApiWorkSpaceSize();
}

template <typename Context>
uint32_t GetUbBlockSize(const Context *) {
  return 32;
}

template <typename Context>
uint32_t GetCacheLineSize(const Context *) {
  return 256;
}

}  // namespace Ops::Base
