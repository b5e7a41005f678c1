// SPDX-License-Identifier: Apache-2.0
// Which axis of a matrix is reduced: AR the last one, RA the first one.
#pragma once

namespace AscendC::Pattern::Reduce {

struct AR {};
struct RA {};

}  // namespace AscendC::Pattern::Reduce
