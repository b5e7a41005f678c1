// SPDX-License-Identifier: Apache-2.0
// The device that a call is for.
#pragma once

#include <initializer_list>

#include "op_host/common/tensors/status.h"

namespace avo {

// Fails where the kernels of an operator are for other devices than the one of this thread. `socs` are names
// of the operator definition, such as ascend910b, which is the beginning of Ascend910B3.
Status CheckDevice(std::initializer_list<const char *> socs);

}  // namespace avo
