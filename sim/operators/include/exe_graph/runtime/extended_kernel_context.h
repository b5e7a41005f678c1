// SPDX-License-Identifier: Apache-2.0
// What all contexts of an operator tell: its tensors, by their order in the operator definition, and its
// attributes.
#pragma once

#include <utility>
#include <vector>

#include "exe_graph/runtime/runtime_attrs.h"
#include "exe_graph/runtime/tensor.h"

namespace gert {

// The tensors of one side. A parameter of the definition has none, one, or, where it is dynamic, several. One
// that has none takes a place all the same, as in calls by aclnn: GetInputShape(3) is the fourth input of the
// definition, whether the third is there or not.
struct NodeTensors {
  struct Range {
    size_t first = 0;
    size_t count = 0;
  };
  std::vector<Tensor> tensors;
  std::vector<Range> parameters;

  void AddParameter() {
    parameters.push_back({tensors.size(), 0});
    tensors.emplace_back();
  }
  // Adds a tensor to the last parameter.
  Tensor &AddTensor(const Tensor &tensor) {
    if (parameters.back().count > 0) tensors.emplace_back();
    parameters.back().count += 1;
    return tensors.back() = tensor;
  }
  const Tensor *At(size_t index) const {
    if (index >= tensors.size()) return nullptr;
    for (const Range &range : parameters) {
      if (range.first == index && range.count == 0) return nullptr;
    }
    return &tensors[index];
  }
  const Tensor *Of(size_t parameter, size_t place = 0) const {
    if (parameter >= parameters.size() || place >= parameters[parameter].count) return nullptr;
    return &tensors[parameters[parameter].first + place];
  }
};

// A call, as the stand-in of CANN's framework describes it to contexts.
struct Node {
  Node(const char *type, NodeTensors inputs, NodeTensors outputs, std::vector<RuntimeAttr> attributes)
      : type(type),
        inputs(std::move(inputs)),
        outputs(std::move(outputs)),
        attributes(std::move(attributes)) {}

  ge::AscendString type;
  NodeTensors inputs;
  NodeTensors outputs;
  RuntimeAttrs attributes;
};

// How many tensors a parameter of the definition has, and the place of the first one among all.
class AnchorInstanceInfo {
 public:
  explicit AnchorInstanceInfo(NodeTensors::Range range) : range_(range) {}
  size_t GetInstanceNum() const { return range_.count; }
  size_t GetInstanceStart() const { return range_.first; }

 private:
  NodeTensors::Range range_;
};

class ComputeNodeInfo {
 public:
  explicit ComputeNodeInfo(Node *node) : node_(node) {
    for (const auto &range : node->inputs.parameters) inputs_.emplace_back(range);
    for (const auto &range : node->outputs.parameters) outputs_.emplace_back(range);
  }

  const char *GetNodeType() const { return node_->type.GetString(); }
  const char *GetNodeName() const { return node_->type.GetString(); }
  size_t GetIrInputsNum() const { return inputs_.size(); }
  size_t GetIrOutputsNum() const { return outputs_.size(); }
  size_t GetInputsNum() const { return node_->inputs.tensors.size(); }
  size_t GetOutputsNum() const { return node_->outputs.tensors.size(); }
  const AnchorInstanceInfo *GetInputInstanceInfo(size_t index) const {
    return index < inputs_.size() ? &inputs_[index] : nullptr;
  }
  const AnchorInstanceInfo *GetOutputInstanceInfo(size_t index) const {
    return index < outputs_.size() ? &outputs_[index] : nullptr;
  }
  const CompileTimeTensorDesc *GetInputTdInfo(size_t index) const {
    const Tensor *tensor = node_->inputs.At(index);
    return tensor == nullptr ? nullptr : &tensor->Desc();
  }
  const CompileTimeTensorDesc *GetOutputTdInfo(size_t index) const {
    const Tensor *tensor = node_->outputs.At(index);
    return tensor == nullptr ? nullptr : &tensor->Desc();
  }
  CompileTimeTensorDesc *MutableOutputTdInfo(size_t index) const {
    return index < node_->outputs.tensors.size() ? &node_->outputs.tensors[index].Desc() : nullptr;
  }
  const RuntimeAttrs *GetAttrs() const { return &node_->attributes; }

 private:
  Node *node_;
  std::vector<AnchorInstanceInfo> inputs_;
  std::vector<AnchorInstanceInfo> outputs_;
};

class KernelContext {};

class ExtendedKernelContext : public KernelContext {
 public:
  explicit ExtendedKernelContext(Node *node) : node_(node), info_(node) {}

  const CompileTimeTensorDesc *GetInputDesc(size_t index) const { return DescOf(node_->inputs.At(index)); }
  const CompileTimeTensorDesc *GetRequiredInputDesc(size_t index) const {
    return DescOf(node_->inputs.Of(index));
  }
  const CompileTimeTensorDesc *GetOptionalInputDesc(size_t index) const {
    return DescOf(node_->inputs.Of(index));
  }
  const CompileTimeTensorDesc *GetDynamicInputDesc(size_t index, size_t place) const {
    return DescOf(node_->inputs.Of(index, place));
  }
  const CompileTimeTensorDesc *GetOutputDesc(size_t index) const { return DescOf(node_->outputs.At(index)); }
  const ComputeNodeInfo *GetComputeNodeInfo() const { return &info_; }
  const AnchorInstanceInfo *GetIrInputInstanceInfo(size_t index) const {
    return info_.GetInputInstanceInfo(index);
  }
  const AnchorInstanceInfo *GetIrOutputInstanceInfo(size_t index) const {
    return info_.GetOutputInstanceInfo(index);
  }
  size_t GetComputeNodeInputNum() const { return node_->inputs.tensors.size(); }
  size_t GetComputeNodeOutputNum() const { return node_->outputs.tensors.size(); }
  const RuntimeAttrs *GetAttrs() const { return &node_->attributes; }
  const char *GetNodeType() const { return node_->type.GetString(); }
  const char *GetNodeName() const { return node_->type.GetString(); }

 protected:
  static const CompileTimeTensorDesc *DescOf(const Tensor *tensor) {
    return tensor == nullptr ? nullptr : &tensor->Desc();
  }

  Node *node_;

 private:
  ComputeNodeInfo info_;
};

}  // namespace gert
