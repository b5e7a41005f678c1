// SPDX-License-Identifier: Apache-2.0
// The AscendC API on a host CPU: one include, as kernels write it.
#pragma once

#include "kernel_common.h"
#include "kernel_constants.h"
#include "kernel_macros.h"
#include "kernel_tensor.h"
#if __has_include("kernel_tpipe.h")
#include "kernel_tpipe.h"
#endif

#include "kernel_operator_data_copy_intf.h"
#include "kernel_operator_vec_binary_intf.h"
#include "kernel_operator_vec_binary_scalar_intf.h"
#include "kernel_operator_vec_cmpsel_intf.h"
#include "kernel_operator_vec_createvecindex_intf.h"
#include "kernel_operator_vec_duplicate_intf.h"
#include "kernel_operator_vec_ternary_scalar_intf.h"
#include "kernel_operator_vec_unary_intf.h"
#include "kernel_operator_vec_vconv_intf.h"
