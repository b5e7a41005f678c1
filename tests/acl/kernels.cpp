// SPDX-License-Identifier: Apache-2.0
// Plans and executors, and kernels that fail.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <iostream>
#include <iterator>
#include <memory>
#include <numeric>
#include <thread>

#include "acl_test.h"
#include "engine/launch.h"
#include "kernel_operator.h"
#include "sim/op_plan.h"
#include "sim/sim_runtime.h"

using namespace acl_test;

namespace {

struct BytesTiling {
  int64_t bytes;
};

// Sets dst = src with one block. It reads `bytes` bytes, however large the allocation is.
void CopyBytes(GM_ADDR src, GM_ADDR dst, GM_ADDR, GM_ADDR tiling) {
  GET_TILING_DATA_WITH_STRUCT(BytesTiling, tilingData, tiling);
  constexpr int64_t kTile = 32768;
  AscendC::TPipe pipe;
  AscendC::TQueBind<AscendC::TPosition::VECIN, AscendC::TPosition::VECOUT, 1> queue;
  pipe.InitBuffer(queue, 2, kTile);
  AscendC::GlobalTensor<uint8_t> in;
  AscendC::GlobalTensor<uint8_t> out;
  in.SetGlobalBuffer(src);
  out.SetGlobalBuffer(dst);
  for (int64_t at = 0; at < tilingData.bytes; at += kTile) {
    const auto size = static_cast<uint32_t>(std::min(kTile, tilingData.bytes - at));
    auto tile = queue.AllocTensor<uint8_t>();
    AscendC::DataCopyPad(tile, in[at], AscendC::DataCopyExtParams(1, size, 0, 0, 0),
                         AscendC::DataCopyPadExtParams<uint8_t>(false, 0, 0, 0));
    queue.EnQue(tile);
    tile = queue.DeQue<uint8_t>();
    AscendC::DataCopyPad(out[at], tile, AscendC::DataCopyExtParams(1, size, 0, 0, 0));
    queue.FreeTensor(tile);
  }
}

const sim::Kernel &CopyKernel() {
  static const sim::Kernel kernel = [] {
    sim::Kernel made;
    made.name = "copy_bytes";
    made.invoke = [](void *const *args) {
      CopyBytes(static_cast<GM_ADDR>(args[0]), static_cast<GM_ADDR>(args[1]), static_cast<GM_ADDR>(args[2]),
                static_cast<GM_ADDR>(args[3]));
    };
    return made;
  }();
  return kernel;
}

// The two phases of an operator that copies `bytes` bytes of self to out, both dense to its kernel.
aclnnStatus CopyGetWorkspaceSize(const aclTensor *self, aclTensor *out, int64_t bytes,
                                 uint64_t *workspace_size, aclOpExecutor **executor) {
  sim::OpPlan plan;
  const std::vector<int> slots = {plan.Input(self), plan.Output(out), plan.Workspace(64)};
  const BytesTiling tiling{bytes};
  plan.Launch(CopyKernel(), 1, 0, &tiling, sizeof(tiling), slots);
  return plan.Finish(workspace_size, executor);
}

using Tensor = std::unique_ptr<aclTensor, aclnnStatus (*)(const aclTensor *)>;

Tensor MakeTensor(const std::vector<int64_t> &shape, aclDataType dtype, void *data,
                  const std::vector<int64_t> &strides = {}, int64_t offset = 0) {
  aclTensor *tensor =
      aclCreateTensor(shape.data(), shape.size(), dtype, strides.empty() ? nullptr : strides.data(), offset,
                      ACL_FORMAT_ND, shape.data(), shape.size(), data);
  CHECK(tensor != nullptr);
  return Tensor(tensor, aclDestroyTensor);
}

// Makes one whole call on a stream and does not wait for it.
struct Call {
  Call(const aclTensor *self, aclTensor *out, int64_t bytes, aclrtStream stream) {
    aclOpExecutor *executor = nullptr;
    uint64_t size = 0;
    CHECK_OK(CopyGetWorkspaceSize(self, out, bytes, &size, &executor));
    CHECK(size > 0 && size % 512 == 0);
    workspace = std::make_unique<Buffer>(size);
    CHECK_OK(sim::RunPlan(workspace->data, size, executor, stream));
  }
  std::unique_ptr<Buffer> workspace;
};

std::vector<int64_t> ParseNumbers(const char *text) {
  std::vector<int64_t> numbers;
  for (char *end = nullptr; *text != '\0'; text = *end == ',' ? end + 1 : end) {
    numbers.push_back(std::strtoll(text, &end, 10));
  }
  return numbers;
}

}  // namespace

ACL_TEST(a_call_runs_on_its_stream) {
  Session session;
  Stream stream;
  Buffer in(1024);
  Buffer out(1024);
  std::vector<int32_t> values(256);
  std::iota(values.begin(), values.end(), 1);
  in.Upload(values);
  const Tensor self = MakeTensor({256}, ACL_INT32, in.data);
  const Tensor result = MakeTensor({256}, ACL_INT32, out.data);
  simKeepReports(1);
  const Call call(self.get(), result.get(), 1024, stream.handle);
  CHECK_OK(aclrtSynchronizeStream(stream.handle));
  CHECK(out.Download<int32_t>() == values);
  const std::string reports = simTakeReports();
  CHECK(reports.find("\"copy_bytes\"") != std::string::npos);
  CHECK(std::string(simTakeReports()) == "[]");
}

ACL_TEST(a_plan_without_launches_does_nothing) {
  Session session;
  sim::OpPlan plan;
  uint64_t size = 1;
  aclOpExecutor *executor = nullptr;
  CHECK_OK(plan.Finish(&size, &executor));
  CHECK(size == 0 && executor != nullptr);
  CHECK_OK(sim::RunPlan(nullptr, 0, executor, nullptr));
}

ACL_TEST(an_executor_runs_once_unless_repeatable) {
  Session session;
  Buffer in(64);
  Buffer out(64);
  Buffer other(64);
  Buffer workspace(512);
  in.Upload(std::vector<uint8_t>(64, 5));
  const Tensor self = MakeTensor({64}, ACL_UINT8, in.data);
  const Tensor result = MakeTensor({64}, ACL_UINT8, out.data);
  uint64_t size = 0;
  aclOpExecutor *executor = nullptr;
  CHECK_OK(CopyGetWorkspaceSize(self.get(), result.get(), 64, &size, &executor));
  CHECK_OK(sim::RunPlan(workspace.data, size, executor, nullptr));
  CHECK_FAILS(sim::RunPlan(workspace.data, size, executor, nullptr), 561000, "ran already");
  CHECK_FAILS(aclSetAclOpExecutorRepeatable(executor), 561000, "spent");
  CHECK_FAILS(sim::RunPlan(workspace.data, size, nullptr, nullptr), 161001, "executor");

  CHECK_OK(CopyGetWorkspaceSize(self.get(), result.get(), 64, &size, &executor));
  CHECK_OK(aclSetAclOpExecutorRepeatable(executor));
  CHECK_OK(sim::RunPlan(workspace.data, size, executor, nullptr));
  CHECK_OK(aclSetOutputTensorAddr(executor, 0, result.get(), other.data));
  CHECK_OK(sim::RunPlan(workspace.data, size, executor, nullptr));
  CHECK_OK(aclrtSynchronizeStream(nullptr));
  CHECK(out.Download<uint8_t>()[63] == 5 && other.Download<uint8_t>()[63] == 5);
  CHECK_OK(aclDestroyAclOpExecutor(executor));
  CHECK_FAILS(aclDestroyAclOpExecutor(executor), 561000, "destroyed");
  CHECK_FAILS(aclDestroyAclOpExecutor(nullptr), 561103, "executor");
}

ACL_TEST(the_second_phase_checks_its_memory) {
  Session session;
  Buffer in(64);
  Buffer out(64);
  Buffer workspace(512);
  std::vector<uint8_t> host(512);
  in.Upload(std::vector<uint8_t>(64));
  uint64_t size = 0;
  aclOpExecutor *executor = nullptr;
  {
    const Tensor self = MakeTensor({64}, ACL_UINT8, in.data);
    const Tensor result = MakeTensor({64}, ACL_UINT8, out.data);
    CHECK_OK(CopyGetWorkspaceSize(self.get(), result.get(), 64, &size, &executor));
  }
  CHECK_OK(aclSetAclOpExecutorRepeatable(executor));
  CHECK_FAILS(sim::RunPlan(workspace.data, size - 1, executor, nullptr), 161002, "at least the 512 bytes");
  CHECK_FAILS(sim::RunPlan(nullptr, size, executor, nullptr), 161001, "workspace must not be null");
  CHECK_FAILS(sim::RunPlan(host.data(), size, executor, nullptr), 161002, "workspace must be device memory");
  CHECK_FAILS(sim::RunPlan(in.data, size, executor, nullptr), 161002, "workspace needs 512 bytes");
  CHECK_FAILS(sim::RunPlan(workspace.data, size, executor, &size), 361001, "no stream");
  CHECK_OK(sim::RunPlan(workspace.data, size, executor, nullptr));
  CHECK_OK(aclDestroyAclOpExecutor(executor));

  const Tensor on_host = MakeTensor({64}, ACL_UINT8, host.data());
  const Tensor too_long = MakeTensor({65}, ACL_UINT8, in.data);
  const Tensor result = MakeTensor({64}, ACL_UINT8, out.data);
  CHECK_OK(CopyGetWorkspaceSize(on_host.get(), result.get(), 64, &size, &executor));
  CHECK_FAILS(sim::RunPlan(workspace.data, size, executor, nullptr), 161002,
              "input 0: its data must be device memory");
  CHECK_OK(CopyGetWorkspaceSize(too_long.get(), result.get(), 64, &size, &executor));
  CHECK_FAILS(sim::RunPlan(workspace.data, size, executor, nullptr), 161002,
              "input 0: its data needs 65 bytes");
  CHECK_OK(aclrtSynchronizeDevice());
}

ACL_TEST(a_result_view_must_not_overlap_itself) {
  Session session;
  Buffer buffer(64);
  const Tensor self = MakeTensor({4, 4}, ACL_UINT8, buffer.data);
  const Tensor result = MakeTensor({4, 4}, ACL_UINT8, buffer.data, {0, 1});
  uint64_t size = 0;
  aclOpExecutor *executor = nullptr;
  CHECK_FAILS(CopyGetWorkspaceSize(self.get(), result.get(), 16, &size, &executor), 161002,
              "output 0: an output must not overlap itself: stride[0] is 0, size 4");
}

ACL_TEST(a_kernel_fault_fails_the_stream_once) {
  Session session;
  Stream stream;
  Buffer in(4096);
  Buffer out(64);
  in.Upload(std::vector<uint8_t>(4096, 1));
  const Tensor self = MakeTensor({4096}, ACL_UINT8, in.data);
  const Tensor result = MakeTensor({64}, ACL_UINT8, out.data);
  const Call call(self.get(), result.get(), 4096, stream.handle);
  CHECK_FAILS(aclrtSynchronizeStream(stream.handle), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION, "copy_bytes");
  CHECK_OK(aclrtSynchronizeStream(stream.handle));
  const std::string reports = simTakeReports();
  CHECK(reports.find("GmBounds") != std::string::npos || reports.find("bounds") != std::string::npos);
}

ACL_TEST(a_kernel_that_reads_memory_never_written_is_told) {
  Session session;
  Stream stream;
  Buffer in(64);
  Buffer copy(64);
  Buffer out(64);
  CHECK_OK(aclrtMemset(in.data, 64, 1, 40));
  // A copy of unwritten bytes is not a write.
  CHECK_OK(aclrtMemcpy(copy.data, 64, in.data, 64, ACL_MEMCPY_DEVICE_TO_DEVICE));
  const Tensor result = MakeTensor({64}, ACL_UINT8, out.data);
  for (const void *data : {in.data, copy.data}) {
    const Tensor self = MakeTensor({64}, ACL_UINT8, const_cast<void *>(data));
    const Call call(self.get(), result.get(), 64, stream.handle);
    CHECK_FAILS(aclrtSynchronizeStream(stream.handle), ACL_ERROR_RT_VECTOR_CORE_EXCEPTION, "copy_bytes");
    const Call written(self.get(), result.get(), 40, stream.handle);
    CHECK_OK(aclrtSynchronizeStream(stream.handle));
  }
}

ACL_TEST(a_capture_replays_calls_with_the_memory_of_the_moment) {
  Session session;
  Stream stream;
  Buffer in(64);
  Buffer out(64);
  const Tensor self = MakeTensor({64}, ACL_UINT8, in.data);
  const Tensor result = MakeTensor({64}, ACL_UINT8, out.data);
  CHECK_OK(aclmdlRICaptureBegin(stream.handle, ACL_MODEL_RI_CAPTURE_MODE_RELAXED));
  const Call call(self.get(), result.get(), 64, stream.handle);
  aclmdlRI graph = nullptr;
  CHECK_OK(aclmdlRICaptureEnd(stream.handle, &graph));
  for (const uint8_t value : {1, 2}) {
    CHECK_OK(aclrtMemset(in.data, 64, value, 64));
    CHECK_OK(aclmdlRIExecuteAsync(graph, stream.handle));
    CHECK_OK(aclrtSynchronizeStream(stream.handle));
    CHECK(out.Download<uint8_t>() == std::vector<uint8_t>(64, value));
  }
  CHECK_OK(aclmdlRIDestroy(graph));
}

// Two threads, each with its own streams, share a device. Nothing is left afterwards.
ACL_TEST(threads_share_a_device_and_leave_nothing) {
  Session session;
  const size_t start = UsedBytes();
  const auto work = [](uint8_t seed) {
    CHECK_OK(aclrtSetDevice(0));
    {
      Stream first;
      Stream second;
      Event event;
      for (int i = 0; i < 25; ++i) {
        const auto value = static_cast<uint8_t>(seed + i);
        Buffer a(256);
        Buffer b(256);
        Buffer c(256);
        const Tensor from = MakeTensor({16, 16}, ACL_UINT8, a.data, {1, 16});
        const Tensor middle = MakeTensor({16, 16}, ACL_UINT8, b.data);
        const Tensor to = MakeTensor({16, 16}, ACL_UINT8, c.data, {1, 16});
        CHECK_OK(aclrtMemsetAsync(a.data, 256, value, 256, first.handle));
        const Call one(from.get(), middle.get(), 256, first.handle);
        CHECK_OK(aclrtRecordEvent(event.handle, first.handle));
        CHECK_OK(aclrtStreamWaitEvent(second.handle, event.handle));
        const Call two(middle.get(), to.get(), 256, second.handle);
        CHECK_OK(aclrtSynchronizeStream(second.handle));
        CHECK(c.Download<uint8_t>() == std::vector<uint8_t>(256, value));
      }
    }
    CHECK_OK(aclrtResetDevice(0));
  };
  std::thread one(work, 1);
  std::thread two(work, 100);
  one.join();
  two.join();
  CHECK(UsedBytes() == start);
}

// test_strided_copy.py runs this. It reads a storage of bytes and prints the dense copy of a view of it
// ("in"), or writes dense bytes to the view and prints the storage ("out"). COPY is "in|out item
// storage_items offset shape strides".
ACL_TEST(strided_copy) {
  const char *text = std::getenv("COPY");
  CHECK(text != nullptr);
  char direction[8];
  char shape_text[256];
  char stride_text[256];
  long item = 0;
  long items = 0;
  long offset = 0;
  CHECK(std::sscanf(text, "%7s %ld %ld %ld %255s %255s", direction, &item, &items, &offset, shape_text,
                    stride_text) == 6);
  const std::vector<int64_t> shape = ParseNumbers(shape_text);
  const std::vector<int64_t> strides = ParseNumbers(stride_text);
  const aclDataType dtype = item == 1   ? ACL_INT8
                            : item == 2 ? ACL_FLOAT16
                            : item == 4 ? ACL_FLOAT
                                        : ACL_INT64;
  const int64_t count = std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
  const std::vector<char> input((std::istreambuf_iterator<char>(std::cin)), std::istreambuf_iterator<char>());

  Session session;
  const size_t before = UsedBytes();
  {
    Buffer storage(items * item);
    Buffer dense(count * item);
    const bool in = std::strcmp(direction, "in") == 0;
    CHECK_OK(aclrtMemset(storage.data, storage.size, 0, storage.size));
    (in ? storage : dense).Upload(input);
    const Tensor view = MakeTensor(shape, dtype, storage.data, strides, offset);
    const Tensor flat = MakeTensor(shape, dtype, dense.data);
    const Call call(in ? view.get() : flat.get(), in ? flat.get() : view.get(), count * item, nullptr);
    CHECK_OK(aclrtSynchronizeStream(nullptr));
    const auto output = (in ? dense : storage).Download<char>();
    std::fwrite(output.data(), 1, output.size(), stdout);
  }
  CHECK(UsedBytes() == before);
}
