// SPDX-License-Identifier: Apache-2.0
#include "log.h"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <utility>

#include "graph/utils/type_utils.h"
#include "log/log.h"

namespace sim::operators {
namespace {

// The errors that host code reported on this thread.
std::string &Errors() {
  thread_local std::string errors;
  return errors;
}

template <typename T, typename One>
std::string Joined(size_t count, const T &values, const One &one) {
  std::string text;
  for (size_t i = 0; i < count; ++i) text += (i == 0 ? "" : ", ") + one(values[i]);
  return "[" + text + "]";
}

}  // namespace

std::string TakeErrors() { return std::exchange(Errors(), {}); }

void Log(char level, const char *who, const char *format, ...) {
  static const bool shown = [] {
    const char *text = std::getenv("AVO_SIM_OPERATOR_LOG");
    return text != nullptr && *text != '\0' && std::string(text) != "0";
  }();
  if (level != 'E' && !shown) return;
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof(text), format, arguments);
  va_end(arguments);
  if (shown) std::fprintf(stderr, "[%c] %s: %s\n", level, who, text);
  if (level == 'E') Errors() += (Errors().empty() ? "" : "; ") + std::string(text);
}

}  // namespace sim::operators

namespace ge {

std::string TypeUtils::DataTypeToSerialString(DataType type) {
  static const std::map<DataType, const char *> names = {
      {DT_FLOAT, "DT_FLOAT"},   {DT_FLOAT16, "DT_FLOAT16"}, {DT_INT8, "DT_INT8"},
      {DT_INT32, "DT_INT32"},   {DT_UINT8, "DT_UINT8"},     {DT_INT16, "DT_INT16"},
      {DT_UINT16, "DT_UINT16"}, {DT_UINT32, "DT_UINT32"},   {DT_INT64, "DT_INT64"},
      {DT_UINT64, "DT_UINT64"}, {DT_DOUBLE, "DT_DOUBLE"},   {DT_BOOL, "DT_BOOL"},
      {DT_BF16, "DT_BF16"},     {DT_INT4, "DT_INT4"},       {DT_COMPLEX64, "DT_COMPLEX64"},
  };
  const auto found = names.find(type);
  return found == names.end() ? "type " + std::to_string(type) : found->second;
}

std::string TypeUtils::FormatToSerialString(Format format) {
  static const std::map<Format, const char *> names = {
      {FORMAT_ND, "ND"},       {FORMAT_NCHW, "NCHW"},   {FORMAT_NHWC, "NHWC"},
      {FORMAT_NCDHW, "NCDHW"}, {FORMAT_NDHWC, "NDHWC"}, {FORMAT_NC1HWC0, "NC1HWC0"},
      {FORMAT_NCL, "NCL"},     {FORMAT_HWCN, "HWCN"},   {FORMAT_FRACTAL_NZ, "FRACTAL_NZ"},
  };
  const auto found = names.find(format);
  return found == names.end() ? "format " + std::to_string(format) : found->second;
}

}  // namespace ge

namespace Ops::Base {

std::string ToString(const gert::Shape &shape) {
  return sim::operators::Joined(shape.GetDimNum(), shape, [](int64_t size) { return std::to_string(size); });
}

std::string ToString(const std::vector<int64_t> &values) {
  return sim::operators::Joined(values.size(), values, [](int64_t value) { return std::to_string(value); });
}

std::string ToString(ge::DataType type) { return ge::TypeUtils::DataTypeToSerialString(type); }

std::string ToString(ge::Format format) { return ge::TypeUtils::FormatToSerialString(format); }

}  // namespace Ops::Base
