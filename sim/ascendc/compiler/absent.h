// SPDX-License-Identifier: Apache-2.0
// Intrinsics that CANN's headers call and that are not modelled. A kernel that uses one compiles, and its
// library does not link: the linker names the intrinsic and the kernel.
#pragma once

#include <cstdint>

#define SIM_ABSENT(name)           \
  template <typename... Arguments> \
  int64_t name(Arguments...);

// conversions
SIM_ABSENT(vaddreluconv_vdeqs162b8)

// gathers
SIM_ABSENT(vreduce)

// scalar
SIM_ABSENT(get_arch_ver)
SIM_ABSENT(get_fpc)
SIM_ABSENT(get_l2_in_main)
SIM_ABSENT(get_l2_vaddr_base)
SIM_ABSENT(get_para_base)
SIM_ABSENT(get_smmu_tag_ver)
SIM_ABSENT(get_stack_phy_base)
SIM_ABSENT(get_sys_va_base)
SIM_ABSENT(get_thread_dim)
SIM_ABSENT(get_thread_id)
SIM_ABSENT(set_pcie_rd_ctrl)

// cube
SIM_ABSENT(copy_matrix_cbuf_to_cc)
SIM_ABSENT(copy_matrix_cc_to_cbuf_b4)
SIM_ABSENT(create_ca_matrix_h)
SIM_ABSENT(create_ca_matrix_ui)
SIM_ABSENT(create_cb_matrix_h)
SIM_ABSENT(create_cb_matrix_ui)
SIM_ABSENT(create_cbuf_matrix_h)
SIM_ABSENT(create_cbuf_matrix_ui)
SIM_ABSENT(img2colv2_cbuf_to_ca_s4)
SIM_ABSENT(img2colv2_cbuf_to_ub)
SIM_ABSENT(load_gm_to_ca_s4)
SIM_ABSENT(load_gm_to_cb_s4)
SIM_ABSENT(set_aipp_spr_10)
SIM_ABSENT(set_aipp_spr_11)
SIM_ABSENT(set_aipp_spr_12)
SIM_ABSENT(set_aipp_spr_13)
SIM_ABSENT(set_aipp_spr_14)
SIM_ABSENT(set_aipp_spr_15)
SIM_ABSENT(set_aipp_spr_16)
SIM_ABSENT(set_aipp_spr_17)
SIM_ABSENT(set_aipp_spr_18)
SIM_ABSENT(set_aipp_spr_19)
SIM_ABSENT(set_aipp_spr_20)
SIM_ABSENT(set_aipp_spr_21)
SIM_ABSENT(set_aipp_spr_22)
SIM_ABSENT(set_aipp_spr_23)
SIM_ABSENT(set_aipp_spr_24)
SIM_ABSENT(set_l0a_2d)
SIM_ABSENT(set_l0b_2d)
SIM_ABSENT(set_l1_2d)
SIM_ABSENT(set_lrelu_alpha)
SIM_ABSENT(set_pad_val_outtol1)
SIM_ABSENT(set_pad_val_outtoub)

#undef SIM_ABSENT
