# SPDX-License-Identifier: Apache-2.0
"""The boxes of soft_nms, which is this operator and a cut."""

from benchmarks.workloads import soft_nms


def device():
    """The vector unit of one core: a pick is a maximum over all scores that are left, it decays them, and the
    next pick depends on that. So picks cannot overlap, and sharing one among cores would add a meeting of all
    of them to each.
    """
    for name, arguments, _ in soft_nms.workloads():
        if len(arguments["scores"]) == 1000:
            yield arguments, "3000 us", name.split()[1]
