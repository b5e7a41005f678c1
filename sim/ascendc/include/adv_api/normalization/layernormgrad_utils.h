// SPDX-License-Identifier: Apache-2.0
// The format of the operands of LayerNormGrad.
#pragma once

#include "../../kernel_tensor.h"

namespace AscendC {

struct LayerNormGradShapeInfo {
  DataFormat dataFormat = DataFormat::ND;
};

}  // namespace AscendC
