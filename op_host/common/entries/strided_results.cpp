// SPDX-License-Identifier: Apache-2.0
#include "op_host/common/entries/strided_results.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "op_host/common/borders/acl_tensor.h"
#include "op_host/common/entries/cann_functions.h"
#include "opdev/op_log.h"

namespace avo {
namespace {

bool IsDense(const Tensor &view) {
  int64_t expected = 1;
  for (size_t i = view.shape.size(); i-- > 0;) {
    if (view.shape[i] != 1 && view.strides[i] != expected) return view.numel() == 0;
    expected *= view.shape[i];
  }
  return true;
}

// Parts of the workspace start at multiples of this many bytes, as device memory does.
uint64_t Aligned(uint64_t bytes) { return (bytes + 511) / 512 * 512; }

const CannFunction &Copy() {
  static const CannFunction copy("aclnnInplaceCopy");
  return copy;
}

aclnnStatus PlanCopy(aclTensor *view, const aclTensor *dense, uint64_t *bytes, aclOpExecutor **executor) {
  return Copy().First<aclTensor *, const aclTensor *, uint64_t *, aclOpExecutor **>(view, dense, bytes,
                                                                                    executor);
}

struct DestroyTensor {
  void operator()(const aclTensor *tensor) const { aclDestroyTensor(tensor); }
};

}  // namespace

class StridedCopies : public Detour {
 public:
  // Makes a dense tensor for the result with number `index` of opbuild's function. It gets its address in the
  // second phase.
  const aclTensor *Add(size_t index, const Result &result) {
    Tensor dense = FromAcl(result.given);
    dense.strides = ContiguousStrides(dense.shape);
    results_.push_back({index, result.name, result.given, nullptr, dense_bytes_});
    results_.back().dense.reset(aclCreateTensor(
        dense.shape.data(), dense.shape.size(), static_cast<aclDataType>(dense.dtype), dense.strides.data(),
        0, FormatOf(result.given), dense.shape.data(), dense.shape.size(), nullptr));
    dense_bytes_ += Aligned(static_cast<uint64_t>(dense.numel() * DTypeSize(dense.dtype)));
    return results_.back().dense.get();
  }

  Status PlanCopies() {
    for (const Strided &result : results_) {
      if (!Copy().exists()) {
        return Fail(StatusCode::kRuntime, result.name,
                    ": expected a dense tensor, as the libraries of CANN here have no aclnnInplaceCopy");
      }
      const WithoutCaches uncached;
      uint64_t bytes = 0;
      aclOpExecutor *executor = nullptr;
      const aclnnStatus code = PlanCopy(result.given, result.dense.get(), &bytes, &executor);
      if (code != 0) {
        return Fail(StatusCode::kRuntime, result.name,
                    ": expected a view that aclnnInplaceCopy writes to, it returned ", code);
      }
      aclDestroyAclOpExecutor(executor);
      copy_bytes_ = std::max(copy_bytes_, bytes);
    }
    return Status::Ok();
  }

  // Takes what opbuild's function needs and returns what all parts need together.
  uint64_t Place(uint64_t opbuilds_bytes) {
    opbuilds_bytes_ = opbuilds_bytes;
    return Needed();
  }

  aclnnStatus Run(SecondPhase opbuilds, void *workspace, uint64_t bytes, aclOpExecutor *executor,
                  aclrtStream stream) const override {
    if (workspace == nullptr || bytes < Needed()) {
      constexpr auto kCode = static_cast<aclnnStatus>(StatusCode::kInvalid);
      OP_LOGE(kCode, "workspaceSize: expected %lu bytes as the first phase asked for, got %lu",
              static_cast<unsigned long>(Needed()), static_cast<unsigned long>(bytes));
      return kCode;
    }
    auto *const dense = static_cast<uint8_t *>(workspace) + Aligned(opbuilds_bytes_);
    for (const Strided &result : results_) {
      const aclnnStatus code =
          aclSetOutputTensorAddr(executor, result.index, result.dense.get(), dense + result.offset);
      if (code != 0) return code;
    }
    aclnnStatus code = opbuilds(workspace, opbuilds_bytes_, executor, stream);
    for (auto result = results_.begin(); code == 0 && result != results_.end(); ++result)
      code = CopyBack(*result, dense + dense_bytes_, stream);
    return code;
  }

 private:
  struct Strided {
    size_t index;
    const char *name;
    aclTensor *given;
    std::unique_ptr<aclTensor, DestroyTensor> dense;
    uint64_t offset;  // from the first dense result
  };

  uint64_t Needed() const { return Aligned(opbuilds_bytes_) + dense_bytes_ + copy_bytes_; }

  // Plans the copy again, as all addresses are known now. Executors of CANN's functions may hold those of
  // their first phase.
  aclnnStatus CopyBack(const Strided &result, void *workspace, aclrtStream stream) const {
    LeaveTorchCache();
    uint64_t bytes = 0;
    aclOpExecutor *executor = nullptr;
    const aclnnStatus code = PlanCopy(result.given, result.dense.get(), &bytes, &executor);
    if (code != 0) return code;
    if (bytes > copy_bytes_) {
      constexpr auto kCode = static_cast<aclnnStatus>(StatusCode::kRuntime);
      OP_LOGE(kCode, "aclnnInplaceCopy: expected a need of at most %lu bytes as in the first phase, got %lu",
              static_cast<unsigned long>(copy_bytes_), static_cast<unsigned long>(bytes));
      return kCode;
    }
    return Copy().Second(workspace, bytes, executor, stream);
  }

  std::vector<Strided> results_;
  uint64_t opbuilds_bytes_ = 0;
  uint64_t dense_bytes_ = 0;
  uint64_t copy_bytes_ = 0;  // of the copy that needs most; they run one after the other
};

Results::Results(std::initializer_list<Result> results) {
  passed_.reserve(results.size());
  for (const Result &result : results) {
    if (IsDense(*result.view)) {
      passed_.push_back(result.given);
      continue;
    }
    if (copies_ == nullptr) copies_ = std::make_shared<StridedCopies>();
    passed_.push_back(copies_->Add(passed_.size(), result));
  }
}

Status Results::PlanCopies() { return copies_ == nullptr ? Status::Ok() : copies_->PlanCopies(); }

void Results::Finish(uint64_t *workspace_size, const aclOpExecutor *executor) {
  if (copies_ != nullptr) *workspace_size = copies_->Place(*workspace_size);
  SetDetour(executor, std::move(copies_));
}

}  // namespace avo
