// SPDX-License-Identifier: Apache-2.0
// What the classes of register/op_def.h keep.
#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "register/op_def_registry.h"

namespace ops {

struct ParamFacts {
  std::string name;
  Option type = OPTIONAL;
  std::vector<ge::DataType> dtypes;
  std::vector<ge::Format> formats;
  bool auto_contiguous = false;
  bool lists = false;           // dtypes go with all combinations of the other tensors (DataTypeList)
  bool values_on_host = false;  // tiling and inference read its values
  std::string follows;          // the tensor from which a result takes its dtype
  std::vector<double> initial;  // what memory of a result holds before the kernel: one value, or none
};

enum class AttrKind { kInt, kFloat, kBool, kString, kListInt, kListFloat, kListBool };

// The default of an attribute, if there is one.
using DefaultValue = std::variant<std::monostate, bool, float, int64_t, std::string, std::vector<int64_t>,
                                  std::vector<float>, std::vector<bool>>;

struct AttrFacts {
  std::string name;
  Option type = REQUIRED;
  AttrKind kind = AttrKind::kInt;
  std::string value;  // the default, as an initialiser of C++; empty where there is none
  DefaultValue initial;
};

struct ConfigFacts {
  std::vector<std::unique_ptr<OpParamDef>> inputs;
  std::vector<std::unique_ptr<OpParamDef>> outputs;
  std::string kernel_file;  // the stem of the kernel's source; empty for that of the type
};

struct SocConfig {
  std::string soc;
  OpAICoreConfig config;
};

struct OpFacts {
  std::string type;
  std::vector<std::unique_ptr<OpParamDef>> inputs;
  std::vector<std::unique_ptr<OpParamDef>> outputs;
  std::vector<std::unique_ptr<OpAttrDef>> attributes;
  std::vector<std::string> socs;
  std::vector<SocConfig> configs;  // of the socs that have one
  FormatCheckOption formats = FormatCheckOption::DEFAULT;
  gert::OpImplRegisterV2::TilingKernelFunc tiling = nullptr;
  gert::OpImplRegisterV2::InferShapeKernelFunc infer_shape = nullptr;
  gert::OpImplRegisterV2::InferDataTypeKernelFunc infer_datatype = nullptr;
};

// The definitions that libraries for opbuild registered, in their order.
SIM_OPERATORS_EXPORT const std::vector<std::unique_ptr<OpDef>> &Definitions();

}  // namespace ops
