// SPDX-License-Identifier: Apache-2.0
// Template arguments of a kernel that its tiling key chooses, under CANN's names. A header that the tiling
// and the kernel include declares the parameters and lists the combinations that the kernel is compiled for:
//
//     ASCENDC_TPL_ARGS_DECL(MyOp,                            template <typename T, int TILES, bool SPLIT>
//         ASCENDC_TPL_DATATYPE_DECL(T, C_DT_FLOAT),          __global__ __aicore__ void my_op(…)
//         ASCENDC_TPL_UINT_DECL(TILES, 4, ASCENDC_TPL_UI_LIST, 8, 2),
//         ASCENDC_TPL_BOOL_DECL(SPLIT, 0, 1));               tiling: GET_TPL_TILING_KEY(dtype, 2, 1)
//
//     key:   bit 12    bits 8 to 11     bits 0 to 7
//            SPLIT     place of TILES   number of T
//
// The place is that in the list of values: 1 for the 2 above. All other parameters stand in the key
// themselves.
//
// With ASCENDC_TPL_PRE the preprocessor leaves the lists in its text for ascend_vision_ops.sim.operator; with
// ASCENDC_TPL_KERNEL, in kernels, the lists are empty.
#pragma once

#include <cstdint>

// Kernel types of ASCENDC_TPL_KERNEL_TYPE_SEL and ASCENDC_TPL_KERNEL_TYPE_DECL.
#define ASCENDC_TPL_AIV_ONLY 0
#define ASCENDC_TPL_AIC_ONLY 1
#define ASCENDC_TPL_MIX_AIV_1_0 4
#define ASCENDC_TPL_MIX_AIC_1_0 5
#define ASCENDC_TPL_MIX_AIC_1_1 6
#define ASCENDC_TPL_MIX_AIC_1_2 7
#define ASCENDC_TPL_AICORE 8
#define ASCENDC_TPL_VECTORCORE 9
#define ASCENDC_TPL_MIX_AICORE 10
#define ASCENDC_TPL_MIX_VECTOR_CORE 11
#define ASCENDC_TPL_MAX 12

// Bits of a parameter in the key.
#define ASCENDC_TPL_1_BW 1
#define ASCENDC_TPL_2_BW 2
#define ASCENDC_TPL_4_BW 4
#define ASCENDC_TPL_8_BW 8

// Kinds of parameters.
#define ASCENDC_TPL_DTYPE 0
#define ASCENDC_TPL_FORMAT 1
#define ASCENDC_TPL_UINT 2
#define ASCENDC_TPL_BOOL 3
constexpr uint32_t ASCENDC_TPL_KERNEL_TYPE = 4;
constexpr uint32_t ASCENDC_TPL_DETERMINISTIC = 5;
constexpr uint32_t ASCENDC_TPL_SHARED_KERNEL_TYPE = 6;

// A dtype or format that is the one of an input or a result.
#define ASCENDC_TPL_INPUT_BIAS 100000000
#define ASCENDC_TPL_OUTPUT_BIAS 900000000
#define ASCENDC_TPL_INPUT(x) (ASCENDC_TPL_INPUT_BIAS + (x))
#define ASCENDC_TPL_OUTPUT(x) (ASCENDC_TPL_OUTPUT_BIAS + (x))

// How the values of an integer are listed: `ranges, first, last, …`, or each one, or ranges and then each
// one.
#define ASCENDC_TPL_UI_RANGE 0
#define ASCENDC_TPL_UI_LIST 1
#define ASCENDC_TPL_UI_MIX 2

#if defined(ASCENDC_TPL_PRE)
// Words for the reader of the lists, no C++.
#define SIM_TPL_LISTED(place, kind, name, ...) \
  sim_tpl_list #place #kind name { __VA_ARGS__ }
#define ASCENDC_TPL_DTYPE_DECL(x, ...) SIM_TPL_LISTED(DECL, DTYPE, #x, __VA_ARGS__)
#define ASCENDC_TPL_DATATYPE_DECL(x, ...) SIM_TPL_LISTED(DECL, DATATYPE, #x, __VA_ARGS__)
#define ASCENDC_TPL_FORMAT_DECL(x, ...) SIM_TPL_LISTED(DECL, FORMAT, #x, __VA_ARGS__)
#define ASCENDC_TPL_UINT_DECL(x, ...) SIM_TPL_LISTED(DECL, UINT, #x, __VA_ARGS__)
#define ASCENDC_TPL_BOOL_DECL(x, ...) SIM_TPL_LISTED(DECL, BOOL, #x, __VA_ARGS__)
#define ASCENDC_TPL_KERNEL_TYPE_DECL(x, ...) SIM_TPL_LISTED(DECL, SHARED_KERNEL_TYPE, #x, __VA_ARGS__)

#define ASCENDC_TPL_DTYPE_SEL(x, ...) SIM_TPL_LISTED(SEL, DTYPE, #x, __VA_ARGS__)
#define ASCENDC_TPL_DATATYPE_SEL(x, ...) SIM_TPL_LISTED(SEL, DATATYPE, #x, __VA_ARGS__)
#define ASCENDC_TPL_FORMAT_SEL(x, ...) SIM_TPL_LISTED(SEL, FORMAT, #x, __VA_ARGS__)
#define ASCENDC_TPL_UINT_SEL(x, ...) SIM_TPL_LISTED(SEL, UINT, #x, __VA_ARGS__)
#define ASCENDC_TPL_BOOL_SEL(x, ...) SIM_TPL_LISTED(SEL, BOOL, #x, __VA_ARGS__)
#define ASCENDC_TPL_SHARED_KERNEL_TYPE_SEL(x, ...) SIM_TPL_LISTED(SEL, SHARED_KERNEL_TYPE, #x, __VA_ARGS__)
#define ASCENDC_TPL_TILING_STRUCT_SEL(x, ...) SIM_TPL_LISTED(SEL, TILING_STRUCT, #x, __VA_ARGS__)
#define ASCENDC_TPL_KERNEL_TYPE_SEL(...) SIM_TPL_LISTED(SEL, KERNEL_TYPE, "", __VA_ARGS__)
#define ASCENDC_TPL_DETERMINISTIC_SEL(...) SIM_TPL_LISTED(SEL, DETERMINISTIC, "", __VA_ARGS__)

#define ASCENDC_TPL_ARGS_DECL(x, ...) \
  sim_tpl_declared { __VA_ARGS__ }
#define ASCENDC_TPL_ARGS_SEL(...) \
  sim_tpl_combination { __VA_ARGS__ }
#define ASCENDC_TPL_SEL(...) \
  sim_tpl_combinations { __VA_ARGS__ }

#elif defined(ASCENDC_TPL_KERNEL)

#include "kernel_operator.h"

// The type of a dtype's number.
template <int kNumber>
struct TypeFromId {
  using type = void;
};
#define SIM_TPL_TYPE(number, name) \
  template <>                      \
  struct TypeFromId<number> {      \
    using type = name;             \
  }
SIM_TPL_TYPE(0, float);
SIM_TPL_TYPE(1, half);
SIM_TPL_TYPE(2, int8_t);
SIM_TPL_TYPE(3, int32_t);
SIM_TPL_TYPE(4, uint8_t);
SIM_TPL_TYPE(6, int16_t);
SIM_TPL_TYPE(7, uint16_t);
SIM_TPL_TYPE(8, uint32_t);
SIM_TPL_TYPE(9, int64_t);
SIM_TPL_TYPE(10, uint64_t);
SIM_TPL_TYPE(11, double);
SIM_TPL_TYPE(12, bool);
SIM_TPL_TYPE(27, bfloat16_t);
SIM_TPL_TYPE(29, AscendC::int4b_t);
#undef SIM_TPL_TYPE

#define ASCENDC_TPL_ARGS_DECL(...)
#define ASCENDC_TPL_SEL(...)

#else

#include <cstddef>
#include <initializer_list>
#include <string>
#include <vector>

// A declared parameter; of an integer, `values` has first how they are listed.
struct SimTplParameter {
  const char *name;
  uint32_t kind;
  uint32_t bits;
  std::vector<uint64_t> values;
};
using TilingDeclareParams = std::vector<SimTplParameter>;

namespace AscendC {

// The tiling key of these template arguments; throws std::invalid_argument where they are not those declared.
__attribute__((visibility("default"))) uint64_t EncodeTilingKey(const TilingDeclareParams &declared,
                                                                const std::vector<uint64_t> &values);

}  // namespace AscendC

#define SIM_TPL_DECL(x, kind, bits, ...) \
  SimTplParameter {                      \
    #x, kind, bits, { __VA_ARGS__ }      \
  }
#define ASCENDC_TPL_DTYPE_DECL(x, ...) SIM_TPL_DECL(x, ASCENDC_TPL_DTYPE, ASCENDC_TPL_8_BW, __VA_ARGS__)
#define ASCENDC_TPL_DATATYPE_DECL(x, ...) SIM_TPL_DECL(x, ASCENDC_TPL_DTYPE, ASCENDC_TPL_8_BW)
#define ASCENDC_TPL_FORMAT_DECL(x, ...) SIM_TPL_DECL(x, ASCENDC_TPL_FORMAT, ASCENDC_TPL_8_BW)
#define ASCENDC_TPL_UINT_DECL(x, bits, ...) SIM_TPL_DECL(x, ASCENDC_TPL_UINT, bits, __VA_ARGS__)
#define ASCENDC_TPL_BOOL_DECL(x, ...) SIM_TPL_DECL(x, ASCENDC_TPL_BOOL, ASCENDC_TPL_1_BW, __VA_ARGS__)
#define ASCENDC_TPL_KERNEL_TYPE_DECL(x, ...) \
  SIM_TPL_DECL(x, ASCENDC_TPL_SHARED_KERNEL_TYPE, ASCENDC_TPL_8_BW, __VA_ARGS__)
#define ASCENDC_TPL_ARGS_DECL(x, ...) \
  [[maybe_unused]] static const TilingDeclareParams g_tilingDeclareParams { __VA_ARGS__ }
// Which combinations there are is asked where the kernel is built.
#define ASCENDC_TPL_SEL(...)

#define GET_TPL_TILING_KEY(...) AscendC::EncodeTilingKey(g_tilingDeclareParams, {__VA_ARGS__})
#define ASCENDC_TPL_SEL_PARAM(context, ...) (context)->SetTilingKey(GET_TPL_TILING_KEY(__VA_ARGS__))

#endif
