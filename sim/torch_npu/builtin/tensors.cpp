// SPDX-License-Identifier: Apache-2.0
// Operators that make, fill, copy, join and reduce tensors.
#include <ATen/ATen.h>

#include "bridge.h"

namespace {

at::OptionalIntArrayRef Dims(const std::vector<int64_t> &dims) {
  return dims.empty() ? at::OptionalIntArrayRef() : at::OptionalIntArrayRef(dims);
}

// An item of index_put's list.
struct Index {
  at::Tensor tensor;
  bool has_memory;
};

struct IndicesArgument {
  sim::builtin::ListArgument<const aclTensorList *, false> list;
  std::vector<bool> has_memory;
  IndicesArgument(sim::builtin::Call &call, const aclTensorList *indices) : list(call, indices) {
    for (const aclTensor *index : sim::builtin::MembersOf(indices))
      has_memory.push_back(index->state->data != nullptr);
  }
  std::vector<Index> operator()(const sim::builtin::Tensors &views) const {
    std::vector<Index> indices;
    for (const at::Tensor &tensor : list(views)) indices.push_back({tensor, has_memory[indices.size()]});
    return indices;
  }
};
#define AVO_C_Indices(name) const aclTensorList *name
#define AVO_N_Indices(name) name
#define AVO_A_Indices(name) IndicesArgument
#define AVO_B_Indices(name) const std::vector<Index> &name

// Says whether a caller gave this index. For an index that is not given, as in y[:, i], torch_npu passes a
// new tensor of shape {0} and of self's dtype. So an index of another dtype is given, and so is one that has
// memory, as results without elements and slices have. What is left is an index without memory where self has
// a dtype of indices too: torch_npu ends the list with an index that is given, and at another place the
// likelier reading is that it is not given.
bool IsGiven(const Index &index, const at::Tensor &self, bool last) {
  const at::Tensor &tensor = index.tensor;
  if (tensor.numel() > 0 || tensor.dim() != 1 || tensor.scalar_type() != self.scalar_type()) return true;
  return index.has_memory || (last && (self.scalar_type() == at::kLong || self.scalar_type() == at::kInt));
}

constexpr int64_t kNoDim = 1000;  // how torch_npu says that UniqueConsecutive gets no dimension

using Indices = c10::List<std::optional<at::Tensor>>;

// Writes where the indices point to: nowhere if an index without elements is given.
void Put(at::Tensor &self, const std::vector<Index> &given, const at::Tensor &values, bool accumulate) {
  Indices indices;
  for (size_t i = 0; i < given.size(); ++i) {
    const bool is_given = IsGiven(given[i], self, i + 1 == given.size());
    if (is_given && given[i].tensor.numel() == 0) return;
    indices.push_back(is_given ? std::optional<at::Tensor>(given[i].tensor) : std::nullopt);
  }
  at::index_put_(self, indices, values, accumulate);
}

// Reads where the indices point to. A result without elements needs nothing; where it has some, an index
// without elements is one that is not given.
void Take(at::Tensor &out, const at::Tensor &self, const sim::builtin::Tensors &tensors) {
  if (out.numel() == 0) return;
  Indices indices;
  for (const at::Tensor &index : tensors)
    indices.push_back(index.numel() > 0 ? std::optional<at::Tensor>(index) : std::nullopt);
  out.copy_(at::index(self, indices));
}

}  // namespace

ACLNN(InplaceCopy, InOut(self), In(source)) { self.copy_(source); }
ACLNN(Cast, In(self), Type(dtype), Out(out)) { out.copy_(self); }
ACLNN(InplaceZero, InOut(self)) { self.zero_(); }
ACLNN(InplaceOne, InOut(self)) { self.fill_(1); }
ACLNN(InplaceFillScalar, InOut(self), Number(value)) { self.fill_(value); }
ACLNN(InplaceFillTensor, InOut(self), In(value)) { self.fill_(value); }
ACLNN(Arange, Number(start), Number(end), Number(step), Out(out)) {
  out.copy_(at::arange(start, end, step, out.options()));
}
ACLNN(Range, Number(start), Number(end), Number(step), Out(out)) {
  out.copy_(at::arange(start, end.toDouble() + step.toDouble() / 2, step, out.options()));
}
ACLNN(Linspace, Number(start), Number(end), Int(steps), Out(out)) {
  out.copy_(at::linspace(start, end, steps, out.options()));
}
ACLNN(Eye, Int(rows), Int(columns), Out(out)) { out.copy_(at::eye(rows, columns, out.options())); }

ACLNN(Cat, InList(tensors), Int(dim), Out(out)) { at::cat_out(out, tensors, dim); }
ACLNN(Stack, InList(tensors), Int(dim), Out(out)) { at::stack_out(out, tensors, dim); }
ACLNN(Repeat, In(self), Ints(repeats), Out(out)) { out.copy_(self.repeat(repeats)); }
ACLNN(Flip, In(self), Ints(dims), Out(out)) { out.copy_(at::flip(self, dims)); }
ACLNN(Roll, In(self), Ints(shifts), Ints(dims), Out(out)) { out.copy_(at::roll(self, shifts, dims)); }
ACLNN(Tril, In(self), Int(diagonal), Out(out)) { at::tril_out(out, self, diagonal); }
ACLNN(Triu, In(self), Int(diagonal), Out(out)) { at::triu_out(out, self, diagonal); }
ACLNN(ConstantPadNd, In(self), Ints(pad), Number(value), Out(out)) {
  out.copy_(at::constant_pad_nd(self, pad, value));
}

ACLNN(ReduceSum, In(self), Ints(dims), Bool(keepdim), Type(dtype), Out(out)) {
  out.copy_(at::sum(self, Dims(dims), keepdim, dtype));
}
ACLNN(Mean, In(self), Ints(dims), Bool(keepdim), Type(dtype), Out(out)) {
  out.copy_(at::mean(self, Dims(dims), keepdim, dtype));
}
ACLNN(Amax, In(self), Ints(dims), Bool(keepdim), Out(out)) { out.copy_(at::amax(self, dims, keepdim)); }
ACLNN(Amin, In(self), Ints(dims), Bool(keepdim), Out(out)) { out.copy_(at::amin(self, dims, keepdim)); }
ACLNN(Max, In(self), Out(out)) { out.copy_(at::max(self)); }
ACLNN(Min, In(self), Out(out)) { out.copy_(at::min(self)); }
ACLNN(MaxDim, In(self), Int(dim), Bool(keepdim), Out(out), Out(indices)) {
  const auto [values, places] = at::max(self, dim, keepdim);
  out.copy_(values);
  indices.copy_(places);
}
ACLNN(MinDim, In(self), Int(dim), Bool(keepdim), Out(out), Out(indices)) {
  const auto [values, places] = at::min(self, dim, keepdim);
  out.copy_(values);
  indices.copy_(places);
}
ACLNN(ArgMin, In(self), Int(dim), Bool(keepdim), Out(out)) { out.copy_(at::argmin(self, dim, keepdim)); }
ACLNN(All, In(self), Ints(dims), Bool(keepdim), Out(out)) { out.copy_(at::all(self, Dims(dims), keepdim)); }
ACLNN(Any, In(self), Ints(dims), Bool(keepdim), Out(out)) { out.copy_(at::any(self, Dims(dims), keepdim)); }
ACLNN(Prod, In(self), Type(dtype), Out(out)) { out.copy_(at::prod(self, dtype)); }
ACLNN(Cumsum, In(self), Int(dim), Type(dtype), Out(out)) { out.copy_(at::cumsum(self, dim, dtype)); }
ACLNN(Std, In(self), Ints(dims), Int(correction), Bool(keepdim), Out(out)) {
  out.copy_(at::std(self, Dims(dims), at::Scalar(correction), keepdim));
}
ACLNN(VarCorrection, In(self), Ints(dims), Int(correction), Bool(keepdim), Out(out)) {
  out.copy_(at::var(self, Dims(dims), at::Scalar(correction), keepdim));
}
ACLNN(VarMean, In(self), Ints(dims), Int(correction), Bool(keepdim), Out(variance), Out(mean)) {
  const auto [spread, middle] = at::var_mean(self, Dims(dims), at::Scalar(correction), keepdim);
  variance.copy_(spread);
  mean.copy_(middle);
}
ACLNN(LinalgVectorNorm, In(self), Number(order), Ints(dims), Bool(keepdim), Type(dtype), Out(out)) {
  out.copy_(at::linalg_vector_norm(self, order, Dims(dims), keepdim, dtype));
}
ACLNN(Norm, In(self), Number(order), Ints(dims), Bool(keepdim), Out(out)) {
  out.copy_(at::norm(self, order, dims, keepdim));
}

ACLNN(Sort, In(self), Bool(stable), Int(dim), Bool(descending), Out(values), Out(indices)) {
  const auto [sorted, places] = at::sort(self, stable, dim, descending);
  values.copy_(sorted);
  indices.copy_(places);
}
ACLNN(Topk, In(self), Int(k), Int(dim), Bool(largest), Bool(sorted), Out(values), Out(indices)) {
  const auto [best, places] = at::topk(self, k, dim, largest, sorted);
  values.copy_(best);
  indices.copy_(places);
}
ACLNN(Gather, In(self), Int(dim), In(index), Out(out)) { at::gather_out(out, self, dim, index); }
ACLNN(ScatterAdd, In(self), Int(dim), In(index), In(source), Out(out)) {
  out.copy_(at::scatter_add(self, dim, index, source));
}
ACLNN(IndexSelect, In(self), Int(dim), In(index), Out(out)) { at::index_select_out(out, self, dim, index); }
ACLNN(IndexAdd, In(self), Int(dim), In(index), In(source), Number(alpha), Out(out)) {
  out.copy_(at::index_add(self, dim, index, source, alpha));
}
ACLNN(InplaceMaskedFillScalar, InOut(self), In(mask), Number(value)) { self.masked_fill_(mask, value); }
ACLNN(InplaceMaskedFillTensor, InOut(self), In(mask), In(value)) { self.masked_fill_(mask, value); }
ACLNN(Index, In(self), InList(indices), Out(out)) { Take(out, self, indices); }
ACLNN(IndexPutImpl, InOut(self), Indices(indices), In(values), Bool(accumulate), Bool(unsafe)) {
  Put(self, indices, values, accumulate);
}
ACLNN(MaskedSelect, In(self), In(mask), Found(out)) { out.Give(at::masked_select(self, mask)); }
ACLNN(Nonzero, In(self), Found(out)) { out.Give(at::nonzero(self)); }
ACLNN(Unique2, In(self), Bool(sorted), Bool(with_places), Bool(with_counts), Found(values), Out(places),
      Out(counts)) {
  const auto [found, found_places, found_counts] = at::_unique2(self, sorted, with_places, with_counts);
  values.Give(found);
  if (with_places) places.copy_(found_places);
  if (with_counts) counts.slice(0, 0, found_counts.numel()).copy_(found_counts);
}
ACLNN(Unique, In(self), Bool(sorted), Bool(with_places), Found(values), Out(places)) {
  const auto [found, found_places] = at::_unique(self, sorted, with_places);
  values.Give(found);
  if (with_places) places.copy_(found_places);
}
ACLNN(UniqueDim, In(self), Bool(sorted), Bool(with_places), Int(dim), Found(values), Out(places),
      Found(counts)) {
  const auto [found, found_places, found_counts] = at::unique_dim(self, dim, sorted, true, true);
  values.Give(found), places.copy_(found_places), counts.Give(found_counts);
}
ACLNN(UniqueConsecutive, In(self), Bool(with_places), Bool(with_counts), Int(dim), Found(values), Out(places),
      Found(counts)) {
  const std::optional<int64_t> along = dim == kNoDim ? std::nullopt : std::optional<int64_t>(dim);
  const auto [found, found_places, found_counts] =
      at::unique_consecutive(self, with_places, with_counts, along);
  values.Give(found);
  if (with_places) places.copy_(found_places);
  if (with_counts) counts.Give(found_counts);
}
ACLNN(NonzeroV2, In(self), Found(out)) { out.Give(at::nonzero(self).t().contiguous()); }
