// SPDX-License-Identifier: Apache-2.0
// Copies that torch_npu calls by type: of views to another device, and of npu_format_cast, npu_transpose,
// npu_broadcast, npu_slice, npu_indexing and npu_stride_copy.
#include <ATen/ATen.h>

#include <stdexcept>
#include <string>

#include "by_type.h"

namespace {

using sim::CallValues;
using sim::builtin::IntegerOf;
using sim::builtin::IntegersAt;
using sim::builtin::Tensors;

// x; y.
void Copy(const Tensors &tensors, const CallValues &) { tensors[1].copy_(tensors[0]); }

// x, the sizes; y.
void BroadcastTo(const Tensors &tensors, const CallValues &values) {
  tensors[2].copy_(tensors[0].expand(IntegersAt(values, 1)));
}

// x, the order of its dimensions; y.
void Transpose(const Tensors &tensors, const CallValues &values) {
  tensors[2].copy_(tensors[0].permute(IntegersAt(values, 1)));
}

// x, the first index and the number of elements of each dimension, -1 for all that are left; y.
void Slice(const Tensors &tensors, const CallValues &values) {
  at::Tensor part = tensors[0];
  const std::vector<int64_t> first = IntegersAt(values, 1), sizes = IntegersAt(values, 2);
  for (int64_t i = 0; i < part.dim(); ++i)
    part = part.narrow(i, first[i], sizes[i] == -1 ? part.size(i) - first[i] : sizes[i]);
  tensors[3].copy_(part.reshape_as(tensors[3]));
}

// x, the first indices, the ends, the steps; y. The one mask that torch_npu sets for itself,
// shrink_axis_mask, says that dimensions of one index are not in y.
void StridedSlice(const Tensors &tensors, const CallValues &values) {
  const std::vector<int64_t> begin = IntegersAt(values, 1), end = IntegersAt(values, 2),
                             step = IntegersAt(values, 3);
  at::Tensor part = tensors[0];
  for (size_t i = 0; i < begin.size(); ++i) part = part.slice(i, begin[i], end[i], step[i]);
  tensors[4].copy_(part.reshape_as(tensors[4]));
}

void RefuseMasks(const CallValues &values) {
  for (const char *mask : {"begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask"}) {
    if (const int64_t value = IntegerOf(values, mask); value != 0) {
      throw std::invalid_argument(std::string(mask) + ": expected 0, got " + std::to_string(value) +
                                  ", which is not simulated for StridedSlice");
    }
  }
}

// x as a view; sizes, strides and offset; y.
void AsStrided(const Tensors &tensors, const CallValues &) { tensors[4].copy_(tensors[0]); }

// y, its sizes, strides and offset; x as a view, its sizes, strides and offset; y as a view.
void ViewCopy(const Tensors &tensors, const CallValues &) { tensors[8].copy_(tensors[4]); }

const bool added = [] {
  using sim::builtin::AddByType;
  AddByType({"Identity", 1, 1, ""}, &Copy);
  AddByType({"Cast", 1, 1, "dst_type"}, &Copy);
  AddByType({"BroadcastTo", 2, 1, "", 1}, &BroadcastTo);
  AddByType({"Transpose", 2, 1, "", 1}, &Transpose);
  AddByType({"Slice", 3, 1, "", 2}, &Slice);
  AddByType({"StridedSlice", 4, 1, "begin_mask", 3}, &StridedSlice, &RefuseMasks);
  AddByType({"AsStrided", 4, 1, "", 3, 0, {{0, 1, 2, 3}, {4, 1}}}, &AsStrided);
  AddByType({"ViewCopy", 8, 1, "", 6, 0, {{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 1, 2, 3}}}, &ViewCopy);
  return true;
}();

}  // namespace
