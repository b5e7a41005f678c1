// SPDX-License-Identifier: Apache-2.0
// Makes one aclnn call from Python and owns everything that the call allocates.
#include <cstring>
#include <mutex>

#include "native_aclnn.h"
#include "op_host/common/borders/acl_tensor.h"
#include "tiling/platform/platform_ascendc.h"

namespace avo::native {
namespace {

constexpr int32_t kDevice = 0;

// Initialises ACL once in the process and makes the device current on this thread.
void UseDevice() {
  static std::once_flag once;
  static aclError first = ACL_SUCCESS;
  std::call_once(once, [] {
    first = aclInit(nullptr);
    if (first == ACL_ERROR_REPEAT_INITIALIZE) first = ACL_SUCCESS;
  });
  CheckAcl(first, "aclInit failed");
  CheckAcl(aclrtSetDevice(kDevice), "aclrtSetDevice failed");
}

// An aclTensor cannot have a negative stride, so an array with one is copied to a dense array first.
py::array Forward(const py::array &array) {
  const Tensor view = FromNumpy(array);
  bool backwards = false;
  for (size_t i = 0; i < view.shape.size(); ++i) backwards |= view.strides[i] < 0 && view.shape[i] > 1;
  if (!backwards) return array;
  return py::module_::import("numpy").attr("ascontiguousarray")(array);
}

}  // namespace

void CheckAcl(int32_t code, const char *what) {
  if (code == 0) return;
  const char *recent = aclGetRecentErrMsg();
  const std::string message = recent != nullptr && *recent != '\0' ? recent : what;
  const bool invalid = code == static_cast<int32_t>(StatusCode::kNullptr) ||
                       code == static_cast<int32_t>(StatusCode::kInvalid);
  Raise(invalid ? PyExc_ValueError : PyExc_RuntimeError, message + " (" + std::to_string(code) + ")", code);
}

namespace {

// Returns a size of the device that the caller gives; raises ValueError where no device has it.
int64_t SizeWithin(const char *name, int64_t value, int64_t least, int64_t most) {
  if (value >= least && value <= most) return value;
  throw py::value_error(std::string(name) + ": expected a number from " + std::to_string(least) + " to " +
                        std::to_string(most) + ", got " + std::to_string(value));
}

// A launch counts blocks with 16 bits, and addresses of on-chip memory have 32.
constexpr int64_t kMostCores = 65535;
constexpr int64_t kLeastUb = 32;
constexpr int64_t kMostUb = int64_t{1} << 32;

}  // namespace

Platform PlatformOf(const std::optional<std::string> &soc, std::optional<int64_t> cores,
                    std::optional<int64_t> ub_bytes) {
  const auto *device = soc ? platform_ascendc::PlatformAscendCManager::GetInstance(soc->c_str())
                           : platform_ascendc::PlatformAscendCManager::GetInstance();
  if (device == nullptr) throw py::value_error("soc: expected a known device, got " + soc.value_or("none"));
  Platform platform = ReadPlatform(*device);
  if (cores) platform.vector_cores = static_cast<uint32_t>(SizeWithin("cores", *cores, 1, kMostCores));
  if (ub_bytes)
    platform.ub_bytes = static_cast<uint64_t>(SizeWithin("ub_bytes", *ub_bytes, kLeastUb, kMostUb));
  return platform;
}

struct AclnnCall::Impl {
  struct Storage {
    aclTensor *tensor = nullptr;
    void *device = nullptr;
    void *host = nullptr;
    size_t bytes = 0;
    bool copy_in = false;
    bool copy_out = false;
  };

  const char *name;
  std::vector<Storage> storages;
  std::vector<aclIntArray *> ints;
  std::vector<aclBoolArray *> bools;
  std::vector<py::array> kept;                           // arrays made here, alive until the call ends
  std::vector<std::pair<py::array, py::array>> written;  // results to assign: caller's array, dense array
  void *workspace = nullptr;
  aclrtStream stream = nullptr;
};

AclnnCall::AclnnCall(const char *name) : impl_(new Impl{}) {
  impl_->name = name;
  UseDevice();
}

AclnnCall::~AclnnCall() {
  for (const auto &storage : impl_->storages) {
    if (storage.tensor != nullptr) aclDestroyTensor(storage.tensor);
    if (storage.device != nullptr) aclrtFree(storage.device);
  }
  for (const aclIntArray *array : impl_->ints) aclDestroyIntArray(array);
  for (const aclBoolArray *array : impl_->bools) aclDestroyBoolArray(array);
  if (impl_->workspace != nullptr) aclrtFree(impl_->workspace);
  if (impl_->stream != nullptr) aclrtDestroyStream(impl_->stream);
}

aclTensor *AclnnCall::MakeTensor(const Tensor &view, void *host, size_t itemsize, bool copy_in,
                                 bool copy_out) {
  Impl::Storage storage;
  storage.host = host;
  storage.bytes = static_cast<size_t>(ExtentOf(view)) * itemsize;
  storage.copy_in = copy_in;
  storage.copy_out = copy_out;
  if (storage.bytes != 0) {
    CheckAcl(aclrtMalloc(&storage.device, storage.bytes, ACL_MEM_MALLOC_HUGE_FIRST), "out of device memory");
  }
  storage.tensor = ToAcl({view.dtype, view.shape, view.strides, storage.device});
  impl_->storages.push_back(storage);
  if (storage.tensor == nullptr) CheckAcl(ACL_ERROR_INVALID_PARAM, "aclCreateTensor failed");
  return storage.tensor;
}

const aclTensor *AclnnCall::Input(const std::optional<py::array> &array) {
  if (!array) return nullptr;
  const py::array forward = Forward(*array);
  impl_->kept.push_back(forward);
  return MakeTensor(FromNumpy(forward), const_cast<void *>(forward.data()), forward.itemsize(), true, false);
}

aclTensor *AclnnCall::Output(const py::array &array, bool fresh) {
  const py::array forward = Forward(array);
  if (!forward.is(array)) impl_->written.emplace_back(array, forward);
  impl_->kept.push_back(forward);
  // The bytes between the elements of a strided result go to the device as well, so that they come back
  // unchanged.
  return MakeTensor(FromNumpy(forward), const_cast<void *>(forward.data()), forward.itemsize(), !fresh, true);
}

const aclIntArray *AclnnCall::Ints(const std::vector<int64_t> &values) {
  impl_->ints.push_back(aclCreateIntArray(values.data(), values.size()));
  return impl_->ints.back();
}

const aclBoolArray *AclnnCall::Bools(const std::vector<int64_t> &values) {
  impl_->bools.push_back(BoolsToAcl(values));
  return impl_->bools.back();
}

aclTensor *AclnnCall::Probe(const py::handle &description) {
  if (description.is_none()) return nullptr;
  Tensor view = Describe(description);
  // Memory for one element is enough for any shape, because the first phase does not read data.
  Impl::Storage storage;
  CheckAcl(aclrtMalloc(&storage.device, 32, ACL_MEM_MALLOC_HUGE_FIRST), "out of device memory");
  aclFormat format = ACL_FORMAT_ND;
  const auto pair = py::isinstance<py::tuple>(description) ? description.cast<py::tuple>() : py::tuple();
  if (pair.size() > 2) format = static_cast<aclFormat>(pair[2].cast<int>());
  if (pair.size() > 3 && !pair[3].is_none()) view.strides = pair[3].cast<std::vector<int64_t>>();
  const int64_t offset = pair.size() > 4 ? pair[4].cast<int64_t>() : 0;
  storage.tensor = aclCreateTensor(view.shape.data(), view.shape.size(), static_cast<aclDataType>(view.dtype),
                                   view.strides.data(), offset, format, view.shape.data(), view.shape.size(),
                                   storage.device);
  impl_->storages.push_back(storage);
  if (storage.tensor == nullptr) CheckAcl(ACL_ERROR_INVALID_PARAM, "aclCreateTensor failed");
  return storage.tensor;
}

const aclIntArray *AclnnCall::ProbeInts(const py::handle &values) {
  return values.is_none() ? nullptr : Ints(values.cast<std::vector<int64_t>>());
}

const aclBoolArray *AclnnCall::ProbeBools(const py::handle &values) {
  return values.is_none() ? nullptr : Bools(values.cast<std::vector<int64_t>>());
}

void AclnnCall::Run(aclnnStatus first_phase, SecondPhase second_phase) {
  CheckAcl(first_phase, impl_->name);
  const char *failed = nullptr;
  int32_t code = 0;
  {
    const py::gil_scoped_release released;
    const auto step = [&](int32_t status, const char *what) {
      if (code == 0 && status != 0) {
        code = status;
        failed = what;
      }
      return code == 0;
    };
    for (const auto &storage : impl_->storages) {
      if (!storage.copy_in || storage.bytes == 0) continue;
      step(aclrtMemcpy(storage.device, storage.bytes, storage.host, storage.bytes, ACL_MEMCPY_HOST_TO_DEVICE),
           "copy to the device failed");
    }
    if (workspace_size_ != 0) {
      step(aclrtMalloc(&impl_->workspace, workspace_size_, ACL_MEM_MALLOC_HUGE_FIRST),
           "no memory for the workspace");
    }
    step(aclrtCreateStream(&impl_->stream), "aclrtCreateStream failed");
    // The second phase consumes the executor, also when it fails.
    if (code != 0) {
      aclDestroyAclOpExecutor(executor_);
    } else {
      step(second_phase(impl_->workspace, workspace_size_, executor_, impl_->stream), impl_->name);
    }
    if (code == 0) step(aclrtSynchronizeStream(impl_->stream), impl_->name);
    for (const auto &storage : impl_->storages) {
      if (code != 0 || !storage.copy_out || storage.bytes == 0) continue;
      step(aclrtMemcpy(storage.host, storage.bytes, storage.device, storage.bytes, ACL_MEMCPY_DEVICE_TO_HOST),
           "copy from the device failed");
    }
  }
  CheckAcl(code, failed);
  for (auto &[target, dense] : impl_->written) target[py::ellipsis()] = dense;
}

py::tuple AclnnCall::Outcome(aclnnStatus first_phase) {
  const char *recent = first_phase == 0 ? "" : aclGetRecentErrMsg();
  const std::string message = recent != nullptr ? recent : "";
  if (first_phase == 0 && executor_ != nullptr) aclDestroyAclOpExecutor(executor_);
  return py::make_tuple(static_cast<int32_t>(first_phase), message);
}

}  // namespace avo::native
