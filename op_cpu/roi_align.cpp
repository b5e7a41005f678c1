// SPDX-License-Identifier: Apache-2.0
#include "op_host/roi_align_args.h"

#include "common/roi.h"

namespace avo::roi_align {

void RunCpu(const Args &args, const ParallelFor &parallel_for) {
  const int64_t bins[2] = {args.output_height, args.output_width};
  const RoiCall call{
      args.rois,          args.batch_indices, args.input.shape[0], {args.input.shape[2], args.input.shape[3]},
      {bins[0], bins[1]}, args.spatial_scale, args.sampling_ratio, args.aligned && !args.batch_indices};
  DispatchFloat(args.input.dtype, [&](auto element) {
    using T = decltype(element);
    const auto regions = call.Regions<T>();
    const Shape &strides = args.out.strides;
    ForPlanes<T>(args.input, parallel_for, [&](int64_t image, int64_t channel, const Compute<T> *plane) {
      for (size_t k = 0; k < regions.size(); ++k) {
        if (regions[k].image != image) continue;
        T *out =
            static_cast<T *>(args.out.data) + static_cast<int64_t>(k) * strides[0] + channel * strides[1];
        const auto store = [&](int64_t y, int64_t x, Compute<T> value) {
          out[y * strides[2] + x * strides[3]] = Narrow<T>(value);
        };
        const RoiPooling<Compute<T>> pooling(regions[k], plane, args.input.shape[3]);
        if (args.mode == "avg") {
          pooling.Mean(bins, store);
        } else {
          pooling.Largest(bins, args.mode == "onnx_max", store);
        }
      }
    });
  });
}

}  // namespace avo::roi_align
