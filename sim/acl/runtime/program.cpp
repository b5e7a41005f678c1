// SPDX-License-Identifier: Apache-2.0
// Launches of programs: kernel<<<blocks, bytes of UB, stream>>>(arguments).
#include "sim/program.h"

#include <cstring>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "ascendc/engine/kernel_libraries.h"
#include "context.h"
#include "launch.h"
#include "stream.h"

namespace sim::program {
namespace {

struct Defined {
  std::string name;
  Kernel kernel;
  bool on_cann = false;  // on CANN's own headers, which give each kind of core code of its own
};

struct Kernels {
  std::mutex mutex;
  std::map<const void *, Defined> of_function;
  // A workspace goes with its device, whose address a later device may have.
  std::map<std::weak_ptr<runtime::Device>, void *, std::owner_less<>> workspaces;

  static Kernels &Get() {
    static auto *kernels = new Kernels;  // never destroyed: threads may outlive main
    return *kernels;
  }
};

// CANN's headers take the first 16 MiB of a workspace for themselves; a launch of a program has no more.
constexpr uint64_t kLibraryWorkspace = uint64_t{16} << 20;
constexpr uint64_t kUserWorkspace = 512;

// "add<float>" out of "… [with auto kernel = add<float>; Parameters = …]" or "… [kernel = &add<float>,
// Parameters = …]".
std::string NameOf(const char *signature) {
  static constexpr char kBefore[] = "kernel = ";
  const char *text = std::strstr(signature, kBefore);
  if (text == nullptr) return signature;
  text += sizeof(kBefore) - 1;
  if (*text == '&') ++text;
  int depth = 0;
  const char *end = text;
  for (; *end != '\0'; ++end) {
    if (*end == '<' || *end == '(' || *end == '{') ++depth;
    if (depth == 0 && (*end == ';' || *end == ',' || *end == ']')) break;
    if (*end == '>' || *end == ')' || *end == '}') --depth;
  }
  return {text, end};
}

void NoCode(void *const *) {}  // a kernel on CANN's headers runs the code of each kind of core

const Defined *Find(const void *function) {
  Kernels &kernels = Kernels::Get();
  std::lock_guard<std::mutex> lock(kernels.mutex);
  const auto found = kernels.of_function.find(function);
  return found == kernels.of_function.end() ? nullptr : &found->second;
}

// What CANN's headers find as workspace: it lies behind their own part.
void *WorkspaceOf(const std::shared_ptr<runtime::Device> &device) {
  Kernels &kernels = Kernels::Get();
  std::lock_guard<std::mutex> lock(kernels.mutex);
  for (auto known = kernels.workspaces.begin(); known != kernels.workspaces.end();) {
    known = known->first.expired() ? kernels.workspaces.erase(known) : std::next(known);
  }
  void *&workspace = kernels.workspaces[device];
  if (workspace == nullptr) {
    DeviceMemory &memory = device->memory();
    workspace = memory.Allocate(kLibraryWorkspace + kUserWorkspace);
    if (workspace == nullptr) return nullptr;
    std::memset(memory.Host(workspace), 0, kLibraryWorkspace + kUserWorkspace);
    memory.MarkWritten(workspace, kLibraryWorkspace + kUserWorkspace);
  }
  return static_cast<std::byte *>(workspace) + kLibraryWorkspace;
}

runtime::Status Run(const std::shared_ptr<runtime::Device> &device, const Defined &defined, uint32_t blocks,
                    const void *arguments) {
  void *workspace = defined.on_cann ? WorkspaceOf(device) : nullptr;
  return runtime::RunKernel(*device, {&defined.kernel, blocks, 0, {}},
                            {const_cast<void *>(arguments), workspace});
}

std::string WhyNot(const Defined *defined, const char *name, uint32_t blocks) {
  if (defined == nullptr) {
    return runtime::Text("kernel ", name, " is launched, but no source of the program defines it");
  }
  if (blocks == 0) return runtime::Text("kernel ", defined->name, ": expected at least 1 block, got 0");
  return "";
}

}  // namespace

void Define(const KernelCode &code) {
  const std::string name = NameOf(code.signature);
  if (code.prepare != nullptr) {
    const Kernel kernel{name.c_str(), code.invoke};
    RegisterKernels({&kernel, 1, code.cube, code.prepare, "", "", false});
    if (code.cube) return;
  }
  Kernels &kernels = Kernels::Get();
  std::lock_guard<std::mutex> lock(kernels.mutex);
  Defined &defined = kernels.of_function[code.function];
  defined.name = name;
  defined.on_cann = code.prepare != nullptr;
  defined.kernel.name = defined.name.c_str();
  defined.kernel.invoke = defined.on_cann ? NoCode : code.invoke;
  defined.kernel.type = static_cast<KernelType>(code.cores);
}

Cores CoresOf(const void *function) {
  const Defined *defined = Find(function);
  return defined == nullptr ? Cores::kMixed12 : static_cast<Cores>(defined->kernel.type);
}

void Start(const void *function, const char *name, uint32_t blocks, void *stream,
           std::shared_ptr<const void> arguments) {
  aclError code = ACL_SUCCESS;
  const std::shared_ptr<runtime::Stream> used = runtime::UseStream("<<<>>>", stream, &code);
  if (used == nullptr) return;
  const Defined *defined = Find(function);
  const std::string wrong = WhyNot(defined, name, blocks);
  if (!wrong.empty()) {
    const aclError failed = runtime::Fail(ACL_ERROR_INVALID_PARAM, wrong);
    used->Push({[failed, wrong] { return runtime::Status{failed, wrong}; }});
    return;
  }
  const std::shared_ptr<runtime::Device> device = used->device();
  used->Push(
      {[device, defined, blocks, arguments] { return Run(device, *defined, blocks, arguments.get()); }});
}

}  // namespace sim::program
