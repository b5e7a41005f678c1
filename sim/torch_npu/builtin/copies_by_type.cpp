// SPDX-License-Identifier: Apache-2.0
// Copies that torch_npu calls by type: of views to another device, and of npu_transpose, npu_broadcast,
// npu_slice, npu_indexing and npu_stride_copy.
#include <ATen/ATen.h>

#include <algorithm>
#include <stdexcept>

#include "on_tensors.h"
#include "sim/operator_compiler.h"

namespace {

using sim::builtin::Tensors;

std::vector<int64_t> Integers(const at::Tensor &tensor) {
  const at::Tensor values = tensor.to(at::kLong).contiguous();
  return {values.data_ptr<int64_t>(), values.data_ptr<int64_t>() + values.numel()};
}

// x; y.
void Cast(const Tensors &tensors) { tensors[1].copy_(tensors[0]); }

// x, the sizes; y.
void BroadcastTo(const Tensors &tensors) { tensors[2].copy_(tensors[0].expand(Integers(tensors[1]))); }

// x, the dimensions; y.
void Transpose(const Tensors &tensors) { tensors[2].copy_(tensors[0].permute(Integers(tensors[1]))); }

// x, the first index and the number of elements of each dimension, -1 for all that are left; y.
void Slice(const Tensors &tensors) {
  at::Tensor part = tensors[0];
  const std::vector<int64_t> first = Integers(tensors[1]), sizes = Integers(tensors[2]);
  for (int64_t i = 0; i < part.dim(); ++i)
    part = part.narrow(i, first[i], sizes[i] == -1 ? part.size(i) - first[i] : sizes[i]);
  tensors[3].copy_(part.reshape_as(tensors[3]));
}

// x, the first indices, the ends, the steps; y, and the masks. The one mask that torch_npu sets for itself
// says that dimensions of one index are not in y.
void StridedSlice(const Tensors &tensors) {
  const std::vector<int64_t> masks = Integers(tensors[5]);
  if (std::any_of(masks.begin(), masks.end() - 1, [](int64_t mask) { return mask != 0; })) {
    throw std::invalid_argument("StridedSlice: of its masks only shrink_axis_mask is simulated");
  }
  const std::vector<int64_t> begin = Integers(tensors[1]), end = Integers(tensors[2]),
                             step = Integers(tensors[3]);
  at::Tensor part = tensors[0];
  for (size_t i = 0; i < begin.size(); ++i) part = part.slice(i, begin[i], end[i], step[i]);
  tensors[4].copy_(part.reshape_as(tensors[4]));
}

// x as a view; sizes, strides and offset; y.
void AsStrided(const Tensors &tensors) { tensors[4].copy_(tensors[0].reshape_as(tensors[4])); }

// y as it is, its sizes, strides and offset; x as a view, its sizes, strides and offset; y as a view.
void ViewCopy(const Tensors &tensors) { tensors[8].copy_(tensors[4]); }

void Add(const char *type, size_t inputs, const char *attribute, void (*run)(const Tensors &), size_t on_host,
         std::vector<std::string> integers = {}, std::vector<sim::StridedView> views = {}) {
  sim::AddCompiledOperator({type, inputs, 1, attribute, sim::builtin::OnTensors(type, run), on_host,
                            std::move(integers), std::move(views)});
}

const bool added = [] {
  Add("Cast", 1, "dst_type", &Cast, 0);
  Add("BroadcastTo", 2, "", &BroadcastTo, 1);
  Add("Transpose", 2, "", &Transpose, 1);
  Add("Slice", 3, "", &Slice, 2);
  Add("StridedSlice", 4, "begin_mask", &StridedSlice, 3,
      {"begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask"});
  Add("AsStrided", 4, "", &AsStrided, 3, {}, {{0, 1, 2, 3}});
  Add("ViewCopy", 8, "", &ViewCopy, 6, {}, {{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 1, 2, 3}});
  return true;
}();

}  // namespace
