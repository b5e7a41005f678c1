# SPDX-License-Identifier: Apache-2.0
"""What must hold for the tiling of every operator, on every device: drawn calls, core counts and Unified Buffers.

Nothing here names an operator. What only one family knows of its tilings is tested in tests/host.
"""

from __future__ import annotations

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

from ascend_vision_ops import operators, profiling, tiling
from ascend_vision_ops.testing import cases_module
from ascend_vision_ops.testing.cases import Array
from ascend_vision_ops.testing.fuzz import calls
from ascend_vision_ops.testing.run import cases_of, judge, missing, spec_of, takes

SMALLEST, LARGEST = 1024, 256 * 1024  # bytes of a Unified Buffer
CORES, UB_BYTES = (2, 6, 20), (24 * 1024, 64 * 1024, 192 * 1024)  # of the devices on which kernels run
RUNS = 12  # calls of one operator, which take a second or two
TOO_SMALL = "the Unified Buffer has "


def pytest_generate_tests(metafunc):
    chosen = metafunc.config.getoption("--op") or operators()
    metafunc.parametrize("operator", [name for name in chosen if spec_of(name).has_kernel])


def plan_of(operator, arguments, dtypes, **device):
    """The tiling of a call of which the arrays are only described; results take their own dtypes."""
    given = {
        name: (value.shape, dtypes[name]) if isinstance(value, Array | np.ndarray) else value
        for name, value in arguments.items()
    }
    return getattr(tiling, operator)(**given, **device)


def test_tilings_of_random_calls(operator):
    """A tiling fits the device, or an error says how much memory the smallest tile takes."""
    module, spec = cases_module(operator), spec_of(operator)
    if not hasattr(module, "strategy"):
        pytest.skip(f"tests/cases/*/{operator}.py has no strategy()")
    planned = 0

    @hypothesis.settings(max_examples=150, deadline=None, derandomize=True)
    @hypothesis.given(
        args=module.strategy(),
        instance=st.sampled_from(spec.instances),
        cores=st.integers(1, 24).map(lambda pairs: 2 * pairs),
        ub_bytes=st.integers(SMALLEST // 32, LARGEST // 32).map(lambda blocks: 32 * blocks),
    )
    def fits(args, instance, cores, ub_bytes):
        nonlocal planned
        dtypes = {parameter.name: spec.dtype_of(parameter.name, instance) for parameter in spec.tensors}
        try:
            plan = plan_of(operator, args, dtypes, cores=cores, ub_bytes=ub_bytes)
        except ValueError as error:
            assert f"{TOO_SMALL}{ub_bytes} bytes, the smallest tile takes " in str(error)
            assert int(str(error).split()[-1]) > ub_bytes
            return
        assert 0 <= plan["block_dim"] <= cores
        assert (plan["ub_bytes"] > 0) == (plan["block_dim"] > 0)
        assert plan["ub_bytes"] <= ub_bytes
        assert plan["tiling_key"] in spec.tiling_keys
        planned += 1

    fits()
    assert planned > 0


@pytest.mark.skipif(bool(missing("aclnn")), reason=missing("aclnn"))
def test_the_kernel_takes_what_tiling_says(operator):
    """The simulated device measures what the kernel's InitBuffer took of the Unified Buffer, to the byte."""
    seen = 0
    for case in {(case.case.id, *case.dtypes.values()): case for case in cases_of(operator)}.values():
        arguments = case.arguments()
        arrays = [value for value in arguments.values() if isinstance(value, np.ndarray)]
        if case.case.out or not takes("aclnn", case) or sum(array.size for array in arrays) > 20_000:
            continue
        plan = plan_of(operator, case.case.args, case.dtypes)
        # Before and after the kernel, other kernels may copy arrays of another layout.
        launched = profiling.profile(operator, arguments).reports
        reports = [report for report in launched if report["kernel"].startswith(operator)]
        assert [report["ub_peak_bytes"] for report in reports] == [plan["ub_bytes"]] * len(reports), case.text
        seen += len(reports)
    assert seen > 0


@pytest.fixture
def simulator():
    from ascend_vision_ops._native import sim

    yield sim
    sim.set_size()


@pytest.mark.skipif(bool(missing("aclnn")), reason=missing("aclnn"))
def test_kernels_run_on_devices_of_any_size(operator, simulator):
    """On devices with few cores or little memory a call gives right results, or its tiling rejects it.

    Every output element is written, and by one core alone:

    - Fresh device memory holds a poison that no result has, so that `judge` sees an element that nobody wrote.
    - Two cores that write the same bytes without an order between them are a fault (BlockConflict) of the
      simulated device, and a fault fails the call.
    """
    ran = 0

    @hypothesis.settings(
        max_examples=RUNS, deadline=None, derandomize=True, database=None, phases=[hypothesis.Phase.generate],
        suppress_health_check=list(hypothesis.HealthCheck),
    )  # fmt: skip
    @hypothesis.given(
        case=calls(operator).filter(lambda case: takes("aclnn", case)),
        cores=st.sampled_from(CORES),
        ub_bytes=st.sampled_from(UB_BYTES),
    )
    def runs(case, cores, ub_bytes):
        nonlocal ran
        simulator.set_size(cores, ub_bytes)
        try:
            verdicts = judge(case, "aclnn")
        except (RuntimeError, ValueError) as error:
            assert TOO_SMALL in str(error) and ", the smallest tile takes " in str(error), (
                f"{case.text} with {cores} cores and {ub_bytes} bytes: {error}"
            )
            return
        wrong = {name: verdict.message for name, verdict in verdicts.items() if not verdict.ok}
        assert not wrong, f"{case.text} with {cores} cores and {ub_bytes} bytes: {wrong}"
        ran += 1

    runs()
    assert ran > 0
