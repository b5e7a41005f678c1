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
#include <tuple>

#include "loaded_project.h"
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
  if (LoadingProject() != nullptr) return change(&LoadingProject()->types[type]);
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

// What a TilingParse filled.
struct CompileInfo {
  void *memory = nullptr;  // lives as long as the process: nobody knows its destructor
  bool filled = false;
};

// Sets *compile_info to what the TilingParse of the type filled for the device: it runs once, and again after
// a failure. Types of two libraries may have one name, so that the functions are part of the key.
ge::graphStatus Parse(const OperatorType &type, gert::Node *node, fe::PlatFormInfos *platform,
                      void **compile_info) {
  using Key = std::tuple<std::string, gert::OpImplRegisterV2::TilingParseFunc,
                         gert::OpImplRegisterV2::CompileInfoMaker, fe::PlatFormInfos *>;
  static std::mutex mutex;
  static auto *infos = new std::map<Key, CompileInfo>;
  if (type.make_compile_info == nullptr) return ge::GRAPH_SUCCESS;
  std::lock_guard<std::mutex> lock(mutex);
  CompileInfo &info = (*infos)[{node->type.GetString(), type.tiling_parse, type.make_compile_info, platform}];
  if (info.memory == nullptr) info.memory = type.make_compile_info();
  if (!info.filled && type.tiling_parse != nullptr) {
    gert::TilingParseContext context(node, platform, info.memory);
    const ge::graphStatus status = type.tiling_parse(&context);
    if (status != ge::GRAPH_SUCCESS) return status;
  }
  info.filled = true;
  *compile_info = info.memory;
  return ge::GRAPH_SUCCESS;
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

ge::graphStatus RunTiling(const OperatorType &type, gert::Node *node, gert::TilingResult *result) {
  fe::PlatFormInfos *platform = PlatformInfos();
  void *compile_info = nullptr;
  const ge::graphStatus status = Parse(type, node, platform, &compile_info);
  if (status != ge::GRAPH_SUCCESS) return status;
  gert::TilingContext context(node, platform, result, compile_info);
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
