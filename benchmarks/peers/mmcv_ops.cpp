// SPDX-License-Identifier: Apache-2.0
// Four of mmcv's CPU operators as torch operators. Their sources are those of mmcv's own distribution,
// compiled beside this file by mmcv.py; mmcv's module of all its operators would take an hour.
#include <ATen/ATen.h>
#include <torch/library.h>

using at::Tensor;

// As mmcv's sources define them.
Tensor nms(Tensor boxes, Tensor scores, float iou_threshold, int offset);
Tensor softnms(Tensor boxes, Tensor scores, Tensor dets, float iou_threshold, float sigma, float min_score,
               int method, int offset);
void roi_align_forward(Tensor input, Tensor rois, Tensor output, Tensor argmax_y, Tensor argmax_x,
                       int aligned_height, int aligned_width, float spatial_scale, int sampling_ratio,
                       int pool_mode, bool aligned);
void modulated_deform_conv_forward(Tensor input, Tensor weight, Tensor bias, Tensor ones, Tensor offset,
                                   Tensor mask, Tensor output, Tensor columns, int kernel_h, int kernel_w,
                                   const int stride_h, const int stride_w, const int pad_h, const int pad_w,
                                   const int dilation_h, const int dilation_w, const int group,
                                   const int deformable_group, const bool with_bias);

TORCH_LIBRARY(avo_peer_mmcv, library) {
  library.def("nms",
              [](Tensor boxes, Tensor scores, double threshold) { return nms(boxes, scores, threshold, 0); });
  library.def("softnms", [](Tensor boxes, Tensor scores, Tensor dets, double threshold, double sigma,
                            double least, int64_t method) {
    return softnms(boxes, scores, dets, threshold, sigma, least, method, 0);
  });
  // Averages, with aligned=True.
  library.def("roi_align", [](Tensor input, Tensor rois, Tensor output, double scale, int64_t ratio) {
    const Tensor none = at::empty({0}, input.options());
    roi_align_forward(input, rois, output, none, none, output.size(2), output.size(3), scale, ratio, 1, true);
    return output;
  });
  // At a stride, dilation and number of groups of 1.
  library.def("modulated_deform_conv", [](Tensor input, Tensor weight, Tensor bias, Tensor offset,
                                          Tensor mask, Tensor output, int64_t padding) {
    modulated_deform_conv_forward(input, weight, bias, at::empty({0}, input.options()), offset, mask, output,
                                  at::empty({0}, input.options()), weight.size(2), weight.size(3), 1, 1,
                                  padding, padding, 1, 1, 1, 1, true);
    return output;
  });
}
