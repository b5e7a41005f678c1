// SPDX-License-Identifier: Apache-2.0
// Images whose channels are neighbours in memory, and copies that are.
#if defined(AVO_OP_CPU_COMMON_ROI_COPY_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_COMMON_ROI_COPY_INL_H_
#undef AVO_OP_CPU_COMMON_ROI_COPY_INL_H_
#else
#define AVO_OP_CPU_COMMON_ROI_COPY_INL_H_
#endif

#include <algorithm>

#include "hwy/aligned_allocator.h"
#include "hwy/highway.h"
#include "op_cpu/common/vectors/transpose-inl.h"
#include "op_cpu/regions/roi.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Pixels of neighbouring channels; a vector from each of them may be read if there are as many channels as
// lanes, and beyond the last pixel if there are less. (y, x) is at y * row_stride + x * column_stride -
// origin.
template <typename T>
struct PixelImage {
  const T *first;
  int64_t origin, row_stride, column_stride;
};

// A region that reads all.
template <typename Weight>
RoiRegion<Weight> WholeMap(int64_t rows, int64_t columns) {
  RoiRegion<Weight> map;
  for (int64_t i = 0; i < rows; ++i) map.y.elements.push_back(static_cast<int32_t>(i));
  for (int64_t i = 0; i < columns; ++i) map.x.elements.push_back(static_cast<int32_t>(i));
  return map;
}

template <typename T>
struct PixelCopy {
  PixelImage<T> image{};
  const T *from = nullptr;
  int64_t depth = 0;
  hwy::AlignedVector<T> pixels;

  // What a region reads of `channels` planes; with `once` it is there if these are the planes read last.
  // `strides` are those of the planes, rows and columns.
  void Read(const RoiRegion<Compute<T>> &region, const T *planes, const Shape &strides, int64_t channels,
            bool once) {
    if (once && planes == from && channels == depth) return;
    from = planes;
    depth = channels;
    image = {planes, 0, 0, 0};
    const RoiAxis<Compute<T>> &y = region.y, &x = region.x;
    if (y.elements.empty() || x.elements.empty()) return;
    const int64_t first_row = y.elements.front(), first_column = x.elements.front();
    const int64_t height = y.elements.back() - first_row + 1, width = x.elements.back() - first_column + 1;
    const int64_t row_stride = width * channels;
    pixels.resize(std::max<size_t>(pixels.size(), height * row_stride + hn::MaxLanes(ComputeTag<T>())));
    image = {pixels.data(), first_row * row_stride + first_column * channels, row_stride, channels};
    const T *first = planes + first_row * strides[2] + first_column * strides[3];
    if (strides[3] == 1 && strides[2] == width && y.Size() == height) {
      ToChannelsLast(first, strides[1], channels, height * width, pixels.data(), channels);
      return;
    }
    for (const int32_t row : y.elements) {
      T *to = pixels.data() + (row - first_row) * row_stride;
      const T *line = first + (row - first_row) * strides[2];
      RowToChannelsLast(line, strides, channels, width, to, channels);
    }
  }
};

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
