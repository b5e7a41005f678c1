// SPDX-License-Identifier: Apache-2.0
// Pooling of (N, C, H, W) images of any strides. Windows are separable: the rows of one line of windows are
// combined first, element by element, and then the columns of each window. Compiled once for each instruction
// set.
#if defined(AVO_OP_CPU_COMMON_WINDOWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_COMMON_WINDOWS_INL_H_
#undef AVO_OP_CPU_COMMON_WINDOWS_INL_H_
#else
#define AVO_OP_CPU_COMMON_WINDOWS_INL_H_
#endif

#include "op_cpu/common/channel_lines-inl.h"
#include "op_cpu/common/column_lines-inl.h"
#include "op_cpu/common/parallel.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Calls body(image, first row, last row) for the rows [begin, end) of images one after the other.
template <class Body>
void ForImages(int64_t begin, int64_t end, int64_t rows, const Body &body) {
  for (int64_t image = begin / rows; begin < end; ++image) {
    const int64_t first = begin - image * rows, last = std::min(rows, end - image * rows);
    body(image, first, last);
    begin += last - first;
  }
}

template <class Op, typename T>
void Pool(const Windows &windows, const ParallelFor &parallel_for) {
  const Tensor &in = windows.in, &out = windows.out;
  const int64_t rows = out.shape[2], images = in.shape[0], channels = in.shape[1];
  const int64_t touched = std::min(windows.rows.kernel, windows.rows.stride) * in.shape[3] + out.shape[3];
  if (in.strides[1] == 1 && in.strides[3] != 1) {
    const int64_t most = ChannelLines<Op, T>::Channels(windows), blocks = CeilDiv(channels, most);
    parallel_for(images * blocks * rows, GrainOf(touched * most), [&](int64_t begin, int64_t end) {
      ChannelLines<Op, T> lines(windows, most);
      ForImages(begin, end, rows, [&](int64_t image, int64_t first, int64_t last) {
        const int64_t channel = image % blocks * most;
        lines(image / blocks, channel, std::min(most, channels - channel), first, last);
      });
    });
  } else {
    parallel_for(images * channels * rows, GrainOf(touched), [&](int64_t begin, int64_t end) {
      ColumnLines<Op, T> lines(windows);
      ForImages(begin, end, rows, [&](int64_t image, int64_t first, int64_t last) {
        lines(image / channels, image % channels, first, last);
      });
    });
  }
}

// Every floating dtype.
template <class Op>
void Pool(Windows windows, const ParallelFor &parallel_for) {
  windows.Join();
  DispatchFloat(windows.in.dtype, [&](auto element) { Pool<Op, decltype(element)>(windows, parallel_for); });
}

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
