// SPDX-License-Identifier: Apache-2.0
#include "torch_direct.h"

#include <map>
#include <string_view>

namespace avo::torch_face {
namespace {

std::map<std::string_view, direct::Function> &Functions() {
  static std::map<std::string_view, direct::Function> functions;
  return functions;
}

}  // namespace

void *Handle(const TorchTensor &result) {
  AtenTensorHandle handle = nullptr;
  STABLE_TORCH_ERROR_CODE_CHECK(aoti_torch_new_tensor_handle(result.get(), &handle));
  return handle;
}

RegisterDirect::RegisterDirect(const char *name, direct::Function function) { Functions()[name] = function; }

}  // namespace avo::torch_face

avo::direct::Function AvoDirectFunction(const char *name) {
  const auto &functions = avo::torch_face::Functions();
  const auto found = functions.find(name);
  return found == functions.end() ? nullptr : found->second;
}

void AvoDirectDelete(void *handle) { aoti_torch_delete_tensor_object(static_cast<AtenTensorHandle>(handle)); }
