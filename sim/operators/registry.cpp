// SPDX-License-Identifier: Apache-2.0
#include "registry.h"

#include <dlfcn.h>
#include <sys/utsname.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "sim/platform_infos.h"

namespace sim::operators {
namespace {

namespace fs = std::filesystem;

struct Types {
  std::mutex mutex;
  std::map<std::string, OperatorType> types;

  static Types &Get() {
    static auto *types = new Types;  // never destroyed: threads may outlive main
    return *types;
  }
};

template <typename Change>
void ChangeType(const char *type, const Change &change) {
  Types &types = Types::Get();
  std::lock_guard<std::mutex> lock(types.mutex);
  change(&types.types[type]);
}

void LoadFolder(const fs::path &folder) {
  if (!fs::is_directory(folder)) return;
  std::vector<std::string> files;
  for (const auto &entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".so") files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  for (const std::string &file : files) {
    if (dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL) == nullptr) {
      throw std::runtime_error(std::string("a library of operators could not be loaded: ") + dlerror());
    }
  }
}

// A package as CANN installs it; kernels are libraries of the simulated device.
void LoadPackage(const fs::path &package) {
  utsname host{};
  uname(&host);
  const fs::path host_libraries = fs::path("lib") / "linux" / host.machine;
  LoadFolder(package / "op_impl/ai_core/tbe/op_tiling" / host_libraries);
  LoadFolder(package / "op_proto" / host_libraries);
  LoadFolder(package / "op_impl/ai_core/tbe/kernel");
}

void LoadPackages() {
  const char *packages = std::getenv("ASCEND_CUSTOM_OPP_PATH");
  std::istringstream folders(packages == nullptr ? "" : packages);
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (!folder.empty()) LoadPackage(folder);
  }
}

}  // namespace

OperatorType FindType(const std::string &type) {
  static std::once_flag loaded;
  std::call_once(loaded, LoadPackages);
  Types &types = Types::Get();
  std::lock_guard<std::mutex> lock(types.mutex);
  const auto found = types.types.find(type);
  return found == types.types.end() ? OperatorType() : found->second;
}

std::map<std::string, OperatorType> ExchangeTypes(std::map<std::string, OperatorType> types) {
  Types &known = Types::Get();
  std::lock_guard<std::mutex> lock(known.mutex);
  return std::exchange(known.types, std::move(types));
}

ge::graphStatus RunTiling(const OperatorType &type, gert::Node *node, gert::TilingResult *result) {
  void *compile_info = nullptr;
  if (type.make_compile_info != nullptr) {
    compile_info = type.make_compile_info();  // lives as long as the process: nobody knows its destructor
    gert::TilingParseContext parse(node, PlatformInfos(), compile_info);
    const ge::graphStatus status =
        type.tiling_parse == nullptr ? ge::GRAPH_SUCCESS : type.tiling_parse(&parse);
    if (status != ge::GRAPH_SUCCESS) return status;
  }
  gert::TilingContext context(node, PlatformInfos(), result, compile_info);
  return type.tiling(&context);
}

void AddKernel(const char *type, std::initializer_list<ge::DataType> dtypes, const Kernel &kernel) {
  ChangeType(type, [&](OperatorType *known) { known->kernels.push_back({dtypes, &kernel}); });
}

}  // namespace sim::operators

namespace gert {

using sim::operators::ChangeType;
using sim::operators::OperatorType;

OpImplRegisterV2 &OpImplRegisterV2::Tiling(TilingKernelFunc function) {
  ChangeType(type_.GetString(), [function](OperatorType *type) { type->tiling = function; });
  return *this;
}

OpImplRegisterV2 &OpImplRegisterV2::Tiling(TilingKernelFunc function, size_t capacity) {
  ChangeType(type_.GetString(), [capacity](OperatorType *type) { type->tiling_capacity = capacity; });
  return Tiling(function);
}

OpImplRegisterV2 &OpImplRegisterV2::TilingParse(TilingParseFunc function, CompileInfoMaker make) {
  ChangeType(type_.GetString(), [function, make](OperatorType *type) {
    type->tiling_parse = function;
    type->make_compile_info = make;
  });
  return *this;
}

OpImplRegisterV2 &OpImplRegisterV2::InputsDataDependency(std::initializer_list<int32_t> inputs) {
  ChangeType(type_.GetString(), [&](OperatorType *type) { type->values_on_host.insert(inputs); });
  return *this;
}

OpImplRegisterV2 &OpImplRegisterV2::TilingInputsDataDependency(std::initializer_list<int32_t> inputs) {
  return InputsDataDependency(inputs);
}

OpImplRegisterV2 &OpImplRegisterV2::InferOutDataTypeSameWithFirstInput() {
  ChangeType(type_.GetString(), [](OperatorType *type) { type->same_dtype = true; });
  return *this;
}

OpImplRegisterV2 &OpImplRegisterV2::InferShape(InferShapeKernelFunc function) {
  ChangeType(type_.GetString(), [function](OperatorType *type) { type->infer_shape = function; });
  return *this;
}

OpImplRegisterV2 &OpImplRegisterV2::InferDataType(InferDataTypeKernelFunc function) {
  ChangeType(type_.GetString(), [function](OperatorType *type) { type->infer_datatype = function; });
  return *this;
}

}  // namespace gert
