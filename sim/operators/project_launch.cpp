// SPDX-License-Identifier: Apache-2.0
#include "project_launch.h"

#include <cstdlib>
#include <map>
#include <numeric>
#include <set>
#include <stdexcept>

#include "acl/acl.h"
#include "ascendc/engine/launch.h"
#include "ascendc/engine/policy.h"
#include "runtime/context.h"
#include "runtime/error.h"
#include "runtime/launch.h"
#include "tiling/platform/platform_ascendc.h"
#include "workspace.h"

namespace sim::operators {
namespace {

using runtime::Text;

void Check(aclError code, const char *call) {
  if (code == ACL_SUCCESS) return;
  const char *recent = aclGetRecentErrMsg();
  throw std::runtime_error(Text(call, " failed: ", recent == nullptr ? "" : recent, " (", code, ")"));
}

// The bytes behind each tensor that kernels may touch, beside those that aclrtMalloc allows: PyTorch's
// allocator makes tensors parts of large blocks, so that a kernel which is only called from there may read
// that far.
uint64_t TensorSlack() {
  const char *text = std::getenv("AVO_SIM_TENSOR_SLACK");
  if (text == nullptr || *text == '\0') return 0;
  const std::string given = text;
  if (given.size() > 12 || given.find_first_not_of("0123456789") != std::string::npos) {
    throw std::invalid_argument("AVO_SIM_TENSOR_SLACK must be a number of bytes, got '" + given + "'");
  }
  return std::stoull(given);
}

// Memory of the device that is freed at the end of the launch.
class Memory {
 public:
  Memory() = default;
  Memory(const Memory &) = delete;
  Memory &operator=(const Memory &) = delete;
  ~Memory() {
    for (void *address : addresses_) aclrtFree(address);
  }

  // slack: bytes behind these that kernels may touch too.
  void *Add(uint64_t bytes, uint64_t slack = 0) {
    if (bytes == 0) return nullptr;
    void *address = nullptr;
    Check(aclrtMalloc(&address, bytes + slack, ACL_MEM_MALLOC_NORMAL_ONLY), "aclrtMalloc");
    addresses_.push_back(address);
    return address;
  }
  void *AddCopy(const void *host, uint64_t bytes, uint64_t slack = 0) {
    void *address = Add(bytes, slack);
    if (address != nullptr) {
      Check(aclrtMemcpy(address, bytes, host, bytes, ACL_MEMCPY_HOST_TO_DEVICE), "aclrtMemcpy");
    }
    return address;
  }

 private:
  std::vector<void *> addresses_;
};

KernelType TypeOf(const std::string &cores) {
  static const std::map<std::string, KernelType> types = {{"vector", KernelType::kVector},
                                                          {"cube", KernelType::kCube},
                                                          {"mixed11", KernelType::kMixed11},
                                                          {"mixed12", KernelType::kMixed12}};
  const auto found = types.find(cores);
  if (found == types.end()) {
    throw std::runtime_error("cores: expected vector, cube, mixed11 or mixed12, got " + cores);
  }
  return found->second;
}

// Names of kernels live as long as the process, as reports and registered kernels do.
const char *Kept(const std::string &name) {
  static auto *names = new std::set<std::string>;
  return names->insert(name).first->c_str();
}

// What a kernel gets for a dynamic parameter, in words of 8 bytes:
//
//     bytes up to the addresses │ rank + (number << 32), sizes… of each tensor │ address of each tensor
std::vector<uint64_t> TensorList(const std::vector<const SimBuffer *> &buffers,
                                 const std::vector<void *> &addresses) {
  std::vector<uint64_t> words(1);
  for (size_t i = 0; i < buffers.size(); ++i) {
    words.push_back(uint64_t{i} << 32 | buffers[i]->rank);
    for (size_t k = 0; k < buffers[i]->rank; ++k) {
      words.push_back(static_cast<uint64_t>(buffers[i]->shape[k]));
    }
  }
  words[0] = words.size() * sizeof(uint64_t);
  for (void *address : addresses) words.push_back(reinterpret_cast<uint64_t>(address));
  return words;
}

std::vector<void *> AddressesOf(const std::vector<SimBuffer> &buffers, Memory *memory) {
  const uint64_t slack = TensorSlack();
  std::vector<void *> addresses;
  for (const SimBuffer &buffer : buffers) {
    if (buffer.same_as >= static_cast<int64_t>(addresses.size())) {
      throw std::runtime_error(
          Text("same_as of buffer ", addresses.size(), ": expected an earlier buffer, got ", buffer.same_as));
    }
    if (buffer.same_as >= 0) {
      addresses.push_back(addresses[static_cast<size_t>(buffer.same_as)]);
    } else if (buffer.host == nullptr) {
      addresses.push_back(nullptr);
    } else {
      addresses.push_back(buffer.copy_in != 0 ? memory->AddCopy(buffer.host, buffer.bytes, slack)
                                              : memory->Add(buffer.bytes, slack));
    }
  }
  return addresses;
}

// One argument for each parameter.
std::vector<void *> ArgumentsOf(const std::vector<SimBuffer> &buffers, const std::vector<void *> &addresses,
                                Memory *memory) {
  std::vector<void *> arguments;
  for (size_t i = 0; i < buffers.size();) {
    if (buffers[i].list == 0) {
      arguments.push_back(addresses[i++]);
      continue;
    }
    std::vector<const SimBuffer *> members;
    std::vector<void *> member_addresses;
    for (const int parameter = buffers[i].parameter; i < buffers.size() && buffers[i].parameter == parameter;
         ++i) {
      members.push_back(&buffers[i]);
      member_addresses.push_back(addresses[i]);
    }
    const std::vector<uint64_t> words = TensorList(members, member_addresses);
    arguments.push_back(memory->AddCopy(words.data(), words.size() * sizeof(uint64_t)));
  }
  return arguments;
}

}  // namespace

uint64_t WorkspaceBytes(const gert::TilingResult &tiling) {
  return std::accumulate(tiling.workspaces.begin(), tiling.workspaces.end(), uint64_t{0});
}

void LaunchKernel(const gert::TilingResult &tiling, const std::string &kernel, const std::string &cores,
                  const std::vector<SimBuffer> &buffers) {
  Check(aclrtSetDevice(0), "aclrtSetDevice");
  aclError code = ACL_SUCCESS;
  const auto context = runtime::CurrentContext("simCallLaunch", &code);
  Check(code, "simCallLaunch");
  const Kernel launched{Kept(kernel), nullptr, TypeOf(cores)};
  Memory memory;
  const std::vector<void *> addresses = AddressesOf(buffers, &memory);
  std::vector<void *> arguments = ArgumentsOf(buffers, addresses, &memory);
  const uint64_t bytes = WorkspaceBytes(tiling);
  auto *workspace = static_cast<char *>(memory.Add(bytes));
  arguments.push_back(workspace == nullptr
                          ? AddressOfNoWorkspace()
                          : workspace + BytesOfLibrary(bytes, launched.type != KernelType::kVector));
  const auto *data = static_cast<const std::byte *>(tiling.data.GetData());
  runtime::KernelLaunch launch{
      &launched, tiling.block_dim, tiling.key, {data, data + tiling.data.GetDataSize()}};
  launch.workspace_begin = workspace;
  launch.workspace_end = workspace + bytes;  // where there is none, bytes is 0
  const runtime::Status status = runtime::RunKernel(*context->device(), launch, arguments);
  const bool goes_on = Policy::FromEnvironment().on_fault == Policy::OnFault::kContinue;
  for (size_t i = 0; i < buffers.size() && (status.text.empty() || goes_on); ++i) {
    if (buffers[i].copy_out == 0 || addresses[i] == nullptr) continue;
    Check(aclrtMemcpy(buffers[i].host, buffers[i].bytes, addresses[i], buffers[i].bytes,
                      ACL_MEMCPY_DEVICE_TO_HOST),
          "aclrtMemcpy");
  }
  if (!status.text.empty()) throw std::runtime_error(status.text);
}

}  // namespace sim::operators
