// SPDX-License-Identifier: Apache-2.0
// What composites cut their results with: see composite/__init__.py.
#include "torch_common.h"

namespace {

using avo::torch_face::TorchTensor;

// A copy, for a schema without aliases must not return a view.
TorchTensor Valid(TorchTensor rows, TorchTensor count) {
  const TorchTensor here =
      count.is_cpu() ? count
                     : torch::stable::to(count, torch::stable::Device(torch::headeronly::DeviceType::CPU));
  return torch::stable::clone(
      torch::stable::narrow(rows, 0, 0, *static_cast<const int64_t *>(here.const_data_ptr())));
}

}  // namespace

STABLE_TORCH_LIBRARY_FRAGMENT(ascend_vision_ops, m) { m.def("_valid(Tensor rows, Tensor count) -> Tensor"); }

STABLE_TORCH_LIBRARY_IMPL(ascend_vision_ops, CompositeExplicitAutograd, m) {
  m.impl("_valid", TORCH_BOX(&Valid));
}
