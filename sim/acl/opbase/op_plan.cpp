// SPDX-License-Identifier: Apache-2.0
#include "sim/op_plan.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <exception>
#include <new>

#include "executor.h"
#include "opdev/op_log.h"
#include "report.h"
#include "strided_copy.h"

namespace sim {

using opbase::Slot;
using opbase::Step;
using opbase::TensorState;

struct OpPlan::Impl {
  std::shared_ptr<aclOpExecutor> executor = std::make_shared<aclOpExecutor>();
  std::vector<Step> write_back;
  int inputs = 0;
  int outputs = 0;
  runtime::Status failure;  // the first

  int AddSlot(Slot slot) {
    executor->slots.push_back(std::move(slot));
    return static_cast<int>(executor->slots.size()) - 1;
  }

  int AddTensor(const aclTensor *tensor, std::string name) {
    Slot slot;
    if (tensor != nullptr) slot.tensor = tensor->state;
    slot.name = std::move(name);
    return AddSlot(std::move(slot));
  }

  int AddWorkspace(uint64_t bytes) {
    constexpr uint64_t kAlignment = 512;
    Slot slot;
    slot.workspace_offset = executor->workspace_bytes;
    slot.workspace_bytes = bytes;
    executor->workspace_bytes += (bytes + kAlignment - 1) / kAlignment * kAlignment;
    return AddSlot(std::move(slot));
  }

  // A copy between the view in slot `view` and the dense copy of it in slot `dense`.
  void AddCopy(int view, int dense, bool to_view, std::vector<Step> *steps) {
    const TensorState &tensor = *executor->slots[view].tensor;
    Step step;
    step.slots = to_view ? std::vector<int>{dense, view} : std::vector<int>{view, dense};
    const std::vector<int64_t> dense_strides = opbase::DenseStrides(tensor.shape);
    runtime::Status status =
        opbase::PlanStridedCopy(tensor.shape, to_view ? dense_strides : tensor.strides,
                                to_view ? tensor.strides : dense_strides, tensor.ItemSize(), &step.launch);
    if (status.ok()) {
      steps->push_back(std::move(step));
    } else if (failure.ok()) {
      failure = {status.code, executor->slots[view].name + ": " + status.text};
    }
  }
};

OpPlan::OpPlan() : impl_(std::make_unique<Impl>()) {}

OpPlan::~OpPlan() = default;

int OpPlan::Input(const aclTensor *tensor) {
  const int view = impl_->AddTensor(tensor, runtime::Text("input ", impl_->inputs++));
  if (tensor == nullptr || tensor->state->Dense()) return view;
  const int dense = impl_->AddWorkspace(tensor->state->Elements() * tensor->state->ItemSize());
  impl_->AddCopy(view, dense, false, &impl_->executor->steps);
  return dense;
}

int OpPlan::Output(aclTensor *tensor) {
  const int view = impl_->AddTensor(tensor, runtime::Text("output ", impl_->outputs++));
  if (tensor == nullptr || tensor->state->Dense()) return view;
  const int dense = impl_->AddWorkspace(tensor->state->Elements() * tensor->state->ItemSize());
  impl_->AddCopy(view, dense, true, &impl_->write_back);
  return dense;
}

int OpPlan::Dense(const aclTensor *tensor, const std::string &name) {
  const int slot = impl_->AddTensor(tensor, name);
  impl_->executor->slots[slot].dense = true;
  return slot;
}

int OpPlan::View(const aclTensor *tensor, bool written, bool peer) {
  const int view = impl_->AddTensor(tensor, runtime::Text("tensor ", impl_->inputs++));
  impl_->executor->slots[view].written = written;
  impl_->executor->slots[view].peer = peer;
  return view;
}

void OpPlan::Host(HostFunction function, const std::vector<int> &slots) {
  impl_->executor->steps.push_back({{}, slots, std::move(function)});
}

int OpPlan::Workspace(uint64_t bytes, uint64_t skipped) {
  const int slot = impl_->AddWorkspace(bytes);
  Slot &workspace = impl_->executor->slots[slot];
  workspace.workspace_offset += skipped;
  workspace.workspace_bytes -= skipped;
  return slot;
}

void OpPlan::Launch(const Kernel &kernel, uint32_t block_dim, uint64_t tiling_key, const void *tiling,
                    size_t tiling_bytes, const std::vector<int> &slots) {
  Step step;
  step.launch = {&kernel, block_dim, tiling_key, std::vector<std::byte>(tiling_bytes)};
  if (tiling_bytes > 0) std::memcpy(step.launch.tiling.data(), tiling, tiling_bytes);
  step.slots = slots;
  impl_->executor->steps.push_back(std::move(step));
}

aclnnStatus OpPlan::Finish(uint64_t *workspaceSize, aclOpExecutor **executor) {
  constexpr char kCall[] = "first phase";
  if (workspaceSize == nullptr)
    return opbase::Fail(opbase::kParamNullptr, kCall, ": workspaceSize must not be null");
  if (executor == nullptr) return opbase::Fail(opbase::kParamNullptr, kCall, ": executor must not be null");
  if (!impl_->failure.ok()) return runtime::ReturnStatus(kCall, impl_->failure);
  for (Step &step : impl_->write_back) impl_->executor->steps.push_back(std::move(step));
  *workspaceSize = impl_->executor->workspace_bytes;
  *executor = opbase::HandOver(std::move(impl_->executor));
  return OK;
}

aclnnStatus ReportError(int32_t code, const std::string &message) { return runtime::Fail(code, message); }

aclnnStatus ReportException(int32_t code, const char *call) noexcept {
  try {
    throw;
  } catch (const std::bad_alloc &) {
    return runtime::Fail(code, call, ": the host has no memory left");
  } catch (const std::exception &error) {
    return runtime::Fail(code, call, ": ", error.what());
  } catch (...) {
    return runtime::Fail(code, call, ": an exception of unknown kind");
  }
}

}  // namespace sim

void simReportOpError(int32_t code, const char *format, ...) try {
  va_list arguments, again;
  va_start(arguments, format);
  va_copy(again, arguments);
  std::string text(std::max(std::vsnprintf(nullptr, 0, format, arguments), 0), '\0');
  std::vsnprintf(text.data(), text.size() + 1, format, again);
  va_end(again);
  va_end(arguments);
  sim::ReportError(code, text);
}
SIM_CATCH_VOID
