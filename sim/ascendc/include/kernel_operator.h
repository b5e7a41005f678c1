// SPDX-License-Identifier: Apache-2.0
// The AscendC API on a host CPU. Kernels include this one file.
#pragma once

#include "kernel_builtins.h"
#include "kernel_common.h"
#include "kernel_constants.h"
#include "kernel_local_mem_allocator.h"
#include "kernel_macros.h"
#include "kernel_std.h"
#include "kernel_tensor.h"
#include "kernel_tensor_operators.h"
#include "kernel_tpipe.h"
#include "kernel_utils.h"

#include "kernel_operator_block_sync_intf.h"
#include "kernel_operator_cache_intf.h"
#include "kernel_operator_common_intf.h"
#include "kernel_operator_data_copy_intf.h"
#include "kernel_operator_dump_tensor_intf.h"
#include "kernel_operator_fixpipe_intf.h"
#include "kernel_operator_limits_intf.h"
#include "kernel_operator_mm_intf.h"
#include "kernel_operator_proposal_intf.h"
#include "kernel_operator_scalar_intf.h"
#include "kernel_operator_set_atomic_intf.h"
#include "kernel_operator_sys_var_intf.h"
#include "kernel_operator_vec_binary_intf.h"
#include "kernel_operator_vec_binary_scalar_intf.h"
#include "kernel_operator_vec_brcb_intf.h"
#include "kernel_operator_vec_cmpsel_intf.h"
#include "kernel_operator_vec_createvecindex_intf.h"
#include "kernel_operator_vec_duplicate_intf.h"
#include "kernel_operator_vec_gather_intf.h"
#include "kernel_operator_vec_gather_mask_intf.h"
#include "kernel_operator_vec_reduce_intf.h"
#include "kernel_operator_vec_ternary_scalar_intf.h"
#include "kernel_operator_vec_transpose_intf.h"
#include "kernel_operator_vec_unary_intf.h"
#include "kernel_operator_vec_vconv_intf.h"

#include "adv_api/kernel_api.h"

#include "kernel_absent.h"  // last: what no header above declares
