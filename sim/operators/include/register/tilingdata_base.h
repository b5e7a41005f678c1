// SPDX-License-Identifier: Apache-2.0
// The tiling data of an operator, under CANN's names. A definition is a class for the host; the kernel of an
// operator project gets a plain struct of the same layout, and a kernel of the same program reads the members
// of the class. Fields and ends may have no semicolon in sources, so the macros bring one.
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
  ptrdiff_t member = 0;  // where the member lies behind the start of this object
  size_t bytes = 0;      // of the member, where it is no struct
};

class TilingDef {
 public:
  // Copies the data, structs in it included, to a buffer of at least GetDataSize() bytes. A smaller one stays
  // as it is.
  void SaveToBuffer(void *buffer, size_t capacity) const {
    if (buffer == nullptr || capacity < GetDataSize()) return;
    std::memset(buffer, 0, size_);
    uint8_t *bytes = static_cast<uint8_t *>(buffer);
    for (const TilingField &field : fields_) {
      if (field.is_struct) {
        Member(field).SaveToBuffer(bytes + field.offset, Member(field).GetDataSize());
      } else {
        std::memcpy(bytes + field.offset, Place(field), field.bytes);
      }
    }
  }
  // Fills the members from a buffer of GetDataSize() bytes.
  void LoadFromBuffer(const void *buffer) {
    const uint8_t *bytes = static_cast<const uint8_t *>(buffer);
    for (const TilingField &field : fields_) {
      if (field.is_struct) {
        MutableMember(field).LoadFromBuffer(bytes + field.offset);
      } else {
        std::memcpy(const_cast<char *>(Place(field)), bytes + field.offset, field.bytes);
      }
    }
  }
  size_t GetDataSize() const { return size_; }
  const char *GetTilingClassName() const { return name_; }
  // Takes the data from this buffer. From now on the setters write there too.
  void SetDataPtr(void *buffer) {
    LoadFromBuffer(buffer);
    WriteTo(static_cast<uint8_t *>(buffer));
  }
  const std::vector<TilingField> &Fields() const { return fields_; }
  const TilingDef &Member(const TilingField &field) const {
    return *reinterpret_cast<const TilingDef *>(Place(field));
  }
  // Where a member of this object lies in the data.
  size_t OffsetOf(const void *member) const {
    for (const TilingField &field : fields_) {
      if (Place(field) == member) return field.offset;
    }
    return size_;
  }

 protected:
  explicit TilingDef(const char *name) : name_(name) {}

  size_t AddField(const char *type, const char *name, const void *member, size_t bytes, size_t count) {
    const size_t all = bytes * (count == 0 ? 1 : count);
    const size_t offset = Grow(bytes, all);
    fields_.push_back({type, name, offset, count, false, Behind(member), all});
    return offset;
  }
  size_t AddStruct(const char *type, const char *name, const TilingDef &member) {
    const size_t offset = Grow(kAlignment, member.GetDataSize());
    fields_.push_back({type, name, offset, 0, true, Behind(&member), 0});
    return offset;
  }
  void End() { Grow(kAlignment, 0); }
  // Sets a member of `count` values, and what the buffer has at its offset.
  template <typename T>
  void Put(T *member, size_t offset, const T *values, size_t count) {
    if (values == nullptr) return;
    if (values != member) std::memcpy(member, values, count * sizeof(T));
    if (buffer_ != nullptr) std::memcpy(buffer_ + offset, member, count * sizeof(T));
  }

 private:
  static constexpr size_t kAlignment = 8;

  size_t Grow(size_t alignment, size_t bytes) {
    const size_t offset = (size_ + alignment - 1) / alignment * alignment;
    size_ = offset + bytes;
    return offset;
  }
  ptrdiff_t Behind(const void *member) const {
    return static_cast<const char *>(member) - reinterpret_cast<const char *>(this);
  }
  const char *Place(const TilingField &field) const {
    return reinterpret_cast<const char *>(this) + field.member;
  }
  TilingDef &MutableMember(const TilingField &field) { return const_cast<TilingDef &>(Member(field)); }
  void WriteTo(uint8_t *buffer) {
    buffer_ = buffer;
    for (const TilingField &field : fields_) {
      if (field.is_struct) MutableMember(field).WriteTo(buffer + field.offset);
    }
  }

  const char *name_;
  std::vector<TilingField> fields_;
  uint8_t *buffer_ = nullptr;
  size_t size_ = 0;
};

// `type`: the operator, or, with a tiling key behind it, OPERATOR_KEY.
__attribute__((visibility("default"))) int RegisterTilingData(const char *type, const TilingDef &data);

}  // namespace optiling

// The start of a class; the bases behind the first one hold members that SIM_TILING_ACCESS makes fields.
#define SIM_BEGIN_TILING_CLASS(class_name, ...)                              \
  class class_name : __VA_ARGS__ {                                           \
   public:                                                                   \
    class_name() : ::optiling::TilingDef(#class_name) { End(); }             \
    explicit class_name(void *buffer) : ::optiling::TilingDef(#class_name) { \
      End();                                                                 \
      SetDataPtr(buffer);                                                    \
    }

// Makes a member a field, with a setter and a getter.
#define SIM_TILING_ACCESS(data_type, field_name)                                                \
 public:                                                                                        \
  void set_##field_name(data_type value) { Put(&field_name, field_name##_offset_, &value, 1); } \
  data_type get_##field_name() { return field_name; }                                           \
                                                                                                \
 private:                                                                                       \
  size_t field_name##_offset_ = AddField(#data_type, #field_name, &field_name, sizeof(data_type), 0);

#define BEGIN_TILING_DATA_DEF(class_name) SIM_BEGIN_TILING_CLASS(class_name, public ::optiling::TilingDef)

#define TILING_DATA_FIELD_DEF(data_type, field_name) \
 public:                                             \
  data_type field_name = {};                         \
  SIM_TILING_ACCESS(data_type, field_name)

#define TILING_DATA_FIELD_DEF_ARR(data_type, array_size, field_name) \
 public:                                                             \
  data_type field_name[array_size] = {};                             \
  void set_##field_name(const data_type *values) {                   \
    Put(field_name, field_name##_offset_, values, array_size);       \
  }                                                                  \
  data_type *get_##field_name() { return field_name; }               \
                                                                     \
 private:                                                            \
  size_t field_name##_offset_ = AddField(#data_type, #field_name, field_name, sizeof(data_type), array_size);

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
