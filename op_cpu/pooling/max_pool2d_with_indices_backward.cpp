// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <type_traits>

#include "op_host/max_pool2d_with_indices_backward_args.h"

#include "op_cpu/common/vectors/simd.h"
#include "op_cpu/pooling/dense_images.h"
#include "op_cpu/pooling/windows.h"
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "op_cpu/pooling/max_pool2d_with_indices_backward.cpp"
#include "hwy/foreach_target.h"
#include "op_cpu/common/vectors/partial_vectors-inl.h"
#include "op_cpu/pooling/dense_argument-inl.h"
#include "op_cpu/pooling/sparse_planes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::max_pool2d_with_indices_backward::HWY_NAMESPACE {
namespace cpu = avo::HWY_NAMESPACE;
namespace hn = hwy::HWY_NAMESPACE;

// Dense images. A group is planes whose elements lie beside each other, `lanes` of them.
struct Groups {
  int64_t count, lanes;
  int64_t pixels, windows;  // of a plane
  bool once;                // whether no two windows share a pixel

  int64_t Pixels() const { return pixels * lanes; }
  int64_t Windows() const { return windows * lanes; }
};

// Whether all indices name a pixel.
template <typename I>
bool AllNamePixels(const I *indices, int64_t count, int64_t pixels) {
  const hn::ScalableTag<I> d;
  const int64_t lanes = hn::Lanes(d);
  const auto last = hn::Set(d, static_cast<I>(pixels - 1));
  auto signs = hn::Zero(d);  // negative where an index or its distance to the last pixel is
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto index = hn::LoadU(d, indices + i);
    signs = hn::Or(signs, hn::Or(index, hn::Sub(last, index)));
  }
  if (i < count) {
    const auto index = hn::LoadN(d, indices + i, count - i);
    signs = hn::Or(signs, hn::Or(index, hn::Sub(last, index)));
  }
  return hn::AllFalse(d, hn::IsNegative(signs));
}

// Adds the gradients of the windows of a group to its pixels, which are zeros, for any indices.
template <typename Sum, typename I>
void GiveGroup(const Groups &of, const Sum *grads, const I *indices, Sum *sums) {
  using Unsigned = std::make_unsigned_t<I>;
  const auto pixels = static_cast<Unsigned>(of.pixels);
  const int64_t lanes = of.lanes;
  for (int64_t window = 0; window < of.windows; ++window, grads += lanes, indices += lanes) {
#pragma GCC unroll 4
    for (int64_t lane = 0; lane < lanes; ++lane) {
      const auto pixel = static_cast<Unsigned>(indices[lane]);
      if (HWY_LIKELY(pixel < pixels))
        cpu::AddTo(sums[static_cast<int64_t>(pixel) * lanes + lane], grads[lane]);
    }
  }
}

// Adds the gradients of the windows of some groups.
template <typename Sum, typename I>
void Give(const Groups &of, int64_t groups, const Sum *grads, const I *indices, Sum *sums) {
  constexpr int64_t kTogether = 4;
  const int64_t pixels = of.Pixels(), windows = of.Windows();
  int64_t group = 0;
  if (of.lanes == 1 && HWY_LIKELY(AllNamePixels(indices, groups * windows, pixels))) {
    // Planes take turns, as a processor waits where it adds to the same pixel twice in a row.
    for (; group + kTogether <= groups; group += kTogether) {
      const I *named = indices + group * windows;
      const Sum *from = grads + group * windows;
      Sum *to = sums + group * pixels;
      for (int64_t i = 0; i < windows; ++i) {
#pragma GCC unroll 4
        for (int64_t k = 0; k < kTogether; ++k) {
          cpu::AddTo(to[k * pixels + named[k * windows + i]], from[k * windows + i]);
        }
      }
    }
  }
  for (; group < groups; ++group) {
    GiveGroup(of, grads + group * windows, indices + group * windows, sums + group * pixels);
  }
}

template <typename T, typename I>
void Sum(const Groups &of, const T *grads, const I *indices, T *out, const ParallelFor &parallel_for) {
  using C = Compute<T>;
  constexpr int64_t kFewest = 4, kPixels = 1024;  // groups, and pixels, that are summed together
  const int64_t pixels = of.Pixels(), windows = of.Windows();
  const int64_t together = of.lanes > 1 ? 1 : std::max(kFewest, AlignDown(kPixels / pixels, kFewest));
  parallel_for(of.count, GrainOf(pixels + 4 * windows), [&](int64_t begin, int64_t end) {
    const bool in_place = std::is_same_v<T, C> || of.once;
    AlignedVector<C> sums(in_place ? 0 : together * pixels), wide(in_place ? 0 : together * windows);
    for (int64_t group = begin; group < end; group += together) {
      const int64_t groups = std::min(together, end - group);
      const T *from = grads + group * windows;
      const I *named = indices + group * windows;
      T *to = out + group * pixels;
      if (in_place) {
        cpu::Clear(to, groups * pixels);
        Give(of, groups, from, named, to);
      } else {
        cpu::Clear(sums.data(), groups * pixels);
        cpu::ConvertLine(from, groups * windows, wide.data());
        Give(of, groups, wide.data(), named, sums.data());
        cpu::ConvertLine(sums.data(), groups * pixels, to);
      }
    }
  });
}

void Run(const Args &args, const ParallelFor &parallel_for) {
  const auto apart = [&](int i) {
    return WindowAxis::Of(args.input, i, args.kernel_size, args.stride, args.padding, args.dilation)
        .Apart(args.grad_output.shape[2 + i]);
  };
  const bool last = AreChannelsLast(args.out);
  const Shape &in = args.input.shape, &of = args.grad_output.shape;
  const Groups groups{last ? in[0] : in[0] * in[1], last ? in[1] : 1, in[2] * in[3], of[2] * of[3],
                      apart(0) && apart(1)};
  const auto ordered = [&](const Tensor &images) { return last ? ChannelsLast(images) : images; };
  DispatchFloat(args.out.dtype, [&](auto element) {
    using T = decltype(element);
    const cpu::DenseArgument<T> grad(ordered(args.grad_output), parallel_for);
    const DenseResult<T> out(ordered(args.out));
    const auto sum = [&](auto index) {
      using I = decltype(index);
      const cpu::DenseArgument<I> indices(ordered(args.indices), parallel_for);
      Sum(groups, grad.data(), indices.data(), out.data(), parallel_for);
    };
    args.indices.dtype == DType::kInt32 ? sum(int32_t{}) : sum(int64_t{});
    out.Store(parallel_for);
  });
}

}  // namespace avo::max_pool2d_with_indices_backward::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace avo::max_pool2d_with_indices_backward {
AVO_RUN_CPU(Run)
}  // namespace avo::max_pool2d_with_indices_backward
#endif
