// SPDX-License-Identifier: Apache-2.0
// Results with any strides, where opbuild's function writes densely.
#include "calls.h"

using namespace npu_entries;

namespace {

uint64_t Aligned(uint64_t bytes) { return (bytes + 511) / 512 * 512; }

}  // namespace

ACL_TEST(dense_results_need_no_copy) {
  const Session session;
  Call call(kDense, kDense, 5);
  CHECK_OK(call.First());
  CHECK(call.bytes == 512);  // what the simulated device makes of opbuild's 40
  call.Second();
  call.CheckResults();
}

ACL_TEST(strided_results_are_written_to_their_views) {
  const Session session;
  Call call(kTransposed, {9, 2}, 3);
  CHECK_OK(call.First());
  CHECK(call.bytes == 512 + 2 * 512 + Aligned(cann::kCopyBytes));
  call.Second();
  call.CheckResults();
  CHECK(Counts().copies_run == 2);
}

ACL_TEST(one_strided_result_beside_a_dense_one) {
  const Session session;
  Call call(kDense, kTransposed);
  CHECK_OK(call.First());
  call.Second();
  call.CheckResults();
  CHECK(Counts().copies_run == 1);
}

ACL_TEST(a_small_workspace_is_refused_and_nothing_is_written) {
  const Session session;
  Call call(kTransposed, kDense);
  CHECK_OK(call.First());
  const Buffer workspace(call.bytes);
  CHECK_FAILS(aclnnCummax(workspace.data, call.bytes - 1, call.executor, nullptr), 161002, "workspaceSize");
  CHECK_FAILS(aclnnCummax(nullptr, call.bytes, call.executor, nullptr), 161002, "workspaceSize");
  CHECK_OK(aclrtSynchronizeDevice());
  CHECK(call.values.own.Download<float>() == std::vector<float>(60, -5));
}

// As CANN's documentation has it: the executor runs again, after new addresses were set.
ACL_TEST(a_repeatable_executor_follows_new_addresses) {
  const Session session;
  Call call(kTransposed, kDense);
  CHECK_OK(call.First());
  CHECK_OK(aclSetAclOpExecutorRepeatable(call.executor));
  call.Second();
  call.CheckResults();
  const View<float> other(ACL_FLOAT, kTransposed);
  CHECK_OK(aclSetOutputTensorAddr(call.executor, 0, call.values.tensor, other.own.data));
  call.Second();
  other.CheckIs(kValues);
  CHECK_OK(aclDestroyAclOpExecutor(call.executor));
}

ACL_TEST(results_may_get_their_addresses_after_the_first_phase) {
  const Session session;
  Call call(kTransposed, kTransposed);
  for (aclTensor *tensor : {call.values.tensor, call.indices.tensor})
    CHECK_OK(aclSetRawTensorAddr(tensor, nullptr));
  CHECK_OK(call.First());
  CHECK_OK(aclSetOutputTensorAddr(call.executor, 0, call.values.tensor, call.values.own.data));
  CHECK_OK(aclSetOutputTensorAddr(call.executor, 1, call.indices.tensor, call.indices.own.data));
  call.Second();
  call.CheckResults();
}

// The plans of copies that only ask for sizes, and the copies themselves, come under no key of the cache of
// torch_npu: it would give their executors to our second phase later.
ACL_TEST(copies_stay_out_of_the_cache_of_torch) {
  const Session session;
  Call call(kTransposed, kTransposed);
  StartTorchCache();
  CHECK_OK(call.First());
  StartTorchCache();
  call.Second();
  CHECK(Counts().copies_planned == 4 && Counts().cached_by_torch == 0);
}

ACL_TEST(without_cann_a_strided_result_is_refused) {
  const Session session;
  Call call(kDense, kTransposed);
  CHECK_FAILS(call.First(), 361001, "indicesOut: expected a dense tensor");
  Call dense(kDense, kDense);
  CHECK_OK(dense.First());
  dense.Second();
  dense.CheckResults();
}
