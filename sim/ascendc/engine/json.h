// SPDX-License-Identifier: Apache-2.0
// The two scalars that reports and traces write as JSON.
#pragma once

#include <string>

namespace sim {

std::string JsonString(const std::string &text);  // quoted and escaped
std::string JsonNumber(double value);

}  // namespace sim
