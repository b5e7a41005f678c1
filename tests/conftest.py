# SPDX-License-Identifier: Apache-2.0
"""Options and the summary of what did not run; what a test needs beyond that stands beside it."""

from __future__ import annotations

import pytest

from ascend_vision_ops import operators

NOTES: pytest.StashKey[dict[str, str]] = pytest.StashKey()


def pytest_addoption(parser):
    group = parser.getgroup("ascend-vision-ops")
    group.addoption("--op", choices=operators(), help="only tests of this operator")
    group.addoption(
        "--case", metavar="LINE", help="one case as failures print it: [target:]op(self=f16[1,8],…)"
    )


def pytest_configure(config):
    config.stash[NOTES] = {}


def note(config, subject: str, text: str) -> None:
    """Has the summary say what did not run, and why."""
    config.stash[NOTES][subject] = text


def pytest_terminal_summary(terminalreporter, config):
    for subject, text in config.stash[NOTES].items():
        terminalreporter.write_line(f"{subject}: {text}")


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
