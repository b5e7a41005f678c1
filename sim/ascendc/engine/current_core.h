// SPDX-License-Identifier: Apache-2.0
// Which core runs on this thread: set around a block by Launch.
#pragma once

namespace sim {

class Core;
void SetCurrentCore(Core *core);
bool InKernel();

}  // namespace sim
