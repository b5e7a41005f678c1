# SPDX-License-Identifier: Apache-2.0
"""Run by tests/test_torch_npu.py with the plugin ascend_vision_ops.testing, never beside the other tests."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path

import pytest

from ascend_vision_ops import operators, sim
from ascend_vision_ops.testing.selection import keep_concerned

HERE = Path(__file__).parent
sys.path.append(str(HERE))  # for the tables of calls beside the tests


def pytest_addoption(parser):
    with contextlib.suppress(ValueError):  # tests/conftest.py has the option already, where it is loaded
        parser.addoption("--op", action="append", choices=operators(), help="only tests of this operator")


def pytest_ignore_collect(collection_path):
    """Leaves the folder out of a run of all tests, whose process has no device that torch_npu could see."""
    return True if not sim.active() and collection_path.name.startswith("test_") else None


def pytest_collection_modifyitems(config, items):
    if not sim.active() and any(HERE in item.path.parents for item in items):
        raise pytest.UsageError(
            "tests/torch_npu needs the simulated device before torch is imported, so it runs in a process of its own: "
            "./build.sh test -- tests/test_torch_npu.py [--op OP], or pytest -p ascend_vision_ops.testing PATH"
        )
    if config.getoption("--op"):
        keep_concerned(config, items, config.getoption("--op"))
