// SPDX-License-Identifier: Apache-2.0
// The tiling data of an operator, under CANN's names. A definition is a class for the host; the kernel gets a
// plain struct of the same layout. Fields and ends may have no
// semicolon in sources, so the macros bring one.
//
//     BEGIN_TILING_DATA_DEF(MyTiling)               struct alignas(8) MyTiling {
//     TILING_DATA_FIELD_DEF(uint32_t, rows);          uint32_t rows;
//     TILING_DATA_FIELD_DEF_ARR(float, 3, scales);    float scales[3];
//     TILING_DATA_FIELD_DEF_STRUCT(Tile, tile);       Tile tile;
//     END_TILING_DATA_DEF;                          };
//
// A field begins at a multiple of its type's bytes, a struct in it at a multiple of 8, and so does the end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "graph/ascend_string.h"
#include "securec.h"

namespace optiling {

struct TilingField {
  std::string type;
  std::string name;
  size_t offset = 0;
  size_t count = 0;  // of an array; 0 for a single value
  bool is_struct = false;
  ptrdiff_t member = 0;  // of a struct: where the member lies behind the start of this object
};

class TilingDef {
 public:
  // Copies the data, structs in it included, to a buffer of at least GetDataSize() bytes. A smaller one stays
  // as it is.
  void SaveToBuffer(void *buffer, size_t capacity) const {
    if (buffer == nullptr || capacity < GetDataSize()) return;
    std::memcpy(buffer, Bytes(), size_);
    for (const TilingField &field : fields_) {
      if (!field.is_struct) continue;
      const TilingDef &inner = Member(field);
      inner.SaveToBuffer(static_cast<uint8_t *>(buffer) + field.offset, inner.GetDataSize());
    }
  }
  size_t GetDataSize() const { return size_; }
  const char *GetTilingClassName() const { return name_; }
  // From now on the setters write to this buffer.
  void SetDataPtr(void *buffer) { buffer_ = static_cast<uint8_t *>(buffer); }
  const std::vector<TilingField> &Fields() const { return fields_; }
  const TilingDef &Member(const TilingField &field) const {
    return *reinterpret_cast<const TilingDef *>(reinterpret_cast<const char *>(this) + field.member);
  }

 protected:
  explicit TilingDef(const char *name) : name_(name) {}

  size_t AddField(const char *type, const char *name, size_t bytes, size_t count) {
    const size_t offset = Grow(bytes, bytes * (count == 0 ? 1 : count));
    fields_.push_back({type, name, offset, count});
    return offset;
  }
  size_t AddStruct(const char *type, const char *name, const TilingDef &member) {
    const size_t offset = Grow(kAlignment, member.GetDataSize());
    fields_.push_back({type, name, offset, 0, true,
                       reinterpret_cast<const char *>(&member) - reinterpret_cast<const char *>(this)});
    return offset;
  }
  void End() { Grow(kAlignment, 0); }
  template <typename T>
  void Put(size_t offset, const T *values, size_t count) {
    if (values != nullptr && Bytes() + offset != reinterpret_cast<const uint8_t *>(values)) {
      std::memcpy(Bytes() + offset, values, count * sizeof(T));
    }
  }
  template <typename T>
  T *At(size_t offset) {
    return reinterpret_cast<T *>(Bytes() + offset);
  }

 private:
  static constexpr size_t kAlignment = 8;

  size_t Grow(size_t alignment, size_t bytes) {
    const size_t offset = (size_ + alignment - 1) / alignment * alignment;
    size_ = offset + bytes;
    bytes_.resize(size_);
    return offset;
  }
  uint8_t *Bytes() { return buffer_ != nullptr ? buffer_ : bytes_.data(); }
  const uint8_t *Bytes() const { return buffer_ != nullptr ? buffer_ : bytes_.data(); }

  const char *name_;
  std::vector<TilingField> fields_;
  std::vector<uint8_t> bytes_;
  uint8_t *buffer_ = nullptr;
  size_t size_ = 0;
};

// `type`: the operator, or, with a tiling key behind it, OPERATOR_KEY.
__attribute__((visibility("default"))) int RegisterTilingData(const char *type, const TilingDef &data);

}  // namespace optiling

#define BEGIN_TILING_DATA_DEF(class_name)                                    \
  class class_name : public ::optiling::TilingDef {                          \
   public:                                                                   \
    class_name() : ::optiling::TilingDef(#class_name) { End(); }             \
    explicit class_name(void *buffer) : ::optiling::TilingDef(#class_name) { \
      End();                                                                 \
      SetDataPtr(buffer);                                                    \
    }

#define TILING_DATA_FIELD_DEF(data_type, field_name)                               \
 public:                                                                           \
  void set_##field_name(data_type value) { Put(field_name##_offset_, &value, 1); } \
  data_type get_##field_name() { return *At<data_type>(field_name##_offset_); }    \
                                                                                   \
 private:                                                                          \
  size_t field_name##_offset_ = AddField(#data_type, #field_name, sizeof(data_type), 0);

#define TILING_DATA_FIELD_DEF_ARR(data_type, array_size, field_name)                                \
 public:                                                                                            \
  void set_##field_name(const data_type *values) { Put(field_name##_offset_, values, array_size); } \
  data_type *get_##field_name() { return At<data_type>(field_name##_offset_); }                     \
                                                                                                    \
 private:                                                                                           \
  size_t field_name##_offset_ = AddField(#data_type, #field_name, sizeof(data_type), array_size);

#define TILING_DATA_FIELD_DEF_STRUCT(struct_type, field_name) \
 public:                                                      \
  struct_type field_name;                                     \
                                                              \
 private:                                                     \
  size_t field_name##_offset_ = AddStruct(#struct_type, #field_name, field_name);

#define END_TILING_DATA_DEF \
  }                         \
  ;

#define REGISTER_TILING_DATA_CLASS(type, class_name)                         \
  [[maybe_unused]] static const int g_tiling_data_of_##type##_##class_name = \
      ::optiling::RegisterTilingData(#type, class_name());
