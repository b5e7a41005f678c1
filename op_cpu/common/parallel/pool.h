// SPDX-License-Identifier: Apache-2.0
// How the package's own pool of threads shares work: a switch for tests.
#pragma once

#include <string>

namespace avo {

// From now on PoolFor gives out ranges as kernels ask for them ("usual"), all to the calling thread
// ("serial"), or as many ranges as it can whatever their size ("finest"), so that small inputs meet every
// thread. Throws std::invalid_argument for any other name.
void SharePool(const std::string &how);

}  // namespace avo
