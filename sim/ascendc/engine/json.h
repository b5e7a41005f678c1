// SPDX-License-Identifier: Apache-2.0
// Strings and numbers as reports and traces write them in JSON.
#pragma once

#include <string>

namespace sim {

std::string JsonString(const std::string &text);  // quoted and escaped
std::string JsonNumber(double value);

}  // namespace sim
