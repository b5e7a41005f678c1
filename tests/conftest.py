# SPDX-License-Identifier: Apache-2.0
"""Options and the summary of what did not run; what a test needs beyond that stands beside it."""

from __future__ import annotations

from ascend_vision_ops import operators
from ascend_vision_ops.testing.run import TARGETS, missing


def pytest_addoption(parser):
    group = parser.getgroup("ascend-vision-ops")
    group.addoption("--op", choices=operators(), help="only tests of this operator")
    group.addoption(
        "--case", metavar="LINE", help="one case as failures print it: [target:]op(self=f16[1,8],…)"
    )


def pytest_terminal_summary(terminalreporter):
    """Says how many cases had no target to run on: an absent device is not passed over in silence."""
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
    """With --op, keeps the tests that carry the operator's name in an id or a file name."""
    operator = config.getoption("--op")
    if operator is None:
        return

    def concerned(item):
        call = getattr(item, "callspec", None)
        named = call is not None and call.params.get("operator") == operator
        case = call.params.get("case") if call is not None else None
        return named or getattr(case, "operator", None) == operator or operator in item.path.stem

    kept = [item for item in items if concerned(item)]
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = kept
