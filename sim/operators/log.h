// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace sim::operators {

// Returns what host code of operators reported as errors on this thread since the last call.
std::string TakeErrors();

}  // namespace sim::operators
