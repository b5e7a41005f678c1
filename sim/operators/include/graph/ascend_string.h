// SPDX-License-Identifier: Apache-2.0
// A text that crosses libraries which were compiled with different versions of std::string.
#pragma once

#include <cstddef>
#include <cstring>
#include <vector>

namespace ge {

class AscendString {
 public:
  AscendString() : text_(1, '\0') {}
  AscendString(const char *text) : AscendString(text, text == nullptr ? 0 : std::strlen(text)) {}
  AscendString(const char *text, size_t length) : text_(text, text + length) { text_.push_back('\0'); }

  const char *GetString() const { return text_.data(); }
  size_t GetLength() const { return text_.size() - 1; }
  bool operator<(const AscendString &other) const { return text_ < other.text_; }
  bool operator==(const AscendString &other) const { return text_ == other.text_; }
  bool operator!=(const AscendString &other) const { return text_ != other.text_; }

 private:
  std::vector<char> text_;  // ends with 0
};

}  // namespace ge
