// SPDX-License-Identifier: Apache-2.0
// An ACL program as one is written for CANN: views, an empty batch, and every error that
// aclnnUpsampleLinear1d reports.
//   c++ -std=c++17 resample_views.cpp $(avo config --cflags --libs) -o resample_views && ./resample_views
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "acl/acl.h"
#include "aclnnop/aclnn_upsample_linear_1d.h"

namespace {

int g_wrong = 0;

void Expect(bool right, const char *what) {
  std::printf("%-44s %s\n", what, right ? "ok" : "WRONG");
  if (!right) ++g_wrong;
}

void Must(int status, const char *what) {
  if (status == 0) return;
  std::fprintf(stderr, "%s: %d %s\n", what, status, aclGetRecentErrMsg());
  std::exit(1);
}

// Floats on the device, and a view of them.
struct DeviceTensor {
  void *data = nullptr;
  size_t bytes = 0;
  aclTensor *tensor = nullptr;

  DeviceTensor(const std::vector<float> &storage, const std::vector<int64_t> &shape,
               const std::vector<int64_t> &strides, int64_t offset = 0, aclDataType dtype = ACL_FLOAT)
      : bytes(storage.size() * sizeof(float)) {
    const auto elements = static_cast<int64_t>(storage.size());
    if (bytes != 0) {
      Must(aclrtMalloc(&data, bytes, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
      Must(aclrtMemcpy(data, bytes, storage.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE), "aclrtMemcpy");
    }
    tensor = aclCreateTensor(shape.data(), shape.size(), dtype, strides.data(), offset, ACL_FORMAT_ND,
                             &elements, 1, data);
  }
  ~DeviceTensor() {
    aclDestroyTensor(tensor);
    if (data != nullptr) aclrtFree(data);
  }

  std::vector<float> Read() const {
    std::vector<float> host(bytes / sizeof(float));
    Must(aclrtMemcpy(host.data(), bytes, data, bytes, ACL_MEMCPY_DEVICE_TO_HOST), "aclrtMemcpy");
    return host;
  }
};

std::vector<float> Ramp(size_t count) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = static_cast<float>(i % 17) - 8.0F;
  return values;
}

// Both phases on a stream of their own.
aclnnStatus Resample(const aclTensor *self, const aclIntArray *size, bool align_corners, double scales,
                     aclTensor *out, uint64_t *workspace_size) {
  aclOpExecutor *executor = nullptr;
  aclnnStatus status = aclnnUpsampleLinear1dGetWorkspaceSize(self, size, align_corners, scales, out,
                                                             workspace_size, &executor);
  if (status != 0) return status;
  aclrtStream stream = nullptr;
  Must(aclrtCreateStream(&stream), "aclrtCreateStream");
  void *workspace = nullptr;
  if (*workspace_size != 0)
    Must(aclrtMalloc(&workspace, *workspace_size, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
  status = aclnnUpsampleLinear1d(workspace, *workspace_size, executor, stream);
  if (status == 0) status = aclrtSynchronizeStream(stream);
  if (workspace != nullptr) aclrtFree(workspace);
  aclrtDestroyStream(stream);
  return status;
}

float At(const std::vector<float> &row, int i, int out_length) {
  const auto length = static_cast<int>(row.size());
  const double x = std::fmax(0.0, (i + 0.5) * length / out_length - 0.5);
  const int left = std::min(static_cast<int>(x), length - 1), right = std::min(left + 1, length - 1);
  return static_cast<float>((1 - (x - left)) * row[left] + (x - left) * row[right]);
}

// self (2, 3, 8) lies transposed in memory behind 5 other floats; out (2, 3, 20) takes every second float.
void Views() {
  const int64_t batch = 2, channels = 3, length = 8, out_length = 20, offset = 5;
  const std::vector<float> memory = Ramp(offset + batch * channels * length);
  DeviceTensor self(memory, {batch, channels, length}, {length * channels, 1, channels}, offset);
  const std::vector<float> untouched(2 * batch * channels * out_length, -77.0F);
  DeviceTensor out(untouched, {batch, channels, out_length}, {2 * channels * out_length, 2 * out_length, 2});
  const aclIntArray *size = aclCreateIntArray(&out_length, 1);
  uint64_t workspace_size = 0;
  Must(Resample(self.tensor, size, false, -1.0, out.tensor, &workspace_size), "aclnnUpsampleLinear1d");
  aclDestroyIntArray(size);

  const std::vector<float> got = out.Read();
  bool right = true, between = true;
  for (int64_t n = 0; n < batch; ++n) {
    for (int64_t c = 0; c < channels; ++c) {
      std::vector<float> row(length);
      for (int64_t i = 0; i < length; ++i) row[i] = memory[offset + n * length * channels + i * channels + c];
      for (int64_t i = 0; i < out_length; ++i) {
        const int64_t at = 2 * ((n * channels + c) * out_length + i);
        right = right && std::fabs(got[at] - At(row, static_cast<int>(i), out_length)) < 1e-5F;
        between = between && got[at + 1] == -77.0F;
      }
    }
  }
  Expect(right, "non-contiguous self and out");
  Expect(between, "memory between the results untouched");
}

void EmptyBatch() {
  const int64_t out_length = 16;
  DeviceTensor self({}, {0, 3, 8}, {24, 8, 1});
  DeviceTensor out({}, {0, 3, 16}, {48, 16, 1});
  const aclIntArray *size = aclCreateIntArray(&out_length, 1);
  uint64_t workspace_size = 1;
  const aclnnStatus status = Resample(self.tensor, size, false, -1.0, out.tensor, &workspace_size);
  Expect(status == 0 && workspace_size == 0, "empty batch, no workspace");
  aclDestroyIntArray(size);
}

struct Wrong {
  const char *what;
  std::vector<int64_t> self, out, size;
  double scales;
  aclDataType dtype;
  const char *parameter;
};

std::vector<int64_t> Dense(const std::vector<int64_t> &shape) {
  std::vector<int64_t> strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
  return strides;
}

void Errors() {
  const std::vector<Wrong> calls = {
      {"self of rank 2", {3, 8}, {1, 3, 16}, {16}, -1, ACL_FLOAT, "self"},
      {"out of rank 4", {1, 3, 8}, {1, 1, 3, 16}, {16}, -1, ACL_FLOAT, "out"},
      {"outputSize of two elements", {1, 3, 8}, {1, 3, 16}, {16, 16}, -1, ACL_FLOAT, "outputSize"},
      {"no channels", {1, 0, 8}, {1, 0, 16}, {16}, -1, ACL_FLOAT, "self"},
      {"no samples", {1, 3, 0}, {1, 3, 16}, {16}, -1, ACL_FLOAT, "self"},
      {"outputSize 0", {1, 3, 8}, {1, 3, 0}, {0}, -1, ACL_FLOAT, "outputSize"},
      {"out of another length", {1, 3, 8}, {1, 3, 15}, {16}, -1, ACL_FLOAT, "out"},
      {"scales that contradict outputSize", {1, 3, 8}, {1, 3, 16}, {16}, 3.0, ACL_FLOAT, "scales"},
      {"scales 0", {1, 3, 8}, {1, 3, 16}, {16}, 0.0, ACL_FLOAT, "scales"},
      {"self of int32", {1, 3, 8}, {1, 3, 16}, {16}, -1, ACL_INT32, "self"},
  };
  for (const Wrong &call : calls) {
    DeviceTensor self(Ramp(24), call.self, Dense(call.self), 0, call.dtype);
    const std::vector<float> before(48, -77.0F);
    DeviceTensor out(before, call.out, Dense(call.out));
    const aclIntArray *size = aclCreateIntArray(call.size.data(), call.size.size());
    uint64_t workspace_size = 0;
    const aclnnStatus status = Resample(self.tensor, size, false, call.scales, out.tensor, &workspace_size);
    const char *message = aclGetRecentErrMsg();
    const bool named = message != nullptr && std::strstr(message, call.parameter) != nullptr;
    Expect(status == 161002 && named && out.Read() == before, call.what);
    aclDestroyIntArray(size);
  }
}

void Nulls() {
  const int64_t out_length = 16;
  DeviceTensor self(Ramp(24), {1, 3, 8}, {24, 8, 1});
  DeviceTensor out(Ramp(48), {1, 3, 16}, {48, 16, 1});
  const aclIntArray *size = aclCreateIntArray(&out_length, 1);
  uint64_t workspace = 0;
  aclOpExecutor *executor = nullptr;
  const auto call = aclnnUpsampleLinear1dGetWorkspaceSize;
  Expect(call(nullptr, size, false, -1, out.tensor, &workspace, &executor) == 161001, "self null");
  Expect(call(self.tensor, nullptr, false, -1, out.tensor, &workspace, &executor) == 161001,
         "outputSize null");
  Expect(call(self.tensor, size, false, -1, nullptr, &workspace, &executor) == 161001, "out null");
  Expect(call(self.tensor, size, false, -1, out.tensor, nullptr, &executor) == 161001, "workspaceSize null");
  Expect(call(self.tensor, size, false, -1, out.tensor, &workspace, nullptr) == 161001, "executor null");
  aclDestroyIntArray(size);
}

}  // namespace

int main() {
  Must(aclInit(nullptr), "aclInit");
  Must(aclrtSetDevice(0), "aclrtSetDevice");
  Views();
  EmptyBatch();
  Errors();
  Nulls();
  Must(aclrtResetDevice(0), "aclrtResetDevice");
  Must(aclFinalize(), "aclFinalize");
  std::printf("%s\n", g_wrong == 0 ? "all right" : "something is wrong");
  return g_wrong == 0 ? 0 : 1;
}
