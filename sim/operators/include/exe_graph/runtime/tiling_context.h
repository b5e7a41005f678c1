// SPDX-License-Identifier: Apache-2.0
// What a tiling function is given, and what it sets.
#pragma once

#include "exe_graph/runtime/extended_kernel_context.h"
#include "exe_graph/runtime/tiling_data.h"

namespace fe {
class PlatFormInfos;
}

namespace gert {

struct TilingResult {
  explicit TilingResult(size_t capacity) : data(capacity) {}

  TilingData data;
  uint64_t key = 0;
  uint32_t block_dim = 0;
  uint32_t schedule_mode = 0;
  uint32_t local_memory = 0;
  bool need_atomic = false;
  std::vector<size_t> workspaces;
};

class TilingContext : public ExtendedKernelContext {
 public:
  static constexpr size_t kMostWorkspaces = 20;

  // `compile_info`: what the operator's TilingParse made, nullptr where it has none.
  TilingContext(Node *node, fe::PlatFormInfos *platform, TilingResult *result,
                const void *compile_info = nullptr)
      : ExtendedKernelContext(node), platform_(platform), result_(result), compile_info_(compile_info) {}

  const StorageShape *GetInputShape(size_t index) const { return ShapeOf(node_->inputs.At(index)); }
  const StorageShape *GetRequiredInputShape(size_t index) const { return ShapeOf(node_->inputs.Of(index)); }
  const StorageShape *GetOptionalInputShape(size_t index) const { return ShapeOf(node_->inputs.Of(index)); }
  const StorageShape *GetDynamicInputShape(size_t index, size_t place) const {
    return ShapeOf(node_->inputs.Of(index, place));
  }
  const StorageShape *GetOutputShape(size_t index) const { return ShapeOf(node_->outputs.At(index)); }
  const Tensor *GetInputTensor(size_t index) const { return node_->inputs.At(index); }
  const Tensor *GetRequiredInputTensor(size_t index) const { return node_->inputs.Of(index); }
  const Tensor *GetOptionalInputTensor(size_t index) const { return node_->inputs.Of(index); }
  const Tensor *GetDynamicInputTensor(size_t index, size_t place) const {
    return node_->inputs.Of(index, place);
  }

  fe::PlatFormInfos *GetPlatformInfo() const { return platform_; }
  const void *GetCompileInfo() const { return compile_info_; }
  template <typename T>
  const T *GetCompileInfo() const {
    return static_cast<const T *>(compile_info_);
  }
  int32_t GetDeterministic() const { return 0; }

  ge::graphStatus SetTilingKey(uint64_t key) { return Set(&result_->key, key); }
  uint64_t GetTilingKey() const { return result_->key; }
  ge::graphStatus SetBlockDim(uint32_t blocks) { return Set(&result_->block_dim, blocks); }
  uint32_t GetBlockDim() const { return result_->block_dim; }
  ge::graphStatus SetSimdNumBlocks(uint32_t blocks) { return SetBlockDim(blocks); }
  ge::graphStatus SetScheduleMode(uint32_t mode) { return Set(&result_->schedule_mode, mode); }
  uint32_t GetScheduleMode() const { return result_->schedule_mode; }
  ge::graphStatus SetLocalMemorySize(uint32_t bytes) { return Set(&result_->local_memory, bytes); }
  ge::graphStatus SetNeedAtomic(bool atomic) { return Set(&result_->need_atomic, atomic); }
  bool NeedAtomic() const { return result_->need_atomic; }

  TilingData *GetRawTilingData() { return &result_->data; }
  template <typename T>
  T *GetTilingData() {
    if (result_->data.GetCapacity() < sizeof(T)) return nullptr;
    result_->data.SetDataSize(sizeof(T));
    return static_cast<T *>(result_->data.GetData());
  }
  // Returns where the sizes of `count` workspaces are to be written; nullptr for more than there may be.
  size_t *GetWorkspaceSizes(size_t count) {
    if (count > kMostWorkspaces) return nullptr;
    result_->workspaces.resize(count);
    return result_->workspaces.data();
  }
  size_t GetWorkspaceNum() const { return result_->workspaces.size(); }

 private:
  static const StorageShape *ShapeOf(const Tensor *tensor) {
    return tensor == nullptr ? nullptr : &tensor->GetShape();
  }
  template <typename T>
  static ge::graphStatus Set(T *place, T value) {
    *place = value;
    return ge::GRAPH_SUCCESS;
  }

  fe::PlatFormInfos *platform_;
  TilingResult *result_;
  const void *compile_info_;
};

}  // namespace gert
