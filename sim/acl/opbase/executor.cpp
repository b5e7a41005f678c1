// SPDX-License-Identifier: Apache-2.0
#include "executor.h"

#include <deque>

#include "arrays.h"
#include "report.h"
#include "runtime/context.h"
#include "runtime/memory.h"
#include "sim/op_plan.h"

namespace sim::opbase {
namespace {

using runtime::Status;
using runtime::Text;

runtime::Registry<aclOpExecutor> &Executors() {
  static auto *executors = new runtime::Registry<aclOpExecutor>;  // never destroyed: threads may outlive main
  return *executors;
}

// Executors that have run keep their address for a while. So the use of one a second time is noticed and is
// not taken for the use of a newer one.
void Retire(std::shared_ptr<aclOpExecutor> executor) {
  constexpr size_t kKept = 256;
  struct Retired {
    std::mutex mutex;
    std::deque<std::shared_ptr<aclOpExecutor>> executors;
  };
  static auto *retired = new Retired;
  executor->slots.clear();
  executor->steps.clear();
  std::lock_guard<std::mutex> lock(retired->mutex);
  retired->executors.push_back(std::move(executor));
  if (retired->executors.size() > kKept) retired->executors.pop_front();
}

std::shared_ptr<aclOpExecutor> FindExecutor(const char *call, aclOpExecutor *handle, aclnnStatus *code) {
  std::shared_ptr<aclOpExecutor> executor = Executors().Find(handle);
  if (executor == nullptr) {
    *code = Fail(
        kInner, call, ": executor ", handle,
        " is spent: it ran already (aclSetAclOpExecutorRepeatable makes one repeatable) or was destroyed");
  }
  return executor;
}

// Checks that the memory of a tensor lies in one allocation, on the device of the stream where it must.
Status CheckTensor(const Slot &slot, const runtime::Device &device) {
  const TensorState &tensor = *slot.tensor;
  if (tensor.Elements() == 0) return {};
  if (tensor.data == nullptr) return {kParamNullptr, Text(slot.name, ": its data address is null")};
  const uint64_t extent = slot.dense ? tensor.Elements() * tensor.ItemSize() : tensor.Extent();
  runtime::Range range;
  Status status = runtime::CheckRange((slot.name + ": its data").c_str(), tensor.ViewAddress(), extent,
                                      runtime::Side::kDevice, &range);
  if (!status.ok()) {
    status.code = kParamInvalid;
    return status;
  }
  if (slot.peer || range.device.get() == &device) return {};
  return {kParamInvalid, Text(slot.name, ": its data lies on device ", range.device->id(),
                              ", the stream belongs to device ", device.id())};
}

Status CheckWorkspace(const aclOpExecutor &executor, void *workspace, uint64_t bytes,
                      const runtime::Device &device) {
  if (executor.workspace_bytes == 0) return {};
  if (bytes < executor.workspace_bytes) {
    return {kParamInvalid, Text("workspaceSize must be at least the ", executor.workspace_bytes,
                                " bytes that the first phase asked for, got ", bytes)};
  }
  if (workspace == nullptr) {
    return {kParamNullptr,
            Text("workspace must not be null, as ", executor.workspace_bytes, " bytes are needed")};
  }
  runtime::Range range;
  Status status =
      runtime::CheckRange("workspace", workspace, executor.workspace_bytes, runtime::Side::kDevice, &range);
  if (!status.ok()) {
    status.code = kParamInvalid;
  } else if (range.device.get() != &device) {
    status = {kParamInvalid, Text("workspace lies on device ", range.device->id(),
                                  ", the stream belongs to device ", device.id())};
  }
  return status;
}

struct View {
  std::shared_ptr<const TensorState> tensor;
  bool written;
  std::shared_ptr<runtime::Device> device;  // that has the tensor's memory
};

struct ResolvedStep {
  runtime::KernelLaunch launch;
  std::vector<void *> arguments;
  HostFunction host;
  std::vector<View> views;  // of a host function
};

Status RunHost(const ResolvedStep &step) {
  std::vector<HostTensor> tensors;
  for (const View &view : step.views) {
    if (view.tensor == nullptr) {
      tensors.emplace_back();
      continue;
    }
    const TensorState &tensor = *view.tensor;
    void *const data = tensor.Elements() == 0 ? nullptr : view.device->memory().Host(tensor.ViewAddress());
    tensors.push_back({tensor.shape, tensor.strides, tensor.dtype, data});
  }
  try {
    step.host(tensors);
  } catch (const std::exception &error) {
    return {kInner, error.what()};
  }
  for (const View &view : step.views) {
    if (view.written && view.tensor != nullptr && view.tensor->Elements() > 0) {
      view.device->memory().MarkWritten(view.tensor->ViewAddress(), view.tensor->Extent());
    }
  }
  return {};
}

// One run of an executor, with every address known.
struct Run {
  std::shared_ptr<runtime::Device> device;
  std::vector<ResolvedStep> steps;
  void *workspace = nullptr;
  uint64_t workspace_bytes = 0;

  Status operator()() const {
    // What an earlier call left in the workspace counts as never written.
    if (workspace_bytes > 0) device->memory().MarkUnwritten(workspace, workspace_bytes);
    for (const ResolvedStep &step : steps) {
      Status status = step.host ? RunHost(step) : runtime::RunKernel(*device, step.launch, step.arguments);
      if (!status.ok()) return status;
    }
    return {};
  }
};

void *Resolve(const Slot &slot, void *workspace) {
  if (slot.tensor != nullptr)
    return slot.tensor->Elements() == 0 ? slot.tensor->data : slot.tensor->ViewAddress();
  return slot.workspace_bytes == 0 ? nullptr : static_cast<char *>(workspace) + slot.workspace_offset;
}

View ResolveView(const Slot &slot, const std::shared_ptr<runtime::Device> &device) {
  if (slot.tensor == nullptr) return {};
  // This is a copy: the caller may give its aclTensor another address after this call.
  const auto tensor = std::make_shared<TensorState>(*slot.tensor);
  const bool elsewhere = slot.peer && tensor->Elements() > 0;
  return {tensor, slot.written, elsewhere ? runtime::DeviceOf(tensor->ViewAddress()) : device};
}

aclnnStatus SetAddress(const char *call, aclOpExecutor *executor, aclTensor *tensor, void *address) {
  SIM_REQUIRE_OBJECT(tensor, kInnerNullptr);
  SIM_REQUIRE_OBJECT(executor, kInnerNullptr);
  aclnnStatus code = OK;
  if (FindExecutor(call, executor, &code) != nullptr) tensor->state->data = address;
  return code;
}

aclnnStatus SetListAddress(const char *call, aclOpExecutor *executor, size_t index, aclTensorList *tensors,
                           void *address) {
  SIM_REQUIRE_OBJECT(tensors, kInnerNullptr);
  if (index >= tensors->members.size()) {
    return Fail(kParamInvalid, call, ": relativeIndex must be below the ", tensors->members.size(),
                " tensors of the list, got ", index);
  }
  return SetAddress(call, executor, tensors->members[index], address);
}

}  // namespace

aclOpExecutor *HandOver(std::shared_ptr<aclOpExecutor> executor) {
  return static_cast<aclOpExecutor *>(Executors().Add(std::move(executor)));
}

}  // namespace sim::opbase

namespace sim {

using namespace opbase;

aclnnStatus RunPlan(void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                    aclrtStream stream) try {
  constexpr char kCall[] = "second phase";
  if (executor == nullptr) return Fail(kParamNullptr, kCall, ": executor must not be null");
  aclnnStatus code = OK;
  const std::shared_ptr<aclOpExecutor> plan = FindExecutor(kCall, executor, &code);
  if (plan == nullptr) return code;
  const std::shared_ptr<runtime::Stream> target = runtime::UseStream(kCall, stream, &code);
  if (target == nullptr) return kRuntimeError;

  const runtime::Device &device = *target->device();
  Status status = CheckWorkspace(*plan, workspace, workspaceSize, device);
  for (const Slot &slot : plan->slots) {
    if (status.ok() && slot.tensor != nullptr) status = CheckTensor(slot, device);
  }
  if (!status.ok()) return runtime::ReturnStatus(kCall, status);

  auto run = std::make_shared<Run>();
  run->device = target->device();
  run->workspace = workspace;
  run->workspace_bytes = plan->workspace_bytes;
  for (const Step &step : plan->steps) {
    ResolvedStep resolved{step.launch, {}, step.host, {}};
    for (const int slot : step.slots) {
      if (step.host) {
        resolved.views.push_back(ResolveView(plan->slots[slot], run->device));
      } else {
        resolved.arguments.push_back(Resolve(plan->slots[slot], workspace));
      }
    }
    run->steps.push_back(std::move(resolved));
  }
  if (!plan->repeatable) Retire(Executors().Take(executor));
  if (!run->steps.empty()) target->Push({[run] { return (*run)(); }});
  return OK;
}
SIM_CATCH

}  // namespace sim

using namespace sim::opbase;

extern "C" {

aclnnStatus aclSetAclOpExecutorRepeatable(aclOpExecutor *executor) try {
  SIM_REQUIRE_OBJECT(executor, kInnerNullptr);
  aclnnStatus code = OK;
  if (const auto found = FindExecutor(__func__, executor, &code); found != nullptr) found->repeatable = true;
  return code;
}
SIM_CATCH

aclnnStatus aclDestroyAclOpExecutor(aclOpExecutor *executor) try {
  SIM_REQUIRE_OBJECT(executor, kInnerNullptr);
  aclnnStatus code = OK;
  if (FindExecutor(__func__, executor, &code) != nullptr) Retire(Executors().Take(executor));
  return code;
}
SIM_CATCH

aclnnStatus aclSetInputTensorAddr(aclOpExecutor *executor, const size_t, aclTensor *tensor, void *addr) try {
  return SetAddress(__func__, executor, tensor, addr);
}
SIM_CATCH

aclnnStatus aclSetOutputTensorAddr(aclOpExecutor *executor, const size_t, aclTensor *tensor, void *addr) try {
  return SetAddress(__func__, executor, tensor, addr);
}
SIM_CATCH

aclnnStatus aclSetTensorAddr(aclOpExecutor *executor, const size_t, aclTensor *tensor, void *addr) try {
  return SetAddress(__func__, executor, tensor, addr);
}
SIM_CATCH

aclnnStatus aclSetDynamicInputTensorAddr(aclOpExecutor *executor, size_t, const size_t relativeIndex,
                                         aclTensorList *tensors, void *addr) try {
  return SetListAddress(__func__, executor, relativeIndex, tensors, addr);
}
SIM_CATCH

aclnnStatus aclSetDynamicOutputTensorAddr(aclOpExecutor *executor, size_t, const size_t relativeIndex,
                                          aclTensorList *tensors, void *addr) try {
  return SetListAddress(__func__, executor, relativeIndex, tensors, addr);
}
SIM_CATCH

aclnnStatus aclSetDynamicTensorAddr(aclOpExecutor *executor, size_t, const size_t relativeIndex,
                                    aclTensorList *tensors, void *addr) try {
  return SetListAddress(__func__, executor, relativeIndex, tensors, addr);
}
SIM_CATCH

aclnnStatus aclnnInit(const char *) { return OK; }

aclnnStatus aclnnFinalize() { return OK; }

}  // extern "C"
