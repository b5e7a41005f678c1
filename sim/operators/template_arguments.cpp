// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <stdexcept>

#include "ascendc/host_api/tiling/template_argument.h"

namespace AscendC {
namespace {

// The values of an integer's list, in the order that their places have.
std::vector<uint64_t> ListedValues(const SimTplParameter &parameter) {
  const std::vector<uint64_t> &given = parameter.values;
  const bool ranges = !given.empty() && given[0] != ASCENDC_TPL_UI_LIST;
  const size_t behind = ranges ? 2 + 2 * (given.size() > 1 ? given[1] : given.size()) : 1;
  if (given.size() < behind) {
    throw std::invalid_argument(std::string("ASCENDC_TPL_UINT_DECL ") + parameter.name +
                                ": expected how its values are listed and these values, got too few numbers");
  }
  std::vector<uint64_t> values;
  for (size_t i = 2; ranges && i < behind; i += 2) {
    for (uint64_t value = given[i]; value <= given[i + 1]; ++value) values.push_back(value);
  }
  if (given[0] != ASCENDC_TPL_UI_RANGE) values.insert(values.end(), given.begin() + behind, given.end());
  return values;
}

// What stands in the key for a value.
uint64_t BitsOf(const SimTplParameter &parameter, uint64_t value) {
  uint64_t bits = value;
  if (parameter.kind == ASCENDC_TPL_UINT) {
    const std::vector<uint64_t> values = ListedValues(parameter);
    const auto found = std::find(values.begin(), values.end(), value);
    if (found == values.end()) {
      throw std::invalid_argument(std::string(parameter.name) +
                                  ": expected a value of its "
                                  "ASCENDC_TPL_UINT_DECL, got " +
                                  std::to_string(value));
    }
    bits = static_cast<uint64_t>(found - values.begin());
  }
  if (parameter.bits < 64 && bits >> parameter.bits != 0) {
    throw std::invalid_argument(std::string(parameter.name) + ": expected what fits into " +
                                std::to_string(parameter.bits) + " bits of the tiling key, got " +
                                std::to_string(bits));
  }
  return bits;
}

}  // namespace

uint64_t EncodeTilingKey(const TilingDeclareParams &declared, const std::vector<uint64_t> &values) {
  if (values.size() != declared.size()) {
    throw std::invalid_argument("GET_TPL_TILING_KEY: expected " + std::to_string(declared.size()) +
                                " values, as ASCENDC_TPL_ARGS_DECL has, got " +
                                std::to_string(values.size()));
  }
  uint64_t key = 0;
  size_t shift = 0;
  for (size_t i = 0; i < declared.size(); ++i) {
    if (shift + declared[i].bits > 64) {
      throw std::invalid_argument("ASCENDC_TPL_ARGS_DECL: expected at most 64 bits for all parameters");
    }
    key |= BitsOf(declared[i], values[i]) << shift;
    shift += declared[i].bits;
  }
  return key;
}

}  // namespace AscendC
