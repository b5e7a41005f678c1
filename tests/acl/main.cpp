// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <exception>

#include "acl_test.h"

int main(int argc, char **argv) {
  if (argc == 2 && std::strcmp(argv[1], "--list") == 0) {
    for (const auto &test : acl_test::Tests()) std::puts(test.first.c_str());
    return 0;
  }
  const auto found = argc == 2 ? acl_test::Tests().find(argv[1]) : acl_test::Tests().end();
  if (found == acl_test::Tests().end()) {
    std::fprintf(stderr, "usage: %s NAME | --list\n", argv[0]);
    return 2;
  }
  try {
    found->second();
  } catch (const std::exception &error) {  // of the C++ functions that generated code calls
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
