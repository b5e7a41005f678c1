# SPDX-License-Identifier: Apache-2.0
"""What docs/cann_bench.md says before its tables."""

INTRO = """\
# CANN Bench

CANN Bench ({repository}) is CANN's own benchmark for kernels that somebody, or a program, wrote anew. It publishes
cases of operators and the times of CANN's kernels for them on an Ascend910B2. Four of these operators are in this
package, too. `./build.sh bench cann` runs them on the [simulated device](simulator.md) as an Ascend910B2, compares each
result with torch and writes this page. `./build.sh bench cann OP` measures one operator again, and
`./build.sh bench cann OP --case 3 7` only prints two of its cases.

**Our times are modelled, CANN's were measured on the device.** Our clock was calibrated on kernels whose times others
published ([how far it is off](simulator.md#calibration)); none of the cases of this page is among them.

- **ours** is the modelled time, launch included. The L2 is empty at the start: CANN Bench, too, overwrites it before
  each measured call. In brackets stands its [range](simulator.md#ranges), which follows from what is uncertain
  about the clock. Cases that are slower than CANN at the end of this range alone stand behind **perhaps**.
- **CANN** is the time that CANN Bench compares with, and **over CANN** divides it by ours. It is the smaller of what
  CANN's kernels took and ten times the bound, but 10 us at least. Where it is not what they took, it has a ≥.
- **measured** is what CANN's kernels took, before times were limited in this way: the file of times of an earlier
  commit has it. **over it** divides it by ours. Nobody measured NMS: its published times are ten times the bound and
  nothing else.
- **bound** is the least time that CANN Bench takes to be possible: its inputs at the full bandwidth of HBM, or its
  arithmetic at the peak of the device. It has neither a launch nor results in it, so it cannot be reached.
- **HAP** is the score of CANN Bench: (CANN - bound) / ((ours - bound) + (CANN - bound)). 0.5 is as fast as CANN, 1
  is as fast as the bound.
- **floor** is what no kernel can beat on our clock: one launch, the start of a core, and its bytes. Inputs come from
  HBM, results go to L2 and, where they do not fit, on to HBM. It counts no arithmetic. **its HAP** is the score that
  the floor would have, so the difference between the two scores is all that is left to win. It is above 1 where the
  bound counts arithmetic that takes longer than the floor. **floors over CANN** is the mean that floors would have.
- **busiest** is the pipe that was busy for the largest part of the time, as a mean over the cores.
- **result** is `exact` where it agrees with torch. Indices of cummin and of suppression must be equal. Where several
  elements are the largest, argmax may give any of them. RoIAlign must agree with torchvision in float32 within the
  tolerance of its contract.

What the published times include: CANN Bench adds up the durations of all kernels that a call launches, as CANN's
profiler writes them, and takes the median of 20 calls. The duration of a kernel counts its dispatch to the cores and
the response at its end, as ours does. So a call of three kernels pays three launches. On our clock, a launch on all
cores and their start take {start:.1f} us. No published time is below {least:g} us, so there is no case that a launch
alone decides.

Inputs are drawn as CANN Bench draws them: uniformly from the range of the case, regions between a tenth and a half of
the map, boxes with their corners in order and with different scores. `benchmarks/cann/cases.json` has all facts:
{cases} at commit
`{commit}`, with the times of `{times}`. Measured times are those of the same
file at commit `{measured}`.

![Our times, CANN's, bounds and floors of all cases](images/cann_bench.svg)
"""
