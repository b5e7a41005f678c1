// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../adv_api/matmul/matmul_intf.h"
