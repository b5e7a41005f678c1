// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "bridge.h"

namespace sim::builtin {

// Returns a step of a stream that runs `body` on the views as ATen's tensors. `name` is the function's in
// messages, and must outlive the step.
HostFunction OnTensors(const char *name, std::function<void(const Tensors &)> body);

}  // namespace sim::builtin
