// SPDX-License-Identifier: Apache-2.0
// Operators that select, scatter, count, repeat and search.
#include <ATen/ATen.h>

#include "table.h"

using sim::builtin::Given;

namespace {

using Ints = std::vector<int64_t>;

// How aclnnScatter joins a value with the one that is there: 0 takes the new one, 1 adds, 2 multiplies.
at::Tensor Scattered(const at::Tensor &self, int64_t dim, const at::Tensor &index, const at::Tensor &source,
                     int64_t reduction) {
  if (reduction == 0) return at::scatter(self, dim, index, source);
  return at::scatter(self, dim, index, source, reduction == 1 ? "add" : "multiply");
}
at::Tensor Scattered(const at::Tensor &self, int64_t dim, const at::Tensor &index, const at::Scalar &value,
                     int64_t reduction) {
  if (reduction == 0) return at::scatter(self, dim, index, value);
  return at::scatter(self, dim, index, value, reduction == 1 ? "add" : "multiply");
}

std::tuple<at::Tensor, at::Tensor> MinMax(const at::Tensor &self, const Ints &dims, bool keepdim) {
  return {at::amin(self, dims, keepdim), at::amax(self, dims, keepdim)};
}

// How aclnnScatterReduce joins values; the index in the table is the number that torch_npu passes.
constexpr const char *kReductions[] = {"none", "sum", "prod", "amax", "amin", "mean"};

at::Tensor ScatterReduced(const at::Tensor &self, int64_t dim, const at::Tensor &index,
                          const at::Tensor &source, int64_t reduction, bool include_self) {
  if (reduction == 0) return at::scatter(self, dim, index, source);
  return at::scatter_reduce(self, dim, index, source, kReductions[reduction], include_self);
}

// Writes rows to the places that the last dimension of the indices names.
void PutRows(at::Tensor &self, const at::Tensor &indices, const at::Tensor &rows) {
  c10::List<std::optional<at::Tensor>> places;
  for (const at::Tensor &place : indices.to(at::kLong).unbind(-1)) places.push_back(place);
  self.index_put_(places, rows);
}

// Writes updates of each batch along a dimension, from the position that the batch's index names.
void PutParts(at::Tensor &self, const at::Tensor &starts, const at::Tensor &updates, int64_t dim) {
  for (int64_t i = 0; i < starts.numel(); ++i)
    self[i]
        .narrow(dim < 0 ? dim : dim - 1, starts.view(-1)[i].item<int64_t>(), updates.size(dim))
        .copy_(updates[i]);
}

std::optional<int64_t> Padding(int64_t index) {
  return index < 0 ? std::nullopt : std::optional<int64_t>(index);
}

at::Tensor Flat(const at::Tensor &self, const at::Tensor &repeats) {
  return at::repeat_interleave(self.reshape(-1), repeats);
}

}  // namespace

ATEN(Scatter, Scattered, (In(self), Int(dim), In(index), In(source), Int(reduction)), Out(out))
ATEN(ScatterValue, Scattered, (In(self), Int(dim), In(index), Number(value), Int(reduction)), Out(out))
ACLNN(InplaceScatter, InOut(self), Int(dim), In(index), In(source), Int(reduction)) {
  self.copy_(Scattered(self, dim, index, source, reduction));
}
ACLNN(InplaceScatterValue, InOut(self), Int(dim), In(index), Number(value), Int(reduction)) {
  self.copy_(Scattered(self, dim, index, value, reduction));
}
ATEN(ScatterReduce, ScatterReduced,
     (In(self), Int(dim), In(index), In(source), Int(reduction), Bool(include_self)), Out(out))
ACLNN(InplaceScatterReduce, InOut(self), Int(dim), In(index), In(source), Int(reduction),
      Bool(include_self)) {
  self.copy_(ScatterReduced(self, dim, index, source, reduction, include_self));
}
ACLNN(ScatterNdUpdate, InOut(self), In(indices), In(rows)) { PutRows(self, indices, rows); }
ACLNN(InplaceScatterUpdate, InOut(self), In(starts), In(updates), Int(dim)) {
  PutParts(self, starts, updates, dim);
}
ATEN(IndexCopy, at::index_copy, (In(self), Int(dim), In(index), In(source)), Out(out))
METHOD(InplaceIndexCopy, index_copy_, Int(dim), In(index), In(source))
ATEN(IndexFill, at::index_fill, (In(self), Int(dim), In(index), Number(value)), Out(out))
METHOD(InplaceIndexFill, index_fill_, Int(dim), In(index), Number(value))
METHOD(InplaceMaskedScatter, masked_scatter_, In(mask), In(source))
METHOD(InplacePut, put_, In(index), In(source), Bool(accumulate))
ATEN(Take, at::take, (In(self), In(index)), Out(out))
ACLNN(OneHot, In(self), Int(depth), In(on), In(off), Int(axis), Out(out)) {
  out.copy_(at::one_hot(self.to(at::kLong), depth));
}
ACLNN(SearchSorteds, In(sorted), Number(value), Bool(int32), Bool(right), In(sorter), Out(out)) {
  out.copy_(at::searchsorted(sorted, value, int32, right, std::nullopt, Given(sorter)));
}
ACLNN(SearchSorted, In(sorted), In(self), Bool(int32), Bool(right), In(sorter), Out(out)) {
  out.copy_(at::searchsorted(sorted, self, int32, right, std::nullopt, Given(sorter)));
}
ATEN(Bincount, at::bincount, (In(self), In(weight), Int(minlength)), Out(out))
ATEN(Histc, at::histc, (In(self), Int(bins), Number(low), Number(high)), Out(out))
ATEN(Kthvalue, at::kthvalue, (In(self), Int(k), Int(dim), Bool(keepdim)), Out(values), Out(indices))
ATEN(Median, at::median, (In(self)), Out(out))
ATEN(NanMedian, at::nanmedian, (In(self)), Out(out))
ATEN(MedianDim, at::median, (In(self), Int(dim), Bool(keepdim)), Out(values), Out(indices))
ATEN(NanMedianDim, at::nanmedian, (In(self), Int(dim), Bool(keepdim)), Out(values), Out(indices))
ATEN(Aminmax, MinMax, (In(self), Ints(dims), Bool(keepdim)), Out(low), Out(high))
ATEN(AminmaxAll, at::_aminmax, (In(self)), Out(low), Out(high))
ATEN(AminmaxDim, at::_aminmax, (In(self), Int(dim), Bool(keepdim)), Out(low), Out(high))
ACLNN(Cumprod, In(self), Number(dim), Type(dtype), Out(out)) {
  out.copy_(at::cumprod(self, dim.toLong(), dtype));
}
ACLNN(ProdDim, In(self), Int(dim), Bool(keepdim), Type(dtype), Out(out)) {
  out.copy_(at::prod(self, dim, keepdim, dtype));
}
ACLNN(ReduceNansum, In(self), Ints(dims), Bool(keepdim), Type(dtype), Out(out)) {
  out.copy_(at::nansum(self, dims, keepdim, dtype));
}
ACLNN(StdMeanCorrection, In(self), Ints(dims), Int(correction), Bool(keepdim), Out(deviation), Out(mean)) {
  const auto [spread, middle] = at::std_mean(self, dims, at::Scalar(correction), keepdim);
  deviation.copy_(spread), mean.copy_(middle);
}
ATEN(LogSumExp, at::logsumexp, (In(self), Ints(dims), Bool(keepdim)), Out(out))
ATEN(Renorm, at::renorm, (In(self), Number(p), Int(dim), Number(limit)), Out(out))
METHOD(InplaceRenorm, renorm_, Number(p), Int(dim), Number(limit))
ATEN(Trace, at::trace, (In(self)), Out(out))
ATEN(EmbeddingDenseBackward, at::embedding_dense_backward,
     (In(grad), In(indices), Int(count), Int(padding), Bool(by_frequency)), Out(out))
ACLNN(EmbeddingBag, In(weight), In(indices), In(offsets), Bool(by_frequency), Int(mode), Bool(sparse),
      In(sample_weights), Bool(last_offset), Int(padding), Out(out), Out(bags), Out(sizes), Out(largest)) {
  const auto [sums, unused_bags, unused_sizes, maxima] =
      at::embedding_bag(weight, indices, offsets, by_frequency, mode, sparse, Given(sample_weights),
                        last_offset, Padding(padding));
  out.copy_(sums);
  // ATen's CPU kernels leave out what they do not need. These are for every mode.
  const at::Tensor bag =
      at::searchsorted(offsets, at::arange(indices.numel(), offsets.options()), false, true) - 1;
  const at::Tensor counted = bag.masked_select(indices.view(-1).ne(padding));
  ::sim::builtin::Give(bags, bag);
  ::sim::builtin::Give(sizes, at::bincount(counted, {}, sizes.numel()).slice(0, 0, sizes.numel()));
  if (maxima.sizes() == largest.sizes()) ::sim::builtin::Give(largest, maxima);
}
ACLNN(EmbeddingRenorm, InOut(self), In(indices), Double(limit), Double(p)) {
  at::embedding_renorm_(self, indices, limit, p);
}
ACLNN(RepeatInterleave, In(self), In(repeats), Int(size), Out(out)) { out.copy_(Flat(self, repeats)); }
ACLNN(RepeatInterleaveInt, In(self), Int(repeats), Int(size), Out(out)) {
  out.copy_(at::repeat_interleave(self.reshape(-1), repeats));
}
ACLNN(RepeatInterleaveIntWithDim, In(self), Int(repeats), Int(dim), Int(size), Out(out)) {
  out.copy_(at::repeat_interleave(self, repeats, dim));
}
ACLNN(RepeatInterleaveWithDim, In(self), In(repeats), Int(dim), Int(size), Out(out)) {
  out.copy_(at::repeat_interleave(self, repeats, dim));
}
ACLNN(RepeatInterleaveTensor, In(repeats), Int(size), Out(out)) { out.copy_(at::repeat_interleave(repeats)); }
ACLNN(LogSpace, Number(start), Number(end), Int(steps), Double(base), Out(out)) {
  out.copy_(at::logspace(start, end, steps, base, out.options()));
}
ATEN(ChunkCat, at::_chunk_cat, (InList(tensors), Int(dim), Int(chunks)), Out(out))
ACLNN(CoalesceSparse, In(kept), In(groups), In(indices), In(values), InOut(new_indices), InOut(new_values)) {
  new_indices.index_copy_(0, groups.to(at::kLong), indices);
  new_values.index_add_(0, groups.to(at::kLong), values);
}
