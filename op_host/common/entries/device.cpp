// SPDX-License-Identifier: Apache-2.0
#include "op_host/common/entries/device.h"

#include <algorithm>
#include <cctype>
#include <string>

#include "acl/acl_rt.h"

namespace avo {

Status CheckDevice(std::initializer_list<const char *> socs) {
  const char *const name = aclrtGetSocName();
  if (name == nullptr) return Status::Ok();  // no device yet: the first phase of opbuild's function says so
  std::string lower(name);
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  std::string expected;
  for (const char *soc : socs) {
    if (lower.rfind(soc, 0) == 0) return Status::Ok();
    expected += (expected.empty() ? "" : " or ") + std::string(soc);
  }
  return Fail(StatusCode::kInvalid, "device: expected ", expected, ", got ", name);
}

}  // namespace avo
