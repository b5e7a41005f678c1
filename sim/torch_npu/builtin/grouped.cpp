// SPDX-License-Identifier: Apache-2.0
// Products of many matrices in one call: those of the experts of a mixture.
#include <ATen/ATen.h>

#include <stdexcept>
#include <string>

#include "table.h"

namespace {

using sim::builtin::Tensors;

// The members of a list; a list of one tensor with a dimension for the groups holds all of them.
Tensors Members(const Tensors &list, int64_t dims_of_one) {
  return list.size() == 1 && list[0].dim() > dims_of_one ? list[0].unbind() : list;
}

void RefuseGiven(const char *name, const Tensors &list) {
  for (const at::Tensor &tensor : list) {
    if (tensor.defined() && tensor.numel() > 0)
      throw std::invalid_argument(std::string(name) +
                                  ": expected none, got one; quantised weights are not simulated");
  }
}

// Multiplies each group of rows with its weight and adds its bias. Where x is one tensor for several weights,
// `ends` says behind which row each group ends. Sums are float32, rounded once.
void Multiply(const Tensors &x, const Tensors &weight, const Tensors &bias, const std::vector<int64_t> &ends,
              Tensors &outs) {
  const Tensors weights = Members(weight, 2), biases = Members(bias, 1);
  Tensors groups = x, products;
  if (x.size() == 1 && weights.size() > 1) {
    if (ends.size() != weights.size())
      throw std::invalid_argument("group_list: expected " + std::to_string(weights.size()) + " groups, got " +
                                  std::to_string(ends.size()));
    groups.clear();
    for (size_t i = 0; i < ends.size(); ++i)
      groups.push_back(x[0].slice(0, i == 0 ? 0 : ends[i - 1], ends[i]));
  }
  if (groups.size() != weights.size())
    throw std::invalid_argument("weight: expected " + std::to_string(groups.size()) +
                                " matrices, as x has, got " + std::to_string(weights.size()));
  for (size_t i = 0; i < groups.size(); ++i) {
    const at::Tensor product = at::matmul(groups[i].to(at::kFloat), weights[i].to(at::kFloat));
    products.push_back(biases.empty() ? product : product + biases[i]);
  }
  if (outs.size() == 1 && products.size() > 1) {
    const at::Tensor all = at::cat(products);
    outs[0].slice(0, 0, all.size(0)).copy_(all);
    return;
  }
  sim::builtin::Give(outs, products);
}

}  // namespace

ACLNN(GroupedMatmul, InList(x), InList(weight), InList(bias), InList(scale), InList(offset),
      InList(antiquant_scale), InList(antiquant_offset), Ints(ends), Int(split), OutList(outs)) {
  RefuseGiven("scale", scale), RefuseGiven("antiquant_scale", antiquant_scale);
  Multiply(x, weight, bias, ends, outs);
}
ACLNN(GroupedMatmulV4, InList(x), InList(weight), InList(bias), InList(scale), InList(offset),
      InList(antiquant_scale), InList(antiquant_offset), InList(row_scale), In(groups), InList(activation),
      InList(activation_scale), InList(activation_offset), Int(split), Int(axis), Int(kind), Int(function),
      OutList(outs), OutList(activated), OutList(out_scale)) {
  RefuseGiven("scale", scale), RefuseGiven("antiquant_scale", antiquant_scale);
  RefuseGiven("per_token_scale", row_scale);
  if (axis > 0)
    throw std::invalid_argument("group_type: expected -1 or 0, got " + std::to_string(axis) +
                                ", which is not simulated");
  if (function != 0)
    throw std::invalid_argument("act_type: expected 0, got " + std::to_string(function) +
                                ", which is not simulated");
  std::vector<int64_t> ends;
  if (groups.defined() && groups.numel() > 0) {
    const at::Tensor places = (kind == 1 ? groups.cumsum(0) : groups).to(at::kLong);
    for (int64_t i = 0; i < places.numel(); ++i) ends.push_back(places[i].item<int64_t>());
  }
  Multiply(x, weight, bias, ends, outs);
}
