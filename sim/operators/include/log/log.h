// SPDX-License-Identifier: Apache-2.0
// How the host code of operators reports, under the names of CANN's op_common. Errors become the reason of
// the call's failure; the other levels are shown with AVO_SIM_OPERATOR_LOG=1.
#pragma once

#include <cstdarg>
#include <memory>
#include <string>
#include <vector>

#include "exe_graph/runtime/shape.h"
#include "exe_graph/runtime/tensor.h"
#include "graph/types.h"

namespace sim::operators {

// `level`: E, W, I or D. The rest is as for printf.
__attribute__((visibility("default"))) void Log(char level, const char *who, const char *format, ...);

}  // namespace sim::operators

namespace Ops::Base {

inline const char *NameOf(const char *name) { return name == nullptr ? "operator" : name; }
inline const char *NameOf(const std::string &name) { return name.c_str(); }
inline const char *NameOf(const ge::AscendString &name) { return name.GetString(); }
// A context of an operator.
template <typename Context>
const char *NameOf(const Context &context) {
  return context == nullptr ? "operator" : context->GetNodeName();
}

__attribute__((visibility("default"))) std::string ToString(const gert::Shape &shape);
inline std::string ToString(const gert::StorageShape &shape) { return ToString(shape.GetStorageShape()); }
inline std::string ToString(const gert::Shape *shape) { return shape == nullptr ? "null" : ToString(*shape); }
__attribute__((visibility("default"))) std::string ToString(ge::DataType type);
__attribute__((visibility("default"))) std::string ToString(ge::Format format);
__attribute__((visibility("default"))) std::string ToString(const std::vector<int64_t> &values);
inline const char *Text(const char *text) { return text; }
inline const char *Text(const std::string &text) { return text.c_str(); }

// `who`: a name, or a context of an operator. A text alone is from nobody in particular.
template <typename Who, typename... Values>
void Report(char level, const Who &who, const char *format, const Values &...values) {
  sim::operators::Log(level, NameOf(who), format, values...);
}
inline void Report(char level, const char *text) { sim::operators::Log(level, "operator", "%s", text); }

}  // namespace Ops::Base

#define OP_LOGE(...) ::Ops::Base::Report('E', __VA_ARGS__)
#define OP_LOGW(...) ::Ops::Base::Report('W', __VA_ARGS__)
#define OP_LOGI(...) ::Ops::Base::Report('I', __VA_ARGS__)
#define OP_LOGD(...) ::Ops::Base::Report('D', __VA_ARGS__)
#define OP_LOGE_WITHOUT_REPORT(who, ...) OP_LOGE(who, __VA_ARGS__)
#define OP_EVENT(...) OP_LOGI(__VA_ARGS__)

// What is wrong with a parameter; the values are texts.
#define SIM_OP_EXPECTED(who, what, name, given, expected)                                                  \
  OP_LOGE(who, "the %s of %s is %s, expected %s", what, ::Ops::Base::Text(name), ::Ops::Base::Text(given), \
          ::Ops::Base::Text(expected))
#define SIM_OP_REASON(who, what, name, given, reason)                                             \
  OP_LOGE(who, "the %s of %s is %s: %s", what, ::Ops::Base::Text(name), ::Ops::Base::Text(given), \
          ::Ops::Base::Text(reason))
#define OP_LOGE_FOR_INVALID_SHAPE(who, name, given, right) SIM_OP_EXPECTED(who, "shape", name, given, right)
#define OP_LOGE_FOR_INVALID_SHAPE_WITH_REASON(who, name, given, reason) \
  SIM_OP_REASON(who, "shape", name, given, reason)
#define OP_LOGE_FOR_INVALID_SHAPES_WITH_REASON(who, name, given, reason) \
  SIM_OP_REASON(who, "shapes", name, given, reason)
#define OP_LOGE_FOR_INVALID_SHAPEDIM(who, name, given, right) SIM_OP_EXPECTED(who, "rank", name, given, right)
#define OP_LOGE_FOR_INVALID_SHAPEDIM_WITH_REASON(who, name, given, reason) \
  SIM_OP_REASON(who, "rank", name, given, reason)
#define OP_LOGE_FOR_INVALID_SHAPEDIMS_WITH_REASON(who, name, given, reason) \
  SIM_OP_REASON(who, "ranks", name, given, reason)
#define OP_LOGE_FOR_INVALID_SHAPESIZE(who, name, given, right) \
  SIM_OP_EXPECTED(who, "number of elements", name, given, right)
#define OP_LOGE_FOR_INVALID_SHAPESIZE_WITH_REASON(who, name, given, reason) \
  SIM_OP_REASON(who, "number of elements", name, given, reason)
#define OP_LOGE_FOR_INVALID_SHAPESIZES_WITH_REASON(who, name, given, reason) \
  SIM_OP_REASON(who, "numbers of elements", name, given, reason)
#define OP_LOGE_FOR_INVALID_FORMAT(who, name, given, right) SIM_OP_EXPECTED(who, "format", name, given, right)
#define OP_LOGE_FOR_INVALID_FORMAT_WITH_REASON(who, name, given, reason) \
  SIM_OP_REASON(who, "format", name, given, reason)
#define OP_LOGE_FOR_INVALID_FORMATS_WITH_REASON(who, name, given, reason) \
  SIM_OP_REASON(who, "formats", name, given, reason)
#define OP_LOGE_FOR_INVALID_DTYPE(who, name, given, right) SIM_OP_EXPECTED(who, "dtype", name, given, right)
#define OP_LOGE_FOR_INVALID_DTYPE_WITH_REASON(who, name, given, reason) \
  SIM_OP_REASON(who, "dtype", name, given, reason)
#define OP_LOGE_FOR_INVALID_DTYPES_WITH_REASON(who, name, given, reason) \
  SIM_OP_REASON(who, "dtypes", name, given, reason)
#define OP_LOGE_FOR_INVALID_VALUE(who, name, given, right) SIM_OP_EXPECTED(who, "value", name, given, right)
#define OP_LOGE_FOR_INVALID_VALUE_WITH_REASON(who, name, given, reason) \
  SIM_OP_REASON(who, "value", name, given, reason)
#define OP_LOGE_FOR_INVALID_VALUES_WITH_REASON(who, name, given, reason) \
  SIM_OP_REASON(who, "values", name, given, reason)
#define OP_LOGE_FOR_INVALID_TENSORNUM(who, name, given, right) \
  OP_LOGE(who, "%s has a wrong number of tensors", ::Ops::Base::Text(name))
#define OP_LOGE_FOR_INVALID_LISTSIZE(who, name, given, right) \
  OP_LOGE(who, "%s has a wrong number of values", ::Ops::Base::Text(name))
#define OP_LOGE_FOR_INVALID_LISTSIZE_WITH_REASON(who, name, given, reason) \
  OP_LOGE(who, "%s has a wrong number of values: %s", ::Ops::Base::Text(name), ::Ops::Base::Text(reason))
#define OP_LOGE_WITH_INVALID_INPUT(who, name) OP_LOGE(who, "%s is missing", ::Ops::Base::Text(name))
#define OP_LOGE_WITH_INVALID_ATTR(who, name, given, right) SIM_OP_EXPECTED(who, "value", name, given, right)
#define OP_LOGE_WITH_INVALID_ATTR_SIZE(who, name, given, right) \
  SIM_OP_EXPECTED(who, "number of values", name, given, right)
#define OP_LOGE_WITH_INVALID_INPUT_FORMAT(who, name, given, right) \
  SIM_OP_EXPECTED(who, "format", name, given, right)
#define OP_LOGE_WITH_INVALID_INPUT_DTYPE(who, name, given, right) \
  SIM_OP_EXPECTED(who, "dtype", name, given, right)

#define OP_CHECK_IF(condition, log, ...) \
  do {                                   \
    if (condition) {                     \
      log;                               \
      __VA_ARGS__;                       \
    }                                    \
  } while (0)
#define OP_CHECK_NULL_WITH_CONTEXT(context, pointer) \
  do {                                               \
    if ((pointer) == nullptr) {                      \
      OP_LOGE(context, "%s is null", #pointer);      \
      return ge::GRAPH_FAILED;                       \
    }                                                \
  } while (0)
#define OP_CHECK(condition, log, ...) OP_CHECK_IF(condition, log, __VA_ARGS__)
#define OP_TILING_CHECK(condition, log, ...) OP_CHECK_IF(condition, log, __VA_ARGS__)
#define OPS_REPORT_VECTOR_INNER_ERR(who, ...) OP_LOGE(who, __VA_ARGS__)
#define OPS_REPORT_CUBE_INNER_ERR(who, ...) OP_LOGE(who, __VA_ARGS__)
#define VECTOR_INNER_ERR_REPORT_TILIING(who, ...) OP_LOGE(who, __VA_ARGS__)
#define VECTOR_INNER_ERR_REPORT_TILING(who, ...) OP_LOGE(who, __VA_ARGS__)
#define CUBE_INNER_ERR_REPORT(who, ...) OP_LOGE(who, __VA_ARGS__)
#define OPS_CHECK_NULL_WITH_CONTEXT(context, pointer) OP_CHECK_NULL_WITH_CONTEXT(context, pointer)
