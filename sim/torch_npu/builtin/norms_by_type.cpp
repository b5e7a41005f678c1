// SPDX-License-Identifier: Apache-2.0
// Norms that torch_npu calls by type, in two steps: those of other orders than 0, 1, 2, 3 and infinity, which
// aclnnNorm of CANN before 9.0 does not have.
#include <ATen/ATen.h>

#include "by_type.h"

namespace {

using sim::CallValues;
using sim::builtin::IntegerOf;
using sim::builtin::Tensors;

// x; the sums of |x|^p along the axes. No axes mean all of them.
void Reduce(const Tensors &tensors, const CallValues &values) {
  const auto axes = values.numbers.find("axes");
  const std::vector<int64_t> along = axes == values.numbers.end() ? std::vector<int64_t>() : axes->second;
  const at::Tensor powers = tensors[0].abs().pow(values.fractions.at("p"));
  tensors[1].copy_(at::sum(powers, along, IntegerOf(values, "keepdim") != 0).view_as(tensors[1]));
}

// The sums; their roots of order p.
void Update(const Tensors &tensors, const CallValues &values) {
  tensors[1].copy_(tensors[0].pow(1 / values.fractions.at("p")));
}

const bool added = [] {
  using sim::builtin::AddByType;
  AddByType({"LpNormReduceV2", 1, 1, "axes"}, &Reduce);
  AddByType({"LpNormUpdateV2", 1, 1, "p"}, &Update);
  return true;
}();

}  // namespace
