// SPDX-License-Identifier: Apache-2.0
// op_build LIBRARY FOLDER: writes an entry point of each operator definition in a library, as
// CANN's opbuild does. What CANN's writes more is for its graphs and its device compiler.
//
//   LIBRARY ──OP_ADD──▶ definitions ──▶ FOLDER/aclnn_my_op.h, .cpp, FOLDER/op_proto.h, .cc
#include <dlfcn.h>

#include <cctype>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "definition_facts.h"

namespace {

using ops::AttrFacts;
using ops::AttrKind;
using ops::OpDef;
using ops::OpFacts;
using ops::ParamFacts;

using Params = std::vector<std::unique_ptr<ops::OpParamDef>>;

char Lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }
char Upper(char c) { return static_cast<char>(std::toupper(static_cast<unsigned char>(c))); }
bool IsUpper(char c) { return std::isupper(static_cast<unsigned char>(c)) != 0; }
bool IsLower(char c) { return std::islower(static_cast<unsigned char>(c)) != 0; }

// MyOp -> my_op, IOUOf -> iou_of
std::string Snake(const std::string &name) {
  std::string text(1, Lower(name[0]));
  for (size_t i = 1; i < name.size(); ++i) {
    const bool starts_word =
        IsUpper(name[i]) && (!IsUpper(name[i - 1]) || (i + 1 < name.size() && IsLower(name[i + 1])));
    if (starts_word && name[i - 1] != '_') text += '_';
    text += Lower(name[i]);
  }
  return text;
}

// my_name -> myName
std::string Camel(const std::string &name) {
  std::string text(1, Lower(name[0]));
  for (size_t i = 1; i < name.size(); ++i) {
    if (name[i] == '_' && i + 1 < name.size()) {
      text += Upper(name[++i]);
    } else {
      text += name[i];
    }
  }
  return text;
}

bool IsRequired(const ParamFacts &param) { return param.type == ops::REQUIRED; }

// A parameter of an entry point.
struct Argument {
  std::string type;
  std::string name;
};

std::string InputName(const ParamFacts &param) {
  return Camel(param.name) + (IsRequired(param) ? "" : "Optional");
}

std::string OutputName(const ParamFacts &param, size_t count) {
  return (count == 1 ? "out" : Camel(param.name) + "Out") + (IsRequired(param) ? "" : "Optional");
}

// Attributes that are pointers may be null where the definition has a default.
bool IsPointer(AttrKind kind) {
  return kind != AttrKind::kInt && kind != AttrKind::kFloat && kind != AttrKind::kBool;
}

std::string AttributeName(const AttrFacts &attribute) {
  const bool optional = attribute.type != ops::REQUIRED && IsPointer(attribute.kind);
  return Camel(attribute.name) + (optional ? "Optional" : "");
}

std::string AttributeType(AttrKind kind) {
  switch (kind) {
    case AttrKind::kInt:
      return "int64_t ";
    case AttrKind::kFloat:
      return "double ";
    case AttrKind::kBool:
      return "bool ";
    case AttrKind::kString:
      return "char *";
    case AttrKind::kListInt:
      return "const aclIntArray *";
    case AttrKind::kListFloat:
      return "const aclFloatArray *";
    case AttrKind::kListBool:
      return "const aclBoolArray *";
  }
  return "";
}

std::vector<Argument> ArgumentsOf(const OpFacts &op) {
  std::vector<Argument> arguments;
  for (const auto &input : op.inputs) arguments.push_back({"const aclTensor *", InputName(input->Facts())});
  for (const auto &attribute : op.attributes) {
    arguments.push_back({AttributeType(attribute->Facts().kind), AttributeName(attribute->Facts())});
  }
  for (const auto &output : op.outputs) {
    arguments.push_back({"const aclTensor *", OutputName(output->Facts(), op.outputs.size())});
  }
  arguments.push_back({"uint64_t *", "workspaceSize"});
  arguments.push_back({"aclOpExecutor **", "executor"});
  return arguments;
}

std::string FirstPhase(const OpFacts &op) {
  std::string text = "aclnnStatus aclnn" + op.type + "GetWorkspaceSize(";
  const char *separator = "\n    ";
  for (const Argument &argument : ArgumentsOf(op)) {
    text += separator + argument.type + argument.name;
    separator = ",\n    ";
  }
  return text + ")";
}

std::string SecondPhase(const OpFacts &op) {
  return "aclnnStatus aclnn" + op.type +
         "(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor, aclrtStream stream)";
}

std::string HeaderText(const OpFacts &op) {
  const std::string exported = "__attribute__((visibility(\"default\"))) ";
  return "// Written by op_build of the simulated device.\n#pragma once\n\n#include "
         "\"aclnn/aclnn_base.h\"\n\n"
         "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n" +
         exported + FirstPhase(op) + ";\n\n" + exported + SecondPhase(op) +
         ";\n\n#ifdef __cplusplus\n}\n#endif\n";
}

std::string RulesText(const char *name, const Params &params, bool inputs) {
  std::string text = std::string("const TensorRule ") + name + "[] = {\n";
  for (const auto &param : params) {
    const ParamFacts &facts = param->Facts();
    text += "    {\"" + facts.name + "\", " + (IsRequired(facts) ? "true" : "false") + ", " +
            (inputs && facts.auto_contiguous ? "true" : "false") + "},\n";
  }
  return text + "};\n";
}

// The table of combinations. A column that a definition leaves out is undefined, or ND for formats.
std::string CellsText(const OpFacts &op, size_t rows) {
  std::string text = "const Cell kCells[] = {\n";
  for (size_t row = 0; row < rows; ++row) {
    text += "   ";
    for (const Params *params : {&op.inputs, &op.outputs}) {
      for (const auto &param : *params) {
        const ParamFacts &facts = param->Facts();
        const int dtype = row < facts.dtypes.size() ? facts.dtypes[row] : ge::DT_UNDEFINED;
        const int format = row < facts.formats.size() ? facts.formats[row] : ge::FORMAT_ND;
        text += " {static_cast<ge::DataType>(" + std::to_string(dtype) + "), static_cast<ge::Format>(" +
                std::to_string(format) + ")},";
      }
    }
    text += "\n";
  }
  return text + "};\n";
}

std::string RuleText(const OpFacts &op) {
  const size_t rows = op.inputs.empty() ? 0 : op.inputs[0]->Facts().dtypes.size();
  std::string socs;
  for (const std::string &soc : op.socs) socs += (socs.empty() ? "\"" : ", \"") + soc + "\"";
  return "namespace {\n\nusing namespace sim::operators;\n\n" + RulesText("kInputs", op.inputs, true) +
         RulesText("kOutputs", op.outputs, false) + CellsText(op, rows) + "const char *const kSocs[] = {" +
         socs + "};\nconst OperatorRule kOperator = {\"" + op.type + "\", kInputs, " +
         std::to_string(op.inputs.size()) + ", kOutputs, " + std::to_string(op.outputs.size()) +
         ", kCells, " + std::to_string(rows) + ", kSocs, " + std::to_string(op.socs.size()) +
         "};\n\n}  // namespace\n\n";
}

// A null pointer stands for the default of the definition; where there is none, the call is refused.
std::string AttributeText(const AttrFacts &attribute) {
  const std::string name = AttributeName(attribute);
  if (attribute.kind == AttrKind::kFloat) return "  call.Attribute(static_cast<float>(" + name + "));\n";
  if (!IsPointer(attribute.kind)) return "  call.Attribute(" + name + ");\n";
  if (attribute.type == ops::REQUIRED) {
    return "  if (" + name + " == nullptr) return 161001;\n  call.Attribute(" + name + ");\n";
  }
  if (attribute.kind == AttrKind::kString) {
    return "  call.Attribute(" + name + " != nullptr ? " + name + " : " + attribute.value + ");\n";
  }
  const std::string type = AttributeType(attribute.kind);
  return "  static " + type.substr(0, type.size() - 1) + name + "Default{" + attribute.value +
         "};\n  call.Attribute(" + name + " != nullptr ? " + name + " : &" + name + "Default);\n";
}

std::string SourceText(const OpFacts &op) {
  std::string text = "// Written by op_build of the simulated device.\n#include \"aclnn_" + Snake(op.type) +
                     ".h\"\n\n#include \"opdev/common_types.h\"\n#include \"operators/inner_entry.h\"\n\n" +
                     RuleText(op) + "extern \"C\" " + FirstPhase(op) + " {\n  InnerCall call(kOperator);\n";
  for (const auto &input : op.inputs) text += "  call.Input(" + InputName(input->Facts()) + ");\n";
  for (const auto &attribute : op.attributes) text += AttributeText(attribute->Facts());
  for (const auto &output : op.outputs) {
    text += "  call.Output(" + OutputName(output->Facts(), op.outputs.size()) + ");\n";
  }
  return text + "  return call.Plan(workspaceSize, executor);\n}\n\nextern \"C\" " + SecondPhase(op) +
         " {\n  return RunInner(workspace, workspaceSize, executor, stream);\n}\n";
}

void Write(const std::filesystem::path &path, const std::string &text) {
  std::ofstream(path, std::ios::binary) << text;
}

}  // namespace

int main(int count, char **arguments) {
  if (count < 3) {
    std::fprintf(stderr, "usage: op_build LIBRARY FOLDER\n");
    return 2;
  }
  if (dlopen(arguments[1], RTLD_NOW | RTLD_GLOBAL) == nullptr) {
    std::fprintf(stderr, "op_build: %s\n", dlerror());
    return 1;
  }
  if (ops::Definitions().empty()) {
    std::fprintf(stderr, "op_build: %s: expected operator definitions, got none\n", arguments[1]);
    return 1;
  }
  const std::filesystem::path folder = arguments[2];
  std::string types;
  for (const auto &definition : ops::Definitions()) {
    const OpFacts &op = definition->Facts();
    const std::string stem = "aclnn_" + Snake(op.type);
    Write(folder / (stem + ".h"), HeaderText(op));
    Write(folder / (stem + ".cpp"), SourceText(op));
    types += "// " + op.type + "\n";
  }
  // Graphs are not simulated; CANN's build compiles these files.
  Write(folder / "op_proto.h", "// Operator types:\n" + types + "#pragma once\n");
  Write(folder / "op_proto.cc", "#include \"op_proto.h\"\n");
  return 0;
}
