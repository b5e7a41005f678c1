// SPDX-License-Identifier: Apache-2.0
// Calls that the contract refuses and CANN's function of the same name takes.
#include <atomic>
#include <thread>

#include "calls.h"
#include "op_host/common/entries/device.h"
#include "op_host/common/entries/second_phase.h"

using namespace npu_entries;

namespace {

// A call of int8, which the stand-in of CANN's library takes and the contract does not.
struct Bytes {
  View<int8_t> input{ACL_INT8, kDense};
  View<int8_t> values{ACL_INT8, {1, kRows}};
  View<int64_t> indices{ACL_INT64, kDense};
  uint64_t bytes = 0;
  aclOpExecutor *executor = nullptr;

  aclnnStatus First() {
    return aclnnCummaxGetWorkspaceSize(input.tensor, 1, values.tensor, indices.tensor, &bytes, &executor);
  }
};

}  // namespace

ACL_TEST(cann_runs_what_the_contract_refuses) {
  const Session session;
  Bytes call;
  StartTorchCache();
  CHECK_OK(call.First());
  const Stream stream;
  CHECK_OK(aclnnCummax(nullptr, call.bytes, call.executor, stream.handle));
  CHECK_OK(aclrtSynchronizeStream(stream.handle));
  call.values.CheckIs(std::vector<int8_t>(12, cann::kMark));
  CHECK(Counts().asked == 1 && Counts().run == 1 && Counts().cached_by_torch == 0);
}

ACL_TEST(a_call_that_the_contract_takes_stays_here) {
  const Session session;
  Call call(kDense, kTransposed);
  CHECK_OK(call.First());
  call.Second();
  call.CheckResults();
  CHECK(Counts().asked == 0 && Counts().run == 0);
}

ACL_TEST(what_both_refuse_is_our_error) {
  const Session session;
  Call call(kDense, kDense);
  const View<double> doubles(ACL_DOUBLE, kDense);
  CHECK_FAILS(aclnnCummaxGetWorkspaceSize(doubles.tensor, 1, call.values.tensor, call.indices.tensor,
                                          &call.bytes, &call.executor),
              161002, "self: expected float32");
  CHECK_FAILS(aclnnCummaxGetWorkspaceSize(nullptr, 1, call.values.tensor, call.indices.tensor, &call.bytes,
                                          &call.executor),
              161001, "self: expected a pointer");
  CHECK(Counts().asked == 2);
  Bytes bytes;
  CHECK_FAILS(aclnnCummaxGetWorkspaceSize(bytes.input.tensor, 1, bytes.values.tensor, bytes.indices.tensor,
                                          &bytes.bytes, nullptr),
              161001, "executor");
}

ACL_TEST(without_cann_the_contract_decides) {
  const Session session;
  Bytes call;
  CHECK_FAILS(call.First(), 161002, "self: expected float32");
}

// The function that opbuild made refuses all calls, as where the package has no binary for the device.
ACL_TEST(cann_is_asked_where_opbuilds_function_fails) {
  const Session session;
  Call call(kDense, kDense);
  CHECK(call.First() == 561103);
  CHECK(Counts().asked == 1);
}

ACL_TEST(other_devices_are_refused) {
  const Session session;  // of an Ascend910B1
  CHECK(avo::CheckDevice({"ascend910_93", "ascend910b"}).ok());
  const avo::Status status = avo::CheckDevice({"ascend310p", "ascend910_93"});
  CHECK(status.message == "device: expected ascend310p or ascend910_93, got Ascend910B1");
}

ACL_TEST(a_detour_ends_with_the_next_first_phase_of_its_executor) {
  struct Marked : avo::Detour {
    aclnnStatus Run(avo::SecondPhase, void *, uint64_t, aclOpExecutor *, aclrtStream) const override {
      return 7;
    }
  };
  const avo::SecondPhase opbuilds = [](void *, uint64_t, aclOpExecutor *, aclrtStream) { return 0; };
  int memory[2] = {};
  auto *const first = reinterpret_cast<aclOpExecutor *>(&memory[0]);
  auto *const second = reinterpret_cast<aclOpExecutor *>(&memory[1]);
  const auto run = [&](aclOpExecutor *executor) {
    return avo::RunSecondPhase(opbuilds, nullptr, 0, executor, nullptr);
  };
  CHECK(run(first) == 0);
  avo::SetDetour(first, std::make_shared<const Marked>());
  CHECK(run(first) == 7 && run(second) == 0 && run(first) == 7);
  avo::SetDetour(second, nullptr);
  CHECK(run(first) == 7);
  avo::SetDetour(first, nullptr);
  CHECK(run(first) == 0);
}

ACL_TEST(threads_do_not_meet_each_others_calls) {
  const Session session;
  std::atomic<int> right{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&right, strided = i % 2 == 0] {
      CHECK_OK(aclrtSetDevice(0));
      for (int round = 0; round < 10; ++round) {
        Call call(strided ? kTransposed : kDense, kDense);
        CHECK_OK(call.First());
        call.Second();
        call.CheckResults();
        ++right;
      }
    });
  }
  for (std::thread &thread : threads) thread.join();
  CHECK(right == 40);
}
