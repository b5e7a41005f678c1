// SPDX-License-Identifier: Apache-2.0
// Images whose channels are neighbours in memory, and copies in that layout of images in another one.
#if defined(AVO_OP_CPU_REGIONS_ROI_COPY_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_REGIONS_ROI_COPY_INL_H_
#undef AVO_OP_CPU_REGIONS_ROI_COPY_INL_H_
#else
#define AVO_OP_CPU_REGIONS_ROI_COPY_INL_H_
#endif

#include <algorithm>

#include "hwy/highway.h"
#include "op_cpu/common/memory/aligned.h"
#include "op_cpu/common/vectors/transpose-inl.h"
#include "op_cpu/regions/roi.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// An image whose channels are neighbours in memory, or a rectangle of it. Pixel (y, x) begins at first[y *
// row_stride + x * column_stride - origin]. A whole vector may be read there: it has channels of this pixel,
// or, if a pixel has fewer channels than a vector has lanes, also memory behind the pixel.
template <typename T>
struct PixelImage {
  const T *first;
  int64_t origin, row_stride, column_stride;  // elements
};

// A region that reads the whole feature map.
template <typename Weight>
RoiRegion<Weight> WholeMap(int64_t rows, int64_t columns) {
  RoiRegion<Weight> map;
  for (int64_t i = 0; i < rows; ++i) map.y.elements.push_back(static_cast<int32_t>(i));
  for (int64_t i = 0; i < columns; ++i) map.x.elements.push_back(static_cast<int32_t>(i));
  return map;
}

// Copies what a region reads of some planes. Each thread owns one; its buffer serves one region after the
// other.
template <typename T>
struct PixelCopy {
  PixelImage<T> image{};
  const T *from = nullptr;  // the planes that were copied last
  int64_t depth = 0;        // how many of them
  AlignedVector<T> pixels;

  // Copies the rectangle that a region reads of `channels` planes into `image`. `strides` are those of the
  // images (N, C, H, W). With `once` it copies nothing if the last call copied the same planes.
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
