# SPDX-License-Identifier: Apache-2.0
"""A pytest plugin for projects that use torch_npu: ``pytest -p ascend_vision_ops.testing`` adds the fixture `npu`.

The fixture is a real device if there is one, and a simulated one otherwise. So the same tests run in ordinary CI.
"""

from __future__ import annotations

import importlib

import pytest

from ascend_vision_ops import sim


def pytest_addoption(parser) -> None:
    group = parser.getgroup("npu", "the device of the fixture npu (ascend-vision-ops)")
    group.addoption("--npu-devices", type=int, default=1, help="the number of simulated NPUs (default: 1)")
    group.addoption("--npu-soc", default="Ascend910B1", help="the device to simulate (default: Ascend910B1)")


def pytest_configure(config) -> None:
    """Prepares the device before any test is imported, because importing torch_npu needs its libraries."""
    if sim.obstacle():
        importlib.import_module("torch_npu")
    else:
        sim.activate(config.getoption("--npu-devices"), config.getoption("--npu-soc"))


def pytest_report_header(config) -> str:
    device = "a real device" if not sim.active() else f"simulated {config.getoption('--npu-soc')}"
    return f"npu: {device}"


@pytest.fixture(scope="session")
def npu():
    """Is torch.device("npu:0"), real or simulated."""
    import torch

    return torch.device("npu:0")
