// SPDX-License-Identifier: Apache-2.0
// A call of an operator whose host code a library has (operators/project.h).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "loaded_project.h"

namespace sim::operators {

// Loads a library once. Throws std::runtime_error where that fails.
const Project &LoadProject(const std::string &library);
std::string Json(const Project &project);

class ProjectCall {
 public:
  // Throws std::runtime_error where the library does not define the type.
  ProjectCall(const Project &project, const std::string &type);

  gert::NodeTensors inputs;
  gert::NodeTensors outputs;
  std::vector<gert::RuntimeAttr> attributes;
  gert::NodeTensors *filled = nullptr;  // the side whose parameters are being added
  bool incomplete = false;              // something could not be added

  // The results, with the shapes and dtypes that the operator's functions find; a result of dtype
  // DT_UNDEFINED where it has none of them.
  std::vector<gert::Tensor> Infer(bool *shapes_known) const;
  const gert::TilingResult &Tile();
  // Throws where there is no tiling yet.
  const gert::TilingResult &Tiling() const;
  const std::string &type() const { return type_; }

 private:
  gert::NodeTensors WithValues(const gert::NodeTensors &tensors) const;

  std::string type_;
  const ops::OpFacts *facts_ = nullptr;
  OperatorType functions_;
  std::optional<gert::TilingResult> tiling_;
};

}  // namespace sim::operators
