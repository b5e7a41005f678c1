// SPDX-License-Identifier: Apache-2.0
// What the judges said in this process: printed, counted, written to a file, and told to whoever started the
// process.
//
//     variable                    effect
//     AVO_SIM_REPORT=FILE         appends a line of JSON to the file for each launch
//     AVO_SIM_SUMMARY=1           prints the summary at the end of the process; 0: never. Without the
//                                 variable it is printed where there was something to report
//     AVO_SIM_EXIT_CODE=N         the process ends with N where there was an error, whatever main returns
//     AVO_SIM_GEN_SUPPRESSIONS=1  prints with each fault the block that suppresses it
#pragma once

#include <string>

#include "ascendc/engine/launch.h"

namespace sim::runtime {

// Throws std::invalid_argument where one of the variables has no value that it may have, or where the file
// cannot be written.
void CheckJudgementSettings();

// Prints the faults of a launch, counts them and writes its line. Where the policy says abort and there is an
// error, the process ends here.
void NoteLaunch(const Report &report, const Policy &policy);

}  // namespace sim::runtime
