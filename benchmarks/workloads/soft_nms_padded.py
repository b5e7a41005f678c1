# SPDX-License-Identifier: Apache-2.0
"""The boxes of soft_nms, which is this operator and a cut."""

from benchmarks.workloads import soft_nms


def device():
    """The scalar unit and the vector unit take turns: each pick is a maximum over all scores left, and
    decides what the next one sees, on one core. What would move it is a pick that costs less, since there is
    no order in which picks could overlap.
    """
    for name, arguments, _ in soft_nms.workloads():
        if len(arguments["scores"]) == 1000:
            yield arguments, "3000 us", name.split()[1]
