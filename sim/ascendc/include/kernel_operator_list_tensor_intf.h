// SPDX-License-Identifier: Apache-2.0
// Lists of tensors in global memory: addresses and shapes, in words of 64 bits.
#pragma once

#include "kernel_tensor.h"

namespace AscendC {

template <class T>
class TensorDesc {
 public:
  // Where GetDesc of a list writes the shape.
  void SetShapeAddr(uint64_t *shapePtr) { shape_ = shapePtr; }
  uint64_t GetDim() const { return dim_; }
  uint64_t GetIndex() const { return index_; }
  uint64_t GetShape(uint32_t offset) const { return shape_[offset]; }
  __gm__ T *GetDataPtr() const { return data_; }
  GlobalTensor<T> GetDataObj() const {
    uint64_t size = 1;
    for (uint64_t i = 0; i < dim_; ++i) size *= shape_[i];
    GlobalTensor<T> tensor;
    tensor.SetGlobalBuffer(data_, size);
    return tensor;
  }

 private:
  friend class ListTensorDesc;

  uint64_t dim_ = 0;
  uint64_t index_ = 0;
  uint64_t *shape_ = nullptr;
  __gm__ T *data_ = nullptr;
};

//   word 0               offset of the addresses, in bytes
//   for each tensor:     dimensions (low 32 bits), number of tensors or index (high 32 bits); its sizes
//   at the offset:       an address for each tensor
//
// With 0 dimensions there are no shapes, and one word of 0xFFFFFFFF in their place.
class ListTensorDesc {
 public:
  ListTensorDesc() = default;
  ListTensorDesc(__gm__ void *data, uint32_t length = 0xFFFFFFFF, uint32_t shapeSize = 0xFFFFFFFF,
                 sim::Where where = sim::Where::Here()) {
    Init(data, length, shapeSize, where);
  }

  void Init(__gm__ void *data, uint32_t length = 0xFFFFFFFF, uint32_t shapeSize = 0xFFFFFFFF,
            sim::Where where = sim::Where::Here()) {
    data_ = reinterpret_cast<uint64_t>(data);
    addresses_ = data_ + Word(data_, where);
    const uint64_t first = Word(data_ + kWord, where);
    dim_ = static_cast<uint32_t>(first);
    words_ = dim_ == 0 ? 2 : 1 + dim_;
    count_ = static_cast<uint32_t>(first >> 32);
    if (count_ == 0) count_ = static_cast<uint32_t>(Word(addresses_ - words_ * kWord, where) >> 32) + 1;
    const bool known = length != 0xFFFFFFFF && shapeSize != 0xFFFFFFFF;
    const uint64_t bytes = addresses_ - data_ + count_ * kWord;
    if (known && (count_ != shapeSize || length != bytes)) {
      sim::Core::Current().Fail(sim::FaultKind::kOther, "ListTensorDesc::Init", where,
                                "length and shapeSize must be " + std::to_string(bytes) + " and " +
                                    std::to_string(count_) + ", as the list says; got " +
                                    std::to_string(length) + " and " + std::to_string(shapeSize));
    }
  }
  template <class T>
  void GetDesc(TensorDesc<T> &desc, uint32_t index, sim::Where where = sim::Where::Here()) {
    desc.dim_ = dim_;
    desc.index_ = index;
    desc.data_ = GetDataPtr<T>(index, where);
    for (uint32_t i = 0; i < dim_; ++i) {
      desc.shape_[i] = Word(data_ + (1 + index * words_ + 1 + i) * kWord, where);
    }
  }
  template <class T>
  __gm__ T *GetDataPtr(uint32_t index, sim::Where where = sim::Where::Here()) {
    sim::CheckRange(sim::Core::Current(), sim::FaultKind::kOther, "ListTensorDesc", where, "index", index, 0,
                    int64_t{count_} - 1);
    return reinterpret_cast<__gm__ T *>(Word(addresses_ + index * kWord, where));
  }
  uint32_t GetSize() const { return count_; }

 private:
  static constexpr uint64_t kWord = sizeof(uint64_t);
  static uint64_t Word(uint64_t address, sim::Where where) {
    return sim::ScalarLoad<uint64_t>(sim::Space::GM, address, 0, where);
  }

  uint64_t data_ = 0;
  uint64_t addresses_ = 0;
  uint32_t dim_ = 0;
  uint32_t words_ = 0;
  uint32_t count_ = 0;
};

}  // namespace AscendC
