// SPDX-License-Identifier: Apache-2.0
// Launches a kernel that a library registered, with tensors of the host.
#pragma once

#include <string>
#include <vector>

#include "exe_graph/runtime/tiling_context.h"
#include "operators/project.h"

namespace sim::operators {

// The bytes of all workspaces of a tiling.
uint64_t WorkspaceBytes(const gert::TilingResult &tiling);

// The kernel gets the addresses of the parameters, of the workspace and of the tiling. Throws
// std::runtime_error with the reports of faults, and where the launch cannot be made.
void LaunchKernel(const gert::TilingResult &tiling, const std::string &kernel, const std::string &cores,
                  const std::vector<SimBuffer> &buffers);

}  // namespace sim::operators
