// SPDX-License-Identifier: Apache-2.0
#include "context.h"

#include "device_table.h"

namespace sim::runtime {
namespace {

thread_local std::weak_ptr<Context> current_context;

}  // namespace

std::shared_ptr<Stream> Context::DefaultStream() {
  std::lock_guard<std::mutex> lock(mutex_);
  if (default_stream_ == nullptr) {
    default_stream_ = std::make_shared<Stream>(this, device_, 0, 0);
    Streams().Add(default_stream_);
  }
  return default_stream_;
}

Registry<Context> &Contexts() {
  static auto *contexts = new Registry<Context>;  // never destroyed: threads may outlive main
  return *contexts;
}

std::shared_ptr<Context> CurrentContextOrNull() {
  const std::shared_ptr<Context> context = current_context.lock();
  // A context that another thread closed lives as long as somebody uses it.
  return context != nullptr && Contexts().Find(context.get()) != nullptr ? context : nullptr;
}

std::shared_ptr<Context> CurrentContext(const char *call, aclError *code) {
  if ((*code = RefuseFork(call)) != ACL_SUCCESS) return nullptr;
  std::shared_ptr<Context> context = CurrentContextOrNull();
  if (context == nullptr) {
    *code = Fail(ACL_ERROR_RT_CONTEXT_NULL, call, ": this thread has no context; call aclrtSetDevice first");
  }
  return context;
}

void SetCurrentContext(std::shared_ptr<Context> context) { current_context = context; }

void CloseContext(const std::shared_ptr<Context> &context) {
  for (const std::shared_ptr<Stream> &stream : Streams().All()) {
    if (stream->context() != context.get()) continue;
    stream->Close(false);
    Streams().Take(stream.get());
  }
  Contexts().Take(context.get());
}

}  // namespace sim::runtime

using namespace sim::runtime;

extern "C" {

aclError aclrtCreateContext(aclrtContext *context, int32_t deviceId) try {
  SIM_REQUIRE_POINTER(context);
  aclError code = ACL_SUCCESS;
  const std::shared_ptr<Device> device = DeviceTable::Get().Open(__func__, deviceId, &code);
  if (device == nullptr) return code;
  auto created = std::make_shared<Context>(device);
  *context = Contexts().Add(created);
  SetCurrentContext(created);
  return ACL_SUCCESS;
}
SIM_CATCH

aclError aclrtDestroyContext(aclrtContext context) try {
  SIM_REQUIRE_POINTER(context);
  if (const aclError code = RefuseFork(__func__); code != ACL_SUCCESS) return code;
  const std::shared_ptr<Context> found = Contexts().Find(context);
  if (found == nullptr) {
    return Fail(ACL_ERROR_RT_INVALID_HANDLE, __func__, ": context ", context,
                " is no context (destroyed already?)");
  }
  if (DeviceTable::Get().IsPrimary(found)) {
    return Fail(ACL_ERROR_RT_PARAM_INVALID, __func__, ": context is the default one of device ",
                found->device()->id(), "; use aclrtResetDevice");
  }
  CloseContext(found);
  return ACL_SUCCESS;
}
SIM_CATCH

aclError aclrtSetCurrentContext(aclrtContext context) try {
  SIM_REQUIRE_POINTER(context);
  if (const aclError code = RefuseFork(__func__); code != ACL_SUCCESS) return code;
  const std::shared_ptr<Context> found = Contexts().Find(context);
  if (found == nullptr) {
    return Fail(ACL_ERROR_RT_INVALID_HANDLE, __func__, ": context ", context,
                " is no context (destroyed already?)");
  }
  SetCurrentContext(found);
  return ACL_SUCCESS;
}
SIM_CATCH

aclError aclrtGetCurrentContext(aclrtContext *context) try {
  SIM_REQUIRE_POINTER(context);
  aclError code = ACL_SUCCESS;
  *context = CurrentContext(__func__, &code).get();
  return code;
}
SIM_CATCH

aclError aclrtCtxGetCurrentDefaultStream(aclrtStream *stream) try {
  SIM_REQUIRE_POINTER(stream);
  aclError code = ACL_SUCCESS;
  const std::shared_ptr<Context> context = CurrentContext(__func__, &code);
  if (context != nullptr) *stream = context->DefaultStream().get();
  return code;
}
SIM_CATCH

}  // extern "C"
