// SPDX-License-Identifier: Apache-2.0
// The attributes of a call, in the order of the operator definition.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "exe_graph/runtime/continuous_vector.h"
#include "graph/ascend_string.h"

namespace gert {

// One attribute; its kind says which member holds the value.
struct RuntimeAttr {
  enum class Kind { kInt, kFloat, kBool, kString, kInts, kFloats, kBools };

  Kind kind = Kind::kInt;
  int64_t number = 0;
  float real = 0;
  bool flag = false;
  unsigned char behind_flag[7] = {};  // code that reads a flag as a number finds zeros
  ge::AscendString text;
  TypedContinuousVector<int64_t> ints;
  TypedContinuousVector<float> reals;
  TypedContinuousVector<bool> flags;

  // Where the value lies; a text ends with 0.
  const void *Pointer() const {
    switch (kind) {
      case Kind::kInt:
        return &number;
      case Kind::kFloat:
        return &real;
      case Kind::kBool:
        return &flag;
      case Kind::kString:
        return text.GetString();
      case Kind::kInts:
        return &ints;
      case Kind::kFloats:
        return &reals;
      case Kind::kBools:
        return &flags;
    }
    return nullptr;
  }
};

// Each function gives nullptr where there is no such attribute, and, but for GetAttrPointer, where it is of
// another kind.
class RuntimeAttrs {
 public:
  explicit RuntimeAttrs(std::vector<RuntimeAttr> attributes) : attributes_(std::move(attributes)) {}
  RuntimeAttrs(const RuntimeAttrs &) = delete;
  RuntimeAttrs &operator=(const RuntimeAttrs &) = delete;

  size_t GetAttrNum() const { return attributes_.size(); }
  template <typename T>
  const T *GetAttrPointer(size_t index) const {
    return index < attributes_.size() ? static_cast<const T *>(attributes_[index].Pointer()) : nullptr;
  }
  const int64_t *GetInt(size_t index) const {
    return Member(index, RuntimeAttr::Kind::kInt, &RuntimeAttr::number);
  }
  const float *GetFloat(size_t index) const {
    return Member(index, RuntimeAttr::Kind::kFloat, &RuntimeAttr::real);
  }
  const bool *GetBool(size_t index) const {
    return Member(index, RuntimeAttr::Kind::kBool, &RuntimeAttr::flag);
  }
  const char *GetStr(size_t index) const {
    const auto *text = Member(index, RuntimeAttr::Kind::kString, &RuntimeAttr::text);
    return text == nullptr ? nullptr : text->GetString();
  }
  const TypedContinuousVector<int64_t> *GetListInt(size_t index) const {
    return Member(index, RuntimeAttr::Kind::kInts, &RuntimeAttr::ints);
  }
  const TypedContinuousVector<float> *GetListFloat(size_t index) const {
    return Member(index, RuntimeAttr::Kind::kFloats, &RuntimeAttr::reals);
  }

 private:
  template <typename T>
  const T *Member(size_t index, RuntimeAttr::Kind kind, T RuntimeAttr::*member) const {
    return index < attributes_.size() && attributes_[index].kind == kind ? &(attributes_[index].*member)
                                                                         : nullptr;
  }

  std::vector<RuntimeAttr> attributes_;
};

}  // namespace gert
