# SPDX-License-Identifier: Apache-2.0
"""Options of the tests, and a summary of what did not run."""

from __future__ import annotations

import os

import pytest

from ascend_vision_ops import ascend_headers, operators
from ascend_vision_ops.testing import npu_project
from ascend_vision_ops.testing.run import TARGETS, missing
from ascend_vision_ops.testing.selection import keep, keep_concerned

npu_project.load()  # before anything loads the package's own entry points


def pytest_addoption(parser):
    group = parser.getgroup("ascend-vision-ops")
    group.addoption(
        "--op",
        action="append",
        choices=operators(),
        help="only tests of this operator, or of those if given more than once",
    )
    group.addoption(
        "--case", metavar="LINE", help="one case as failures print it: [target:]op(self=f16[1,8],…)"
    )


def pytest_configure(config):
    """Compiles kernels against CANN's headers where AVO_ASCEND_HEADERS is set, before processes share the tests.

    On a machine with CANN, torch would import torch_npu, whose runtime has the names of the simulated one.
    """
    os.environ.setdefault("TORCH_DEVICE_BACKEND_AUTOLOAD", "0")
    if missing("aclnn"):
        return
    try:
        ascend_headers.prepare(config.getoption("--op"))
    except ascend_headers.HeadersError as error:
        raise pytest.UsageError(str(error)) from None


@pytest.fixture(scope="module")
def window():
    """A window of a headless browser; tests that need one are skipped where there is none."""
    from tests.sim.browser import Browser

    with Browser() as one:
        yield one


def pytest_report_header():
    if missing("aclnn"):
        return None
    return f"kernels on the simulated device are compiled against {ascend_headers.description()}"


def pytest_terminal_summary(terminalreporter):
    """Says how many cases had no target to run on, so that nobody overlooks an absent device."""
    ids = (
        report.nodeid
        for reports in terminalreporter.stats.values()
        for report in reports
        if hasattr(report, "nodeid")
    )
    cases = {
        text.partition(":")[2] for _, found, text in (name.partition("::test_op[") for name in ids) if found
    }
    for target in TARGETS:
        if cases and missing(target):
            terminalreporter.write_line(f"{target}: 0 of {len(cases)} run, {missing(target)}")


def pytest_collection_modifyitems(config, items):
    """--case keeps that case alone; --op keeps the tests about those operators."""
    chosen, line = config.getoption("--op"), config.getoption("--case")
    if line is not None:
        keep(config, items, lambda item: item.name.startswith("test_op["))
    elif chosen is not None:
        keep_concerned(config, items, chosen)
