// SPDX-License-Identifier: Apache-2.0
// Tensors that share memory, and sizes that no int64 counts.
#include "calls.h"

using namespace npu_entries;

ACL_TEST(a_result_in_the_memory_of_an_input_is_refused) {
  const Session session;
  Call call(kDense, kDense);
  const View<float> same(ACL_FLOAT, kDense, 0, call.input.own.data);
  const View<float> shifted(ACL_FLOAT, kDense, 8, call.input.own.data);
  const View<float> behind(ACL_FLOAT, kDense, 12, call.input.own.data);
  for (const auto *values : {&same, &shifted}) {
    CHECK_FAILS(aclnnCummaxGetWorkspaceSize(call.input.tensor, 1, values->tensor, call.indices.tensor,
                                            &call.bytes, &call.executor),
                161002, "valuesOut: expected memory of its own, got some that self lies in");
  }
  CHECK_OK(aclnnCummaxGetWorkspaceSize(call.input.tensor, 1, behind.tensor, call.indices.tensor, &call.bytes,
                                       &call.executor));
}

ACL_TEST(results_that_share_memory_are_refused) {
  const Session session;
  Call call(kDense, kDense);
  const View<int64_t> indices(ACL_INT64, kDense, 3, call.values.own.data);
  CHECK_FAILS(aclnnCummaxGetWorkspaceSize(call.input.tensor, 1, call.values.tensor, indices.tensor,
                                          &call.bytes, &call.executor),
              161002, "expected memory of its own");
  Call folded(kDense, {0, 1});
  CHECK_FAILS(folded.First(), 161002, "indicesOut: expected elements with memory of their own");
}

ACL_TEST(views_that_interlock_are_taken) {
  const Session session;
  const View<float> both(ACL_FLOAT, {8, 2});
  const View<float> odd(ACL_FLOAT, {8, 2}, 1, both.own.data);
  Call call(kDense, kDense);
  CHECK_OK(aclnnCummaxGetWorkspaceSize(both.tensor, 1, odd.tensor, call.indices.tensor, &call.bytes,
                                       &call.executor));
}

ACL_TEST(sizes_beyond_63_bits_are_refused) {
  const Session session;
  Call call(kDense, kDense);
  struct Huge {
    Sizes shape, strides;
    int64_t offset;
  };
  constexpr int64_t kHuge = int64_t{1} << 62;
  const Huge all[] = {{{kHuge, 3, 4}, {12, 4, 1}, 0},
                      {{int64_t{1} << 32, int64_t{1} << 32, 1}, {0, 0, 0}, 0},
                      {{2, 2}, {kHuge, 1}, 0},
                      {{2, 2}, {2, 1}, kHuge}};
  for (const Huge &huge : all) {
    aclTensor *const tensor =
        aclCreateTensor(huge.shape.data(), huge.shape.size(), ACL_FLOAT, huge.strides.data(), huge.offset,
                        ACL_FORMAT_ND, huge.shape.data(), huge.shape.size(), call.input.own.data);
    CHECK_FAILS(aclnnCummaxGetWorkspaceSize(tensor, 1, call.values.tensor, call.indices.tensor, &call.bytes,
                                            &call.executor),
                161002, "self: expected fewer than 2^63 bytes");
    aclDestroyTensor(tensor);
  }
}
