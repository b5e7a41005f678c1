// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "exe_graph/runtime/shape.h"

namespace gert {

// The shape that a caller sees, and that of the memory in the tensor's format.
class StorageShape {
 public:
  StorageShape() = default;
  StorageShape(const Shape &origin, const Shape &storage) : origin_(origin), storage_(storage) {}

  const Shape &GetOriginShape() const { return origin_; }
  const Shape &GetStorageShape() const { return storage_; }
  Shape &MutableOriginShape() { return origin_; }
  Shape &MutableStorageShape() { return storage_; }

 private:
  Shape origin_;
  Shape storage_;
};

}  // namespace gert
