// SPDX-License-Identifier: Apache-2.0
// What the generated files onnxruntime_*.cpp use to describe nodes. ONNX Runtime's types do not appear here;
// only onnxruntime.cpp knows them.
#pragma once

#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "op_cpu/common/parallel/parallel.h"
#include "op_host/common/borders/onnx_attributes.h"

namespace avo::onnxruntime_face {

using namespace avo::onnx;

// One call of a kernel. A tensor is identified by its place in the node.
class Context {
 public:
  virtual ~Context() = default;
  virtual Tensor Input(size_t index) = 0;
  virtual std::optional<Tensor> OptionalInput(size_t index) = 0;
  // Gives memory for a result that InferOutputs described. The memory is our own where the node leaves the
  // result out.
  virtual void Output(size_t index, Tensor *output) = 0;
  virtual void Scratch(Tensor *output) = 0;
  // Writes rows of `sources` side by side: the first `count` rows, or the rows at the first `count` of
  // `indices`.
  virtual void Rows(size_t index, std::initializer_list<const Tensor *> sources, const Tensor *indices,
                    int64_t count) = 0;
  virtual const ParallelFor &threads() const = 0;
};

// Throws for a status in which a contract reports an error.
void Check(const Status &status);

// Reads the one element of a count.
int64_t FirstOf(const Tensor &tensor);

// A dimension before the data are there: its value, or -1 where it is unknown, and its name, where it has
// one.
struct Dim {
  int64_t value = -1;
  std::string symbol = {};
};

inline Dim Unknown() { return {}; }
std::vector<Dim> Known(const Shape &shape);

// The shapes of a node's tensors, before the data are there.
class Shapes {
 public:
  struct Place {
    size_t input;
    size_t dim;
  };

  virtual ~Shapes() = default;
  virtual bool Has(size_t index) const = 0;
  virtual const std::vector<Dim> &Like(size_t index) const = 0;
  virtual void Output(size_t index, const std::vector<Dim> &shape) = 0;

  // Gives a shape with -1 for each unknown dimension. Throws where the rank differs or is unknown.
  Tensor Input(size_t index, int64_t rank) const;
  // Gives a dimension of an input.
  const Dim &Same(size_t input, size_t dim) const { return Like(input)[dim]; }
  // Gives a value that depends on dimensions of inputs, all of which must be known.
  Dim From(int64_t value, std::initializer_list<Place> places) const;
};

using Compute = std::function<void(Context &)>;

struct NodeType {
  // Shapes of the inputs and of the results.
  struct Types {
    std::vector<DType> inputs;
    std::vector<DType> outputs;
  };

  const char *domain;
  const char *name;
  std::vector<bool> optional;  // for each input, whether it may be left out
  std::vector<Types> types;
  Compute (*prepare)(const Attributes &attributes);
  void (*infer)(const Attributes &attributes, Shapes &shapes);
};

// Each generated file adds its nodes when the library is loaded.
class Registration {
 public:
  explicit Registration(void (*add)(std::vector<NodeType> &nodes));
};

}  // namespace avo::onnxruntime_face
