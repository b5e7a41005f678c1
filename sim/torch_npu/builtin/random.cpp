// SPDX-License-Identifier: Apache-2.0
// Random numbers and dropout. A seed and an offset in its sequence determine the numbers.
#include <ATen/ATen.h>
#include <ATen/CPUGeneratorImpl.h>

#include "dropout.h"
#include "table.h"

namespace {

// Generators of a device count: a seed and an offset in its sequence determine the numbers.
at::Generator From(int64_t seed, int64_t offset) {
  return at::make_generator<at::CPUGeneratorImpl>(static_cast<uint64_t>(seed) * 2654435761u + offset);
}

// A mask of dropout has a bit for each element: 1 keeps it.
at::Tensor Bits(const at::Tensor &kept) {
  const int64_t bytes = (kept.numel() + 7) / 8;
  const at::Tensor padded = at::constant_pad_nd(kept, {0, bytes * 8 - kept.numel()}).view({bytes, 8});
  return padded.to(at::kByte).bitwise_left_shift(at::arange(8, at::kByte)).sum(1, false, at::kByte);
}

// In a captured graph a tensor holds the seed, and another one the offset of the replay.
at::Generator From(const at::Tensor &seed, const at::Tensor &offset, int64_t offset_in_graph) {
  return From(seed.item<int64_t>(), offset.item<int64_t>() + offset_in_graph);
}

int64_t Elements(const std::vector<int64_t> &shape) {
  int64_t count = 1;
  for (const int64_t size : shape) count *= size;
  return count;
}

void DrawMask(at::Tensor &mask, const std::vector<int64_t> &shape, double p, const at::Generator &generator) {
  const at::Tensor kept = at::empty({Elements(shape)}, at::kFloat).bernoulli_(1 - p, generator);
  const at::Tensor bits = Bits(kept);
  mask.zero_().slice(0, 0, bits.numel()).copy_(bits);
}

}  // namespace

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
ACLNN(InplaceBernoulliTensor, InOut(self), In(probability), Int(seed), Int(offset)) {
  self.bernoulli_(probability, From(seed, offset));
}
ACLNN(NormalFloatFloat, Float(mean), Float(deviation), Int(seed), Int(offset), Out(out)) {
  out.normal_(mean, deviation, From(seed, offset));
}
ACLNN(NormalFloatTensor, Float(mean), In(deviation), Int(seed), Int(offset), Out(out)) {
  out.copy_(at::normal(mean, deviation, From(seed, offset)));
}
ACLNN(NormalTensorFloat, In(mean), Float(deviation), Int(seed), Int(offset), Out(out)) {
  out.copy_(at::normal(mean, deviation, From(seed, offset)));
}
ACLNN(NormalTensorTensor, In(mean), In(deviation), Int(seed), Int(offset), Out(out)) {
  out.copy_(at::normal(mean, deviation, From(seed, offset)));
}
ACLNN(DropoutGenMask, Ints(shape), Double(p), Int(seed), Int(offset), Out(mask)) {
  DrawMask(mask, shape, p, From(seed, offset));
}
ACLNN(DropoutGenMaskV2, Ints(shape), Double(p), Int(seed), Int(offset), Type(dtype), Out(mask)) {
  DrawMask(mask, shape, p, From(seed, offset));
}
ACLNN(DropoutDoMask, In(self), In(mask), Double(p), Out(out)) {
  const at::Tensor kept = sim::builtin::KeptBits(mask, self.numel()).view(self.sizes());
  out.copy_(p == 1 ? at::zeros_like(self) : self * kept / (1 - p));
}
ACLNN(RReluWithNoise, In(self), InOut(noise), Number(low), Number(high), Bool(training), Int(seed),
      Int(offset), Out(out)) {
  out.copy_(at::rrelu_with_noise(self, noise, low, high, training, From(seed, offset)));
}
ACLNN(InplaceRReluWithNoise, InOut(self), InOut(noise), Number(low), Number(high), Bool(training), Int(seed),
      Int(offset)) {
  at::rrelu_with_noise_(self, noise, low, high, training, From(seed, offset));
}

// The same in captured graphs.
#define REPLAYED In(seed), In(offset), Int(offset_in_graph)
#define REPLAYED_GENERATOR From(seed, offset, offset_in_graph)
ACLNN(InplaceNormalTensor, InOut(self), Float(mean), Float(deviation), REPLAYED) {
  self.normal_(mean, deviation, REPLAYED_GENERATOR);
}
ACLNN(InplaceUniformTensor, InOut(self), Double(low), Double(high), REPLAYED) {
  self.uniform_(low, high, REPLAYED_GENERATOR);
}
ACLNN(InplaceRandomTensor, InOut(self), Int(low), Int(high), REPLAYED) {
  self.random_(low, high, REPLAYED_GENERATOR);
}
ACLNN(MultinomialTensor, In(self), Int(samples), Bool(replacement), REPLAYED, Out(out)) {
  out.copy_(at::multinomial(self, samples, replacement, REPLAYED_GENERATOR));
}
ACLNN(DropoutGenMaskV2Tensor, Ints(shape), Double(p), REPLAYED, Type(dtype), Out(mask)) {
  DrawMask(mask, shape, p, REPLAYED_GENERATOR);
}
