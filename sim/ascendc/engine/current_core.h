// SPDX-License-Identifier: Apache-2.0
// The core that runs on this thread. Launch sets it before a block and removes it afterwards.
#pragma once

namespace sim {

class Core;
void SetCurrentCore(Core *core);
bool InKernel();

}  // namespace sim
