// SPDX-License-Identifier: Apache-2.0
// Works with the shapes of nodes, without types of ONNX Runtime.
#include "onnxruntime_node.h"

#include <stdexcept>

namespace avo::onnxruntime_face {
void Check(const Status &status) {
  if (!status.ok()) throw std::invalid_argument(status.message);
}

int64_t FirstOf(const Tensor &tensor) {
  return tensor.dtype == DType::kInt32 ? *static_cast<const int32_t *>(tensor.data)
                                       : *static_cast<const int64_t *>(tensor.data);
}

std::vector<Dim> Known(const Shape &shape) {
  std::vector<Dim> dims;
  for (const int64_t value : shape) dims.push_back({value});
  return dims;
}

Tensor Shapes::Input(size_t index, int64_t rank) const {
  const std::vector<Dim> &dims = Like(index);
  // ONNX Runtime reports an unknown shape as a shape of rank 0.
  if (dims.empty() || (rank >= 0 && static_cast<int64_t>(dims.size()) != rank)) {
    throw std::invalid_argument("rank");
  }
  Tensor tensor;
  for (const Dim &dim : dims) tensor.shape.push_back(dim.value);
  return tensor;
}

Dim Shapes::From(int64_t value, std::initializer_list<Place> places) const {
  for (const Place &place : places) {
    if (!Has(place.input) || Same(place.input, place.dim).value < 0) return Unknown();
  }
  return {value};
}

}  // namespace avo::onnxruntime_face
