// SPDX-License-Identifier: Apache-2.0
// An operator of a graph, as far as parsers of models need it: its attributes, kept as JSON.
#pragma once

#include <cstdint>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "graph/types.h"

namespace ge {

class Operator {
 public:
  // Gives a text that was set as it is: the attributes of a node of a model are one such text.
  graphStatus GetAttr(const char *name, AscendString &value) const {
    const auto found = texts.find(name);
    if (found == texts.end()) return GRAPH_FAILED;
    value = AscendString(found->second.c_str());
    return GRAPH_SUCCESS;
  }
  Operator &SetAttr(const char *name, const AscendString &value) {
    texts[name] = value.GetString();
    return Keep(name, std::string("\"") + value.GetString() + "\"");
  }
  Operator &SetAttr(const char *name, const std::vector<int64_t> &values) {
    std::ostringstream text;
    for (size_t i = 0; i < values.size(); ++i) text << (i == 0 ? "" : ",") << values[i];
    return Keep(name, "[" + text.str() + "]");
  }
  Operator &SetAttr(const char *name, bool value) { return Keep(name, value ? "true" : "false"); }
  Operator &SetAttr(const char *name, int64_t value) { return Keep(name, std::to_string(value)); }
  Operator &SetAttr(const char *name, float value) {
    std::ostringstream text;
    text.precision(9);
    text << value;
    return Keep(name, text.str());
  }

  std::map<std::string, std::string> texts;
  std::map<std::string, std::string> json;

 private:
  Operator &Keep(const char *name, const std::string &value) {
    json[name] = value;
    return *this;
  }
};

}  // namespace ge
