// SPDX-License-Identifier: Apache-2.0
// A switch for tests: how the package's own pool of threads shares work.
#pragma once

#include <string>

namespace avo {

// Sets how PoolFor shares work from now on. "usual": in ranges as kernels ask for them. "serial": all on the
// calling thread. "finest": in as many ranges as possible, of any size, so that small inputs use every
// thread. Throws std::invalid_argument for any other name.
void SharePool(const std::string &how);

}  // namespace avo
