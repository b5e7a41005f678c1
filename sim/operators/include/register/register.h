// SPDX-License-Identifier: Apache-2.0
// Registers parsers of the nodes of models, under CANN's names. Each library keeps those of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "graph/operator.h"

namespace domi {

using Status = uint32_t;
constexpr Status SUCCESS = 0;
constexpr Status FAILED = 0xFFFFFFFF;
enum FrameworkType { CAFFE = 0, MINDSPORE = 1, TENSORFLOW = 3, ONNX = 5 };
enum class ImplyType { BUILDIN = 0, TVM = 1 };
using ParseParamByOperatorFunc = std::function<Status(const ge::Operator &, ge::Operator &)>;

struct OpRegistrationData {
  explicit OpRegistrationData(const char *type) : type(type) {}

  OpRegistrationData &FrameworkType(domi::FrameworkType) { return *this; }
  OpRegistrationData &ImplyType(domi::ImplyType) { return *this; }
  OpRegistrationData &OriginOpType(const std::vector<ge::AscendString> &names) {
    origins = names;
    return *this;
  }
  OpRegistrationData &ParseParamsByOperatorFn(const ParseParamByOperatorFunc &function) {
    parse = function;
    return *this;
  }

  ge::AscendString type;
  std::vector<ge::AscendString> origins;  // the nodes that mean this type
  ParseParamByOperatorFunc parse;
};

inline std::vector<OpRegistrationData> &Registrations() {
  static std::vector<OpRegistrationData> all;
  return all;
}

struct OpReceiver {
  OpReceiver(const OpRegistrationData &data) { Registrations().push_back(data); }
};

}  // namespace domi

#define SIM_REGISTERED_NAMED(line) g_registered_##line
#define SIM_REGISTERED(line) SIM_REGISTERED_NAMED(line)
#define REGISTER_CUSTOM_OP(type) \
  [[maybe_unused]] static const domi::OpReceiver SIM_REGISTERED(__LINE__) = domi::OpRegistrationData(type)
