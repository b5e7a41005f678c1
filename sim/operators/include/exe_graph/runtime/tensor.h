// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "exe_graph/runtime/storage_format.h"
#include "exe_graph/runtime/storage_shape.h"
#include "graph/types.h"

namespace gert {

// Dtype and formats of a tensor.
class CompileTimeTensorDesc {
 public:
  CompileTimeTensorDesc() = default;
  CompileTimeTensorDesc(ge::DataType dtype, ge::Format format) : dtype_(dtype), format_(format) {}

  ge::DataType GetDataType() const { return dtype_; }
  void SetDataType(ge::DataType dtype) { dtype_ = dtype; }
  ge::Format GetOriginFormat() const { return format_; }
  ge::Format GetStorageFormat() const { return format_; }
  StorageFormat GetFormat() const { return {format_, format_}; }
  void SetOriginFormat(ge::Format format) { format_ = format; }
  void SetStorageFormat(ge::Format format) { format_ = format; }

 private:
  ge::DataType dtype_ = ge::DT_UNDEFINED;
  ge::Format format_ = ge::FORMAT_ND;
};

class Tensor {
 public:
  Tensor() = default;
  Tensor(const Shape &shape, CompileTimeTensorDesc desc) : shape_(shape, shape), desc_(desc) {}

  const StorageShape &GetShape() const { return shape_; }
  const Shape &GetOriginShape() const { return shape_.GetOriginShape(); }
  const Shape &GetStorageShape() const { return shape_.GetStorageShape(); }
  StorageShape &GetShape() { return shape_; }
  int64_t GetShapeSize() const { return GetStorageShape().GetShapeSize(); }
  ge::DataType GetDataType() const { return desc_.GetDataType(); }
  ge::Format GetOriginFormat() const { return desc_.GetOriginFormat(); }
  ge::Format GetStorageFormat() const { return desc_.GetStorageFormat(); }
  const CompileTimeTensorDesc &Desc() const { return desc_; }
  CompileTimeTensorDesc &Desc() { return desc_; }
  // The values of an input on the host; nullptr for one on the device.
  template <typename T>
  const T *GetData() const {
    return static_cast<const T *>(values_);
  }
  const void *GetAddr() const { return values_; }
  void SetValues(const void *values) { values_ = values; }
  Shape &MutableOriginShape() { return shape_.MutableOriginShape(); }
  Shape &MutableStorageShape() { return shape_.MutableStorageShape(); }
  StorageFormat GetFormat() const { return desc_.GetFormat(); }

 private:
  StorageShape shape_;
  CompileTimeTensorDesc desc_;
  const void *values_ = nullptr;
};

}  // namespace gert
