// SPDX-License-Identifier: Apache-2.0
// What the second phase of a documented aclnn function has to know of the first one. Most calls leave
// nothing: their second phase is that of the function which opbuild made. The others leave a detour.
//
//     first phase                              second phase
//     contract holds, results dense       ->   opbuild's
//     contract holds, results strided     ->   opbuild's on dense results, then copies   (strided_results.h)
//     refused, and CANN's function took it ->  CANN's                                    (cann_functions.h)
#pragma once

#include <cstdint>
#include <memory>

#include "acl/acl_rt.h"
#include "aclnn/acl_meta.h"

namespace avo {

using SecondPhase = aclnnStatus (*)(void *, uint64_t, aclOpExecutor *, aclrtStream);

class Detour {
 public:
  virtual ~Detour() = default;
  // Runs the second phase in place of `opbuilds`.
  virtual aclnnStatus Run(SecondPhase opbuilds, void *workspace, uint64_t bytes, aclOpExecutor *executor,
                          aclrtStream stream) const = 0;
};

// Keeps the detour of an executor that the first phase made; null for none. CANN uses the memory of an
// executor again, so each first phase says this of its executor. A detour stays until then: nothing public
// tells whether an executor is repeatable, and there are never more of them than executors at one time.
void SetDetour(const aclOpExecutor *executor, std::shared_ptr<const Detour> detour);

// The second phase of every documented function; `opbuilds` is that of the function which opbuild made.
aclnnStatus RunSecondPhase(SecondPhase opbuilds, void *workspace, uint64_t bytes, aclOpExecutor *executor,
                           aclrtStream stream);

}  // namespace avo
