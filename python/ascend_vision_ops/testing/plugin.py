# SPDX-License-Identifier: Apache-2.0
"""A pytest plugin for projects of others: ``pytest -p ascend_vision_ops.testing`` adds two fixtures.

`npu` is a device for torch_npu: a real one if there is one, and a simulated one otherwise. So the same tests run in
ordinary CI. Where torch_npu is not installed, tests that use `npu` are skipped, and the report's header says so.
`ascend_operator` builds operators of a folder, which run on the simulated device (sim.operator).
"""

from __future__ import annotations

import importlib
import importlib.util
import os
from pathlib import Path

import pytest

from ascend_vision_ops import sim


def pytest_addoption(parser) -> None:
    group = parser.getgroup("npu", "the device of the fixture npu (ascend-vision-ops)")
    group.addoption("--npu-devices", type=int, default=1, help="the number of simulated NPUs (default: 1)")
    group.addoption("--npu-soc", help="the device to simulate (default: AVO_SIM_SOC, else Ascend910B1)")


def pytest_configure(config) -> None:
    """Prepares the device before any test is imported, because importing torch_npu needs its libraries."""
    if importlib.util.find_spec("torch_npu") is None:
        return  # a project without torch_npu uses the other fixture
    if sim.obstacle():
        importlib.import_module("torch_npu")
    else:
        sim.activate(config.getoption("--npu-devices"), simulated_soc(config))


def simulated_soc(config) -> str:
    return config.getoption("--npu-soc") or os.environ.get(sim.SOC_VARIABLE) or sim.DEFAULT_SOC


def pytest_report_header(config) -> str:
    if sim.active():
        return f"npu: simulated {simulated_soc(config)}"
    if importlib.util.find_spec("torch_npu") is None:
        return "npu: torch_npu is not installed; tests that use this fixture are skipped"
    return "npu: a real device"


@pytest.fixture(scope="session")
def npu():
    """Is torch.device("npu:0"), real or simulated."""
    torch = pytest.importorskip("torch")
    pytest.importorskip("torch_npu")

    return torch.device("npu:0")


@pytest.fixture(scope="session")
def ascend_operator(pytestconfig):
    """Is sim.operator with paths from pytest's root folder; what it builds serves the whole session.

    op = ascend_operator("path/to/grid_sample", ascend_headers=DIR)
    """
    opened: dict[tuple, object] = {}

    def opener(path: str | Path, name: str | None = None, **options: object):
        folder = pytestconfig.rootpath / path
        key = (folder, name, repr(sorted(options.items())))
        if key not in opened:
            soc = pytestconfig.getoption("--npu-soc")
            opened[key] = sim.operator(folder, name, **{"soc": soc, **options})
        return opened[key]

    return opener
