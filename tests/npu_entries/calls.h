// SPDX-License-Identifier: Apache-2.0
// One call of the documented function, with views that a test chooses.
#pragma once

#include <dlfcn.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "acl_test.h"
#include "aclnnop/aclnn_cummax.h"
#include "cann.h"

namespace npu_entries {

using namespace acl_test;
using Sizes = std::vector<int64_t>;

constexpr int64_t kRows = 3, kColumns = 4;
const Sizes kDense = {kColumns, 1};
const Sizes kTransposed = {1, kRows};

// What the stand-in of CANN's library has counted. Tests run with it in their library path.
inline const cann::Counts &Counts() {
  void *const library = dlopen("libopapi.so", RTLD_NOW | RTLD_NOLOAD);
  CHECK(library != nullptr);
  auto *const counts = reinterpret_cast<decltype(&CannCounts)>(dlsym(library, "CannCounts"));
  CHECK(counts != nullptr);
  return *counts();
}

// Does what torch_npu does before the first phase of a call that its cache does not know yet.
inline void StartTorchCache() {
  void *const library = dlopen("libopapi.so", RTLD_NOW);
  reinterpret_cast<void (*)()>(dlsym(library, "InitPTACacheThreadLocal"))();
  reinterpret_cast<void (*)(uint64_t)>(dlsym(library, "SetPTAHashKey"))(9);
}

// A view of 3 x 4 in memory of its own, or in memory that is given.
template <typename T>
struct View {
  View(aclDataType dtype, const Sizes &strides, int64_t offset = 0, void *shared = nullptr)
      : own(60 * sizeof(T)), strides(strides), offset(offset) {
    std::vector<T> poison(60, static_cast<T>(-5));
    own.Upload(poison);
    const int64_t shape[] = {kRows, kColumns}, storage = 60;
    tensor = aclCreateTensor(shape, 2, dtype, strides.data(), offset, ACL_FORMAT_ND, &storage, 1,
                             shared != nullptr ? shared : own.data);
    CHECK(tensor != nullptr);
  }
  ~View() { aclDestroyTensor(tensor); }
  View(const View &) = delete;
  View &operator=(const View &) = delete;

  size_t Place(int64_t row, int64_t column) const { return offset + row * strides[0] + column * strides[1]; }

  // Checks all of a buffer: the values at their places, poison between and around them.
  void CheckIs(const std::vector<T> &expected, const Buffer &buffer) const {
    std::vector<T> all(60, static_cast<T>(-5));
    for (int64_t i = 0; i < kRows * kColumns; ++i) all[Place(i / kColumns, i % kColumns)] = expected[i];
    CHECK(buffer.Download<T>() == all);
  }
  void CheckIs(const std::vector<T> &expected) const { CheckIs(expected, own); }

  Buffer own;
  Sizes strides;
  int64_t offset;
  aclTensor *tensor = nullptr;
};

const std::vector<float> kInput = {1, 3, 2, 3, 5, 4, 6, 1, 0, 0, 7, 2};
const std::vector<float> kValues = {1, 3, 3, 3, 5, 5, 6, 6, 0, 0, 7, 7};
const std::vector<int64_t> kIndices = {0, 1, 1, 3, 0, 0, 2, 2, 0, 1, 2, 2};

// The tensors of a call; results with the strides that are given.
struct Call {
  Call(const Sizes &values_strides, const Sizes &indices_strides, int64_t offset = 0)
      : input(ACL_FLOAT, kDense),
        values(ACL_FLOAT, values_strides, offset),
        indices(ACL_INT64, indices_strides, offset) {
    input.own.Upload(kInput);
  }

  aclnnStatus First() {
    return aclnnCummaxGetWorkspaceSize(input.tensor, 1, values.tensor, indices.tensor, &bytes, &executor);
  }
  void Second() {
    const Buffer workspace(std::max<uint64_t>(bytes, 1));
    const Stream stream;
    CHECK_OK(aclnnCummax(workspace.data, bytes, executor, stream.handle));
    CHECK_OK(aclrtSynchronizeStream(stream.handle));
  }
  void CheckResults() const {
    values.CheckIs(kValues);
    indices.CheckIs(kIndices);
  }

  View<float> input;
  View<float> values;
  View<int64_t> indices;
  uint64_t bytes = 0;
  aclOpExecutor *executor = nullptr;
};

}  // namespace npu_entries
