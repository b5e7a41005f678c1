// SPDX-License-Identifier: Apache-2.0
// Operators that make, fill, copy, join and reduce tensors.
#include <ATen/ATen.h>

#include "bridge.h"

#include <ATen/CPUGeneratorImpl.h>

namespace {

// Generators of a device count: a seed and an offset in its sequence determine the numbers.
at::Generator From(int64_t seed, int64_t offset) {
  return at::make_generator<at::CPUGeneratorImpl>(static_cast<uint64_t>(seed) * 2654435761u + offset);
}

at::OptionalIntArrayRef Dims(const std::vector<int64_t> &dims) {
  return dims.empty() ? at::OptionalIntArrayRef() : at::OptionalIntArrayRef(dims);
}

// A tensor without elements stands for an index that is not given.
c10::List<std::optional<at::Tensor>> Indices(const sim::builtin::Tensors &tensors) {
  c10::List<std::optional<at::Tensor>> indices;
  for (const at::Tensor &tensor : tensors) {
    indices.push_back(tensor.defined() && tensor.numel() > 0 ? std::optional<at::Tensor>(tensor)
                                                             : std::nullopt);
  }
  return indices;
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
ACLNN(InplaceNormal, InOut(self), Float(mean), Float(deviation), Int(seed), Int(offset)) {
  self.normal_(mean, deviation, From(seed, offset));
}
ACLNN(InplaceUniform, InOut(self), Double(low), Double(high), Int(seed), Int(offset)) {
  self.uniform_(low, high, From(seed, offset));
}
ACLNN(InplaceRandom, InOut(self), Int(low), Int(high), Int(seed), Int(offset)) {
  self.random_(low, high, From(seed, offset));
}
ACLNN(Randperm, Int(n), Int(seed), Int(offset), Out(out)) {
  out.copy_(at::randperm(n, From(seed, offset), at::kLong));
}
ACLNN(InplaceBernoulli, InOut(self), Number(probability), Int(seed), Int(offset)) {
  self.bernoulli_(probability.toDouble(), From(seed, offset));
}
ACLNN(Multinomial, In(self), Int(samples), Bool(replacement), Int(seed), Int(offset), Out(out)) {
  out.copy_(at::multinomial(self, samples, replacement, From(seed, offset)));
}

ACLNN(Cat, InList(tensors), Int(dim), Out(out)) { at::cat_out(out, tensors, dim); }
ACLNN(Stack, InList(tensors), Int(dim), Out(out)) { at::stack_out(out, tensors, dim); }
ACLNN(Permute, In(self), Ints(dims), Out(out)) { out.copy_(self.permute(dims)); }
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
ACLNN(Index, In(self), InList(indices), Out(out)) {
  // Nothing to do where nothing is selected: an index without elements looks like one that is not given.
  if (out.numel() > 0) out.copy_(at::index(self, Indices(indices)));
}
ACLNN(IndexPutImpl, InOut(self), InList(indices), In(values), Bool(accumulate), Bool(unsafe)) {
  at::index_put_(self, Indices(indices), values, accumulate);
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
ACLNN(NonzeroV2, In(self), Found(out)) { out.Give(at::nonzero(self).t().contiguous()); }
