// SPDX-License-Identifier: Apache-2.0
// Operators that resample: pads, poolings, upsamplings, grids, patches.
#include <ATen/ATen.h>

#include "table.h"

namespace {

using Ints = std::vector<int64_t>;
using Scale = std::optional<double>;

// A scale that is not given is 0 or -1.
Scale Given(double scale) { return scale > 0 ? Scale(scale) : std::nullopt; }

std::optional<int64_t> Divisor(int64_t divisor) {
  return divisor != 0 ? std::optional<int64_t>(divisor) : std::nullopt;
}

at::Tensor Linear2d(const at::Tensor &self, const Ints &size, bool corners, double h, double w) {
  return at::upsample_bilinear2d(self, size, corners, Given(h), Given(w));
}
at::Tensor Linear2dAa(const at::Tensor &self, const Ints &size, bool corners, double h, double w) {
  return at::_upsample_bilinear2d_aa(self, size, corners, Given(h), Given(w));
}
at::Tensor Cubic2d(const at::Tensor &self, const Ints &size, bool corners, double h, double w) {
  return at::upsample_bicubic2d(self, size, corners, Given(h), Given(w));
}
at::Tensor Cubic2dAa(const at::Tensor &self, const Ints &size, bool corners, double h, double w) {
  return at::_upsample_bicubic2d_aa(self, size, corners, Given(h), Given(w));
}
at::Tensor Linear2dGradient(const at::Tensor &grad, const Ints &size, const Ints &input, bool corners,
                            double h, double w) {
  return at::upsample_bilinear2d_backward(grad, size, input, corners, Given(h), Given(w));
}
at::Tensor Linear2dAaGradient(const at::Tensor &grad, const Ints &size, const Ints &input, bool corners,
                              double h, double w) {
  return at::_upsample_bilinear2d_aa_backward(grad, size, input, corners, Given(h), Given(w));
}
at::Tensor Cubic2dGradient(const at::Tensor &grad, const Ints &size, const Ints &input, bool corners,
                           double h, double w) {
  return at::upsample_bicubic2d_backward(grad, size, input, corners, Given(h), Given(w));
}
at::Tensor Cubic2dAaGradient(const at::Tensor &grad, const Ints &size, const Ints &input, bool corners,
                             double h, double w) {
  return at::_upsample_bicubic2d_aa_backward(grad, size, input, corners, Given(h), Given(w));
}
at::Tensor Linear3d(const at::Tensor &self, const Ints &size, bool corners, double d, double h, double w) {
  return at::upsample_trilinear3d(self, size, corners, Given(d), Given(h), Given(w));
}
at::Tensor Linear3dGradient(const at::Tensor &grad, const Ints &size, const Ints &input, bool corners,
                            double d, double h, double w) {
  return at::upsample_trilinear3d_backward(grad, size, input, corners, Given(d), Given(h), Given(w));
}

}  // namespace

// aclnnUpsampleNearest… and aclnnUpsampleNearestExact…, with their gradients. The type of the forward scales
// differs.
#define NEAREST1D(name, Scales, function) \
  ACLNN(name, In(self), Ints(size), Scales(l), Out(out)) { out.copy_(at::function(self, size, ::Given(l))); }
#define NEAREST1D_GRADIENT(name, function)                                        \
  ACLNN(name##Backward, In(grad), Ints(size), Ints(input), Double(l), Out(out)) { \
    out.copy_(at::function##_backward(grad, size, input, ::Given(l)));            \
  }
#define NEAREST2D(name, Scales, function)                             \
  ACLNN(name, In(self), Ints(size), Scales(h), Scales(w), Out(out)) { \
    out.copy_(at::function(self, size, ::Given(h), ::Given(w)));      \
  }
#define NEAREST2D_GRADIENT(name, function)                                                   \
  ACLNN(name##Backward, In(grad), Ints(size), Ints(input), Double(h), Double(w), Out(out)) { \
    out.copy_(at::function##_backward(grad, size, input, ::Given(h), ::Given(w)));           \
  }
#define NEAREST3D(name, function)                                                                       \
  ACLNN(name, In(self), Ints(size), Double(d), Double(h), Double(w), Out(out)) {                        \
    out.copy_(at::function(self, size, ::Given(d), ::Given(h), ::Given(w)));                            \
  }                                                                                                     \
  ACLNN(name##Backward, In(grad), Ints(size), Ints(input), Double(d), Double(h), Double(w), Out(out)) { \
    out.copy_(at::function##_backward(grad, size, input, ::Given(d), ::Given(h), ::Given(w)));          \
  }

NEAREST1D(UpsampleNearest1dV2, Float, upsample_nearest1d)
NEAREST1D(UpsampleNearestExact1d, Double, _upsample_nearest_exact1d)
NEAREST1D_GRADIENT(UpsampleNearest1d, upsample_nearest1d)
NEAREST1D_GRADIENT(UpsampleNearestExact1d, _upsample_nearest_exact1d)
NEAREST2D(UpsampleNearest2dV2, Float, upsample_nearest2d)
NEAREST2D(UpsampleNearestExact2d, Double, _upsample_nearest_exact2d)
NEAREST2D_GRADIENT(UpsampleNearest2d, upsample_nearest2d)
NEAREST2D_GRADIENT(UpsampleNearestExact2d, _upsample_nearest_exact2d)
NEAREST3D(UpsampleNearest3d, upsample_nearest3d)
NEAREST3D(UpsampleNearestExact3d, _upsample_nearest_exact3d)

ATEN(UpsampleBilinear2d, Linear2d, (In(self), Ints(size), Bool(corners), Double(h), Double(w)), Out(out))
ATEN(UpsampleBilinear2dAA, Linear2dAa, (In(self), Ints(size), Bool(corners), Double(h), Double(w)), Out(out))
ATEN(UpsampleBicubic2d, Cubic2d, (In(self), Ints(size), Bool(corners), Double(h), Double(w)), Out(out))
ATEN(UpsampleBicubic2dAA, Cubic2dAa, (In(self), Ints(size), Bool(corners), Double(h), Double(w)), Out(out))
ATEN(UpsampleBilinear2dBackwardV2, Linear2dGradient,
     (In(grad), Ints(size), Ints(input), Bool(corners), Double(h), Double(w)), Out(out))
ATEN(UpsampleBilinear2dAABackward, Linear2dAaGradient,
     (In(grad), Ints(size), Ints(input), Bool(corners), Double(h), Double(w)), Out(out))
ATEN(UpsampleBicubic2dBackward, Cubic2dGradient,
     (In(grad), Ints(size), Ints(input), Bool(corners), Double(h), Double(w)), Out(out))
ATEN(UpsampleBicubic2dAAGrad, Cubic2dAaGradient,
     (In(grad), Ints(size), Ints(input), Bool(corners), Double(h), Double(w)), Out(out))
ATEN(UpsampleTrilinear3d, Linear3d, (In(self), Ints(size), Bool(corners), Double(d), Double(h), Double(w)),
     Out(out))
ATEN(UpsampleTrilinear3dBackward, Linear3dGradient,
     (In(grad), Ints(size), Ints(input), Bool(corners), Double(d), Double(h), Double(w)), Out(out))

#define PAD(name, function)                                     \
  ATEN(name, at::function, (In(self), Ints(padding)), Out(out)) \
  ATEN(name##Backward, at::function##_backward, (In(grad), In(self), Ints(padding)), Out(out))
PAD(ReflectionPad1d, reflection_pad1d)
PAD(ReflectionPad2d, reflection_pad2d)
PAD(ReflectionPad3d, reflection_pad3d)
PAD(ReplicationPad1d, replication_pad1d)
PAD(ReplicationPad2d, replication_pad2d)
PAD(ReplicationPad3d, replication_pad3d)

ATEN(AdaptiveAvgPool3d, at::_adaptive_avg_pool3d, (In(self), Ints(size)), Out(out))
ATEN(AdaptiveAvgPool3dBackward, at::_adaptive_avg_pool3d_backward, (In(grad), In(self)), Out(out))
ATEN(AdaptiveMaxPool2d, at::adaptive_max_pool2d, (In(self), Ints(size)), Out(out), Out(indices))
ATEN(AdaptiveMaxPool3d, at::adaptive_max_pool3d, (In(self), Ints(size)), Out(out), Out(indices))
ACLNN(AdaptiveMaxPool2dBackward, In(grad), In(self), In(indices), Out(out)) {
  out.copy_(at::adaptive_max_pool2d_backward(grad, self, indices.to(at::kLong)));
}
ACLNN(AdaptiveMaxPool3dBackward, In(grad), In(self), In(indices), Out(out)) {
  out.copy_(at::adaptive_max_pool3d_backward(grad, self, indices.to(at::kLong)));
}
ACLNN(AvgPool3d, In(self), Ints(kernel), Ints(stride), Ints(padding), Bool(ceil_mode), Bool(count_padding),
      Int(divisor), Out(out)) {
  out.copy_(at::avg_pool3d(self, kernel, stride, padding, ceil_mode, count_padding, Divisor(divisor)));
}
ACLNN(AvgPool3dBackward, In(grad), In(self), Ints(kernel), Ints(stride), Ints(padding), Bool(ceil_mode),
      Bool(count_padding), Int(divisor), Out(out)) {
  out.copy_(at::avg_pool3d_backward(grad, self, kernel, stride, padding, ceil_mode, count_padding,
                                    Divisor(divisor)));
}
ATEN(MaxPool3dWithArgmax, at::max_pool3d_with_indices,
     (In(self), Ints(kernel), Ints(stride), Ints(padding), Ints(dilation), Bool(ceil_mode)), Out(out),
     Out(indices))
ACLNN(MaxPool3dWithArgmaxBackward, In(grad), In(self), In(indices), Ints(kernel), Ints(stride), Ints(padding),
      Ints(dilation), Bool(ceil_mode), Out(out)) {
  out.copy_(at::max_pool3d_with_indices_backward(grad, self, kernel, stride, padding, dilation, ceil_mode,
                                                 indices.to(at::kLong)));
}
ATEN(MaxUnpool2d, at::max_unpool2d, (In(self), In(indices), Ints(size)), Out(out))
ATEN(MaxUnpool3d, at::max_unpool3d, (In(self), In(indices), Ints(size), Ints(stride), Ints(padding)),
     Out(out))
ATEN(GridSampler3D, at::grid_sampler_3d, (In(self), In(grid), Int(mode), Int(padding), Bool(corners)),
     Out(out))
ACLNN(GridSampler3DBackward, In(grad), In(self), In(grid), Int(mode), Int(padding), Bool(corners),
      Bools(mask), Out(grad_input), Out(grad_grid)) {
  const auto [input_part, grid_part] =
      at::grid_sampler_3d_backward(grad, self, grid, mode, padding, corners, {mask[0], mask[1]});
  ::sim::builtin::Give(grad_input, input_part), ::sim::builtin::Give(grad_grid, grid_part);
}
ATEN(AffineGrid, at::affine_grid_generator, (In(theta), Ints(size), Bool(corners)), Out(out))
ATEN(Im2col, at::im2col, (In(self), Ints(kernel), Ints(dilation), Ints(padding), Ints(stride)), Out(out))
ATEN(Im2colBackward, at::col2im,
     (In(self), Ints(size), Ints(kernel), Ints(dilation), Ints(padding), Ints(stride)), Out(out))
ATEN(ChannelShuffle, at::channel_shuffle, (In(self), Int(groups)), Out(out))
ATEN(UnfoldGrad, at::unfold_backward, (In(grad), Ints(sizes), Int(dim), Int(size), Int(step)), Out(out))
