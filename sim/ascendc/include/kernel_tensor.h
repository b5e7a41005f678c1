// SPDX-License-Identifier: Apache-2.0
// LocalTensor and GlobalTensor: typed views of on-chip memory and of GM.
#pragma once

#include "kernel_constants.h"
#include "kernel_macros.h"
#include "kernel_struct_data_copy.h"
#include "sim/float16_types.h"
#include "sim/int4.h"
#include "sim/operand.h"
#include "sim/print.h"

namespace AscendC {

using TTagType = int32_t;

template <typename T>
using PrimT = T;

struct ShapeInfo {
  ShapeInfo() = default;
  ShapeInfo(uint8_t dims, const uint32_t sizes[], uint8_t original_dims, const uint32_t original_sizes[],
            DataFormat format)
      : shapeDim(dims), originalShapeDim(original_dims), dataFormat(format) {
    std::copy_n(sizes, std::min<uint32_t>(dims, K_MAX_SHAPE_DIM), shape);
    std::copy_n(original_sizes, std::min<uint32_t>(original_dims, K_MAX_SHAPE_DIM), originalShape);
  }
  ShapeInfo(uint8_t dims, const uint32_t sizes[], DataFormat format = DataFormat::ND)
      : ShapeInfo(dims, sizes, dims, sizes, format) {}

  uint8_t shapeDim = 0;
  uint8_t originalShapeDim = 0;
  uint32_t shape[K_MAX_SHAPE_DIM] = {};
  uint32_t originalShape[K_MAX_SHAPE_DIM] = {};
  DataFormat dataFormat = DataFormat::ND;
};

inline uint64_t GetShapeSize(const ShapeInfo &info) {
  uint64_t size = 1;
  for (int i = 0; i < info.shapeDim; ++i) {
    size *= info.shape[i];
  }
  return size;
}

}  // namespace AscendC

namespace sim {

// Describes one access of the scalar unit and has it judged; the caller then does it. `cached`: an access to
// GM goes through the data cache.
template <typename T>
void IssueScalar(const char *name, Space space, uint64_t address, bool write, uint64_t view_bytes,
                 Where where, bool cached = true) {
  Core &core = Core::Current();
  Instruction instruction;
  instruction.name = name;
  instruction.where = where;
  instruction.elements = 1;
  instruction.uncached = !cached;
  if (std::is_integral_v<T>) instruction.flow = ValueFlow::kBits;
  Operand operand;
  operand.name = write ? "dst" : "src";
  operand.space = space;
  operand.write = write;
  operand.address = address;
  operand.row_bytes = sizeof(T);
  operand.alignment = sizeof(T);
  if (space != Space::GM) {
    CheckView(core, name, operand, view_bytes, where, FaultKind::kUbBounds);
  }
  instruction.Add(operand);
  core.Issue(instruction);
}

template <typename T>
T ScalarLoad(Space space, uint64_t address, uint64_t view_bytes, Where where, bool cached = true) {
  IssueScalar<T>("GetValue", space, address, false, view_bytes, where, cached);
  T value;
  std::memcpy(&value, Core::Current().Memory(space, address), sizeof(T));
  return value;
}

template <typename T>
void ScalarStore(Space space, uint64_t address, uint64_t view_bytes, T value, Where where,
                 bool cached = true) {
  IssueScalar<T>("SetValue", space, address, true, view_bytes, where, cached);
  std::memcpy(Core::Current().Memory(space, address), &value, sizeof(T));
}

template <typename T, typename F>
struct TensorExpression;

// An element that operator() of a tensor returns. To read or write it is an instruction of the scalar unit.
template <typename T>
class Element {
 public:
  Element(Space space, uint64_t address, uint64_t view_bytes, Where where)
      : space_(space), address_(address), view_bytes_(view_bytes), where_(where) {}
  operator T() const { return ScalarLoad<T>(space_, address_, view_bytes_, where_); }
  // static_cast<float>(tensor(0)) of a tensor of half.
  template <typename U, typename = std::enable_if_t<std::is_class_v<T> && std::is_arithmetic_v<U>>>
  explicit operator U() const {
    return static_cast<U>(static_cast<T>(*this));
  }
  const Element &operator=(T value) const {
    ScalarStore<T>(space_, address_, view_bytes_, value, where_);
    return *this;
  }
  const Element &operator=(const Element &other) const { return *this = static_cast<T>(other); }

 private:
  Space space_;
  uint64_t address_;
  uint64_t view_bytes_;
  Where where_;
};

}  // namespace sim

namespace AscendC {

template <typename T>
class LocalTensor : public sim::LocalTensorBase {
 public:
  using PrimType = T;

  LocalTensor() = default;
  explicit LocalTensor(const sim::LocalTensorBase &base) : sim::LocalTensorBase(base) {}
  LocalTensor(TPosition pos, uint32_t addr, uint32_t tileSize) {
    address = addr;
    bytes = sim::BytesFor<T>(tileSize);
    space = sim::SpaceOf(pos);
    position = pos;
  }

  // The address in its memory, as on the device. It is no host pointer.
  uint64_t GetPhyAddr() const { return address; }
  uint64_t GetPhyAddr(uint32_t offset) const { return address + sim::BytesFor<T>(offset); }

  T GetValue(uint32_t index, sim::Where where = sim::Where::Here()) const {
    return sim::ScalarLoad<T>(space, GetPhyAddr(index), Left(index), where);
  }
  template <typename S>
  void SetValue(uint32_t index, S value, sim::Where where = sim::Where::Here()) const {
    sim::ScalarStore<T>(space, GetPhyAddr(index), Left(index), static_cast<T>(value), where);
  }
  sim::Element<T> operator()(uint32_t offset, sim::Where where = sim::Where::Here()) const {
    return {space, GetPhyAddr(offset), Left(offset), where};
  }

  // dst = src0 + src1 and its like (kernel_tensor_operators.h).
  template <typename F, typename S>
  void operator=(const sim::TensorExpression<S, F> &expression) {
    expression.AssignTo(*this);
  }

  // A view from element `offset` to the end. One that starts after the end is empty, and its first use is a
  // fault.
  LocalTensor operator[](uint32_t offset) const {
    LocalTensor view = *this;
    view.address = GetPhyAddr(offset);
    view.bytes = Left(offset);
    return view;
  }
  template <typename U>
  LocalTensor<U> ReinterpretCast() const {
    return LocalTensor<U>(static_cast<const sim::LocalTensorBase &>(*this));
  }
  template <typename S>
  void SetAddrWithOffset(LocalTensor<S> &src, uint32_t offset) {
    static_cast<sim::LocalTensorBase &>(*this) = src;
    address += sim::BytesFor<T>(offset);
    bytes -= std::min<uint64_t>(bytes, sim::BytesFor<T>(offset));
  }

  int32_t GetPosition() const { return static_cast<int32_t>(position); }
  void SetSize(uint32_t size) { bytes = sim::BytesFor<T>(size); }
  uint32_t GetSize() const { return static_cast<uint32_t>(sim::ElementsIn<T>(bytes)); }
  uint32_t GetLength() const { return static_cast<uint32_t>(bytes); }
  void SetBufferLen(uint32_t dataLen) { bytes = dataLen; }
  void SetUserTag(TTagType tag) { tag_ = tag; }
  TTagType GetUserTag() const { return tag_; }
  void SetShapeInfo(const ShapeInfo &shapeInfo) { shapeInfo_ = shapeInfo; }
  ShapeInfo GetShapeInfo() const { return shapeInfo_; }

  // Aids for people: they print elements, a data block a line, and write them to a file. No judge sees it.
  void Print() const { Print(GetSize()); }
  void Print(uint32_t len) const { sim::PrintElements<T>(space, address, std::min(len, GetSize())); }
  int32_t ToFile(const std::string &fileName) const {
    return sim::SaveBytes(space, address, bytes, fileName);
  }

 private:
  uint64_t Left(uint32_t offset) const { return bytes - std::min<uint64_t>(bytes, sim::BytesFor<T>(offset)); }

  TTagType tag_ = 0;
  ShapeInfo shapeInfo_;
};

template <typename T>
class GlobalTensor {
 public:
  using PrimType = T;

  void SetGlobalBuffer(__gm__ T *buffer, uint64_t bufferSize) {
    address_ = buffer;
    bufferSize_ = bufferSize;
    begin_ = reinterpret_cast<uint64_t>(buffer);
    end_ = begin_ + sim::BytesFor<T>(bufferSize);
  }
  void SetGlobalBuffer(__gm__ T *buffer) {
    address_ = buffer;
    bufferSize_ = 0;
    begin_ = 0;
    end_ = ~uint64_t{0};
  }
  const __gm__ T *GetPhyAddr() const { return address_; }
  __gm__ T *GetPhyAddr(uint64_t offset) const { return reinterpret_cast<T *>(AddressOf(offset)); }

  T GetValue(uint64_t offset, sim::Where where = sim::Where::Here()) const {
    CheckBounds("GetValue", AddressOf(offset), sizeof(T), where);
    return sim::ScalarLoad<T>(sim::Space::GM, AddressOf(offset), 0, where);
  }
  void SetValue(uint64_t offset, T value, sim::Where where = sim::Where::Here()) const {
    CheckBounds("SetValue", AddressOf(offset), sizeof(T), where);
    sim::ScalarStore<T>(sim::Space::GM, AddressOf(offset), 0, value, where);
  }
  sim::Element<T> operator()(uint64_t offset, sim::Where where = sim::Where::Here()) const {
    CheckBounds("operator()", AddressOf(offset), sizeof(T), where);
    return {sim::Space::GM, AddressOf(offset), 0, where};
  }
  GlobalTensor operator[](uint64_t offset) const {
    GlobalTensor view = *this;
    view.address_ = GetPhyAddr(offset);
    return view;
  }

  uint64_t GetSize() const { return bufferSize_; }
  void SetShapeInfo(const ShapeInfo &shapeInfo) { shapeInfo_ = shapeInfo; }
  ShapeInfo GetShapeInfo() const { return shapeInfo_; }
  template <CacheRwMode rwMode = CacheRwMode::RW>
  void SetL2CacheHint(CacheMode mode) {
    cacheMode_ = mode;
  }

  // Judges whether [address, address + bytes) leaves the buffer that SetGlobalBuffer was given. The device
  // does not look at its size, so that this is a warning within the allocation, and an error in the next one.
  // What lies in no allocation is for the core to find.
  void CheckBounds(const char *instruction, uint64_t address, uint64_t bytes, sim::Where where) const {
    if (address >= begin_ && address <= end_ && bytes <= end_ - address) {
      return;
    }
    sim::Core &core = sim::Core::Current();
    const sim::Core::Holder holder = core.HolderOf(address, bytes, begin_);
    if (holder == sim::Core::Holder::kNone) {
      return;
    }
    const bool same = holder == sim::Core::Holder::kSame;
    core.Report(same ? sim::FaultKind::kBeyondTensor : sim::FaultKind::kGmBounds, instruction, where,
                "access of " + std::to_string(bytes) + " bytes at byte " +
                    std::to_string(static_cast<int64_t>(address - begin_)) + " of a GlobalTensor of " +
                    std::to_string(end_ - begin_) + " bytes, in " +
                    (same ? "its allocation" : "another allocation"));
  }

  __gm__ T *address_ = nullptr;
  uint64_t bufferSize_ = 0;
  ShapeInfo shapeInfo_;
  CacheMode cacheMode_ = CacheMode::CACHE_MODE_NORMAL;

 private:
  uint64_t AddressOf(uint64_t offset) const {
    return reinterpret_cast<uint64_t>(address_) + sim::BytesFor<T>(offset);
  }

  uint64_t begin_ = 0;
  uint64_t end_ = 0;
};

}  // namespace AscendC
