// SPDX-License-Identifier: Apache-2.0
// Documented names of AscendC that the simulated device does not have. To use one is a compile error that
// says so by name. docs/simulator_api.md lists what there is.
#pragma once

namespace sim {

template <auto...>
constexpr bool kModelled = false;
template <typename...>
constexpr bool kModelledType = false;

}  // namespace sim

#define SIM_ABSENT_TEXT(Name) \
  "AscendC::" #Name " is not modelled by the simulated device; docs/simulator_api.md lists what is"

// Takes any arguments, after up to three types and any values as template arguments. An overload of the
// kernel's own is preferred.
#define SIM_ABSENT(Name)                                                    \
  template <typename... Types>                                              \
  int Name(...) {                                                           \
    static_assert(sim::kModelledType<Types...>, SIM_ABSENT_TEXT(Name));     \
    return 0;                                                               \
  }                                                                         \
  template <auto value, auto... values>                                     \
  int Name(...) {                                                           \
    static_assert(sim::kModelled<value>, SIM_ABSENT_TEXT(Name));            \
    return 0;                                                               \
  }                                                                         \
  template <typename T, auto value, auto... values>                         \
  int Name(...) {                                                           \
    static_assert(sim::kModelledType<T>, SIM_ABSENT_TEXT(Name));            \
    return 0;                                                               \
  }                                                                         \
  template <typename T, typename U, auto value, auto... values>             \
  int Name(...) {                                                           \
    static_assert(sim::kModelledType<T>, SIM_ABSENT_TEXT(Name));            \
    return 0;                                                               \
  }                                                                         \
  template <typename T, typename U, typename V, auto value, auto... values> \
  int Name(...) {                                                           \
    static_assert(sim::kModelledType<T>, SIM_ABSENT_TEXT(Name));            \
    return 0;                                                               \
  }
#define SIM_ABSENT_CLASS(Name)                                          \
  template <typename... Types>                                          \
  class Name {                                                          \
    static_assert(sim::kModelledType<Types...>, SIM_ABSENT_TEXT(Name)); \
                                                                        \
   public:                                                              \
    template <typename... Arguments>                                    \
    Name(Arguments &&...) {}                                            \
  };

namespace AscendC {

// Groups of cube cores
SIM_ABSENT_CLASS(CubeResGroupHandle)
SIM_ABSENT_CLASS(GroupBarrier)
SIM_ABSENT_CLASS(KfcWorkspace)

// Tiling data and kernel types
SIM_ABSENT(COPY_TILING_WITH_ARRAY)
SIM_ABSENT(COPY_TILING_WITH_STRUCT)
SIM_ABSENT(GET_TILING_DATA_PTR_WITH_STRUCT)
SIM_ABSENT(REGISTER_NONE_TILING)
SIM_ABSENT(TILING_KEY_LIST)

// Vector: arithmetic

// Vector: compound arithmetic

// Special registers
SIM_ABSENT(GetSaturationFlag)
SIM_ABSENT(SetSaturationFlag)

// Cube: products
SIM_ABSENT(MmadWithSparse)

// Cube: results

// Cube: loads
SIM_ABSENT(LoadImageToLocal)
SIM_ABSENT(SetAippFunctions)
SIM_ABSENT(SetLoadDataBoundary)
SIM_ABSENT(LoadDataWithSparse)

// Debugging on the CPU
SIM_ABSENT(GmAlloc)
SIM_ABSENT(GmFree)
SIM_ABSENT(ICPU_RUN_KF)
SIM_ABSENT(SetKernelMode)

// Memory of a core
SIM_ABSENT(EXTERN_IMPL_BUFPOOL)

// Descriptions of tensors
SIM_ABSENT(Crd2Idx)
SIM_ABSENT(MakeCoord)
SIM_ABSENT_CLASS(Layout)
SIM_ABSENT(MakeLayout)
SIM_ABSENT(MakeShape)
SIM_ABSENT(MakeStride)
SIM_ABSENT(is_layout)
SIM_ABSENT(MakeTensorTrait)
SIM_ABSENT_CLASS(TensorTrait)
SIM_ABSENT(is_tensorTrait)

// High-level: convolution
SIM_ABSENT_CLASS(Conv3D)
SIM_ABSENT_CLASS(Conv3DBackpropFilter)
SIM_ABSENT_CLASS(Conv3DBackpropInput)

// High-level: tensors
SIM_ABSENT(Pad)
SIM_ABSENT(TransData)
SIM_ABSENT(UnPad)

// High-level: normalisation
SIM_ABSENT(BatchNorm)
SIM_ABSENT(DeepNorm)
SIM_ABSENT(GroupNorm)
SIM_ABSENT(LayerNorm)
SIM_ABSENT(LayerNormGrad)
SIM_ABSENT(LayerNormGradBeta)
SIM_ABSENT(Normalize)
SIM_ABSENT(RmsNorm)
SIM_ABSENT(WelfordFinalize)
SIM_ABSENT(WelfordUpdate)

// High-level: reduction
SIM_ABSENT(Mean)
SIM_ABSENT(ReduceAll)
SIM_ABSENT(ReduceAny)
SIM_ABSENT(ReduceMean)
SIM_ABSENT(ReduceProd)
SIM_ABSENT(ReduceXorSum)
SIM_ABSENT(Sum)

// High-level: sorting
SIM_ABSENT(TopK)

// High-level: mathematics
SIM_ABSENT(Acosh)
SIM_ABSENT(Acos)
SIM_ABSENT(Asinh)
SIM_ABSENT(Asin)
SIM_ABSENT(Atanh)
SIM_ABSENT(Atan)
SIM_ABSENT(ClampMax)
SIM_ABSENT(ClampMin)
SIM_ABSENT(Cosh)
SIM_ABSENT(Cos)
SIM_ABSENT(CumSum)
SIM_ABSENT(Digamma)
SIM_ABSENT(Erfc)
SIM_ABSENT(Erf)
SIM_ABSENT(Fmod)
SIM_ABSENT(Frac)
SIM_ABSENT(Lgamma)
SIM_ABSENT(Log)
SIM_ABSENT(Log2)
SIM_ABSENT(Log10)
SIM_ABSENT(Power)
SIM_ABSENT(Sign)
SIM_ABSENT(Sinh)
SIM_ABSENT(Sin)
SIM_ABSENT(Tanh)
SIM_ABSENT(Tan)
SIM_ABSENT(Xor)

// High-level: filtering
SIM_ABSENT(DropOut)

// High-level: activation
SIM_ABSENT(GeGLU)
SIM_ABSENT(FasterGelu)
SIM_ABSENT(FasterGeluV2)
SIM_ABSENT(Gelu)
SIM_ABSENT(LogSoftMax)
SIM_ABSENT(ReGlu)
SIM_ABSENT(Sigmoid)
SIM_ABSENT(Silu)
SIM_ABSENT(AdjustSoftMaxRes)
SIM_ABSENT(SimpleSoftMax)
SIM_ABSENT(SoftMax)
SIM_ABSENT(SoftmaxFlash)
SIM_ABSENT(SoftmaxFlashV2)
SIM_ABSENT(SoftmaxFlashV3)
SIM_ABSENT(SoftmaxGrad)
SIM_ABSENT(SoftmaxGradFront)
SIM_ABSENT(SwiGLU)
SIM_ABSENT(Swish)

// High-level: Matmul
SIM_ABSENT(MATMUL_POLICY_DEFAULT_OF)

// High-level: quantisation
SIM_ABSENT(AscendAntiQuant)
SIM_ABSENT(AscendDequant)
SIM_ABSENT(AscendQuant)

// High-level: communication
SIM_ABSENT_CLASS(Hccl)

}  // namespace AscendC

#undef SIM_ABSENT_CLASS
#undef SIM_ABSENT
