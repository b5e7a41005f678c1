// SPDX-License-Identifier: Apache-2.0
// printf of kernels. In the programs of `avo sim run` a plain `printf` in a kernel is it too.
#pragma once

#include "../../kernel_operator.h"
