// SPDX-License-Identifier: Apache-2.0
// The description of the simulated device that contexts of tilings refer to.
#pragma once

namespace fe {
class PlatFormInfos;
}

namespace sim {

__attribute__((visibility("default"))) fe::PlatFormInfos *PlatformInfos();

}  // namespace sim
