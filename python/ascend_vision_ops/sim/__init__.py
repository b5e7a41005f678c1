# SPDX-License-Identifier: Apache-2.0
"""The simulated device for other projects: torch_npu runs on it (`activate`), and operators as functions (`operator`).

`python -m ascend_vision_ops.sim` runs a script with torch_npu so. Several devices may communicate (`traffic`).
"""

from __future__ import annotations

import contextlib
import ctypes
import io
import os
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from .._extras import need
from ..ascend_headers import prepare
from ..paths import PACKAGE, device_nodes, library_dir
from .communication import Traffic, link_rate, traffic
from .errors import CompileError, FrameworkError, KernelFault

if TYPE_CHECKING:
    from .operator_project import Operator

__all__ = [
    "CompileError",
    "FrameworkError",
    "KernelFault",
    "Traffic",
    "activate",
    "active",
    "environment",
    "link_rate",
    "obstacle",
    "operator",
    "traffic",
]

# The libraries that the torch_npu wheel is linked with, in the order in which they load. Once loaded, they are found by
# their names.
_RUNTIME = ("ascendc_sim", "ascendcl", "nnopbase", "cust_opapi")
_TORCH_NPU = ("acl_op_compiler", "hccl", "hcomm", "ge_runner", "graph", "acl_tdt_channel")
# By these torch_npu finds operators of CANN and of packages beside it, which do not run here.
_CANN = ("ASCEND_HOME_PATH", "ASCEND_OPP_PATH", "ASCEND_CUSTOM_OPP_PATH")
_LOG_LEVEL = "ASCEND_GLOBAL_LOG_LEVEL"
DEVICES_VARIABLE, SOC_VARIABLE, FORCE_VARIABLE = "AVO_SIM_DEVICES", "AVO_SIM_SOC", "AVO_SIM_FORCE"
DEFAULT_SOC = "Ascend910B1"
# The most for which torch_npu is compiled (C10_COMPILE_TIME_MAX_NPUS); with more, an assertion in it fails.
MOST_DEVICES = 32
_active: tuple[int, str] | None = None


def active() -> bool:
    """Says whether this process runs on the simulated device."""
    return _active is not None


def obstacle() -> str:
    """Says what on this machine is a sign of an NPU or of CANN; empty if there is no sign."""
    if home := os.environ.get("ASCEND_HOME_PATH"):
        return f"CANN is installed: ASCEND_HOME_PATH={home}"
    if nodes := device_nodes():
        return f"there is an NPU: {nodes[0]}"
    return ""


def activate(devices: int = 1, soc: str = DEFAULT_SOC, *, force: bool = False) -> None:
    """Gives this process simulated NPUs and imports torch and torch_npu, whose wheel runs on them unmodified.

    Args:
        devices: the number of NPUs
        soc: the device to simulate, as the runtime names it
        force: simulate also on a machine with CANN or an NPU, whose libraries are then not used

    Raises:
        RuntimeError: there is CANN or an NPU, torch_npu was imported before, or the simulated device is active with
            other arguments
        ImportError: torch or torch_npu is not installed
        ValueError: devices is less than 1, or more than the 32 for which torch_npu is compiled
    """
    global _active
    _check_devices(devices)
    if _active is not None:
        if _active != (devices, soc):
            raise RuntimeError(
                f"activate: the simulated device is active with devices={_active[0]}, soc={_active[1]!r}"
            )
        return
    if not force and (found := obstacle()):
        raise RuntimeError(f"activate: {found}; expected neither, or force=True to simulate all the same")
    if "torch_npu" in sys.modules:
        raise RuntimeError("activate: torch_npu was imported before; expected this call first")
    need("torch", "activate")
    need("torch_npu", "activate")
    for name in _CANN:
        os.environ.pop(name, None)
    prepare()
    os.environ[DEVICES_VARIABLE], os.environ[SOC_VARIABLE] = str(devices), soc
    # Otherwise torch would import torch_npu by itself, before the libraries that it needs are loaded.
    os.environ["TORCH_DEVICE_BACKEND_AUTOLOAD"] = "0"
    for name in (*_RUNTIME, *_TORCH_NPU):
        _load(name)
    import torch  # noqa: F401

    _load("opapi")  # needs the libraries of torch
    with _warnings_of_torch_npu():
        _import_torch_npu()
    _active = devices, soc
    if ops := sys.modules.get("ascend_vision_ops.ops"):
        ops.load_npu()


def _check_devices(devices: int) -> None:
    if not 1 <= devices <= MOST_DEVICES:
        raise ValueError(
            f"devices: expected 1 to {MOST_DEVICES}, for which torch_npu is compiled, got {devices}"
        )


def environment(devices: int = 1, soc: str = DEFAULT_SOC, *, force: bool = False) -> dict[str, str]:
    """Returns the variables with which Python processes start on the simulated device, as torchrun's workers do.

    Such a process is given the device as soon as it imports torch or torch_npu; parameters and errors are those of
    `activate`. PYTHONPATH is the one of this process with a folder of this package before it.
    """
    _check_devices(devices)
    folder = str(PACKAGE / "sim" / "startup")
    others = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path and path != folder]
    variables = {
        DEVICES_VARIABLE: str(devices),
        SOC_VARIABLE: soc,
        "TORCH_DEVICE_BACKEND_AUTOLOAD": "0",
        "PYTHONPATH": os.pathsep.join([folder, *others]),
    }
    return {**variables, FORCE_VARIABLE: "1"} if force else variables


def activate_as_environment_says() -> None:
    """Activates the simulated device with the arguments that `environment` has put into variables."""
    devices = os.environ[DEVICES_VARIABLE]
    if not devices.isdecimal():
        raise ValueError(f"{DEVICES_VARIABLE}: expected a number, got {devices!r}")
    soc, force = os.environ.get(SOC_VARIABLE, DEFAULT_SOC), os.environ.get(FORCE_VARIABLE) == "1"
    activate(int(devices), soc, force=force)


@contextlib.contextmanager
def _warnings_of_torch_npu() -> Iterator[None]:
    """Lets torch_npu, which reads the level once, log warnings: they name the aclnn functions that it does not find."""
    before = os.environ.get(_LOG_LEVEL)
    if before not in ("0", "1", "2"):
        os.environ[_LOG_LEVEL] = "2"
    yield
    if before is None:
        del os.environ[_LOG_LEVEL]
    else:
        os.environ[_LOG_LEVEL] = before


def _import_torch_npu() -> None:
    """Imports torch_npu, without the line in which it says that CANN is not there: it is simulated."""
    with contextlib.redirect_stdout(io.StringIO()) as said:
        import torch_npu  # noqa: F401
    for line in said.getvalue().splitlines():
        if line != "Warning: ASCEND_HOME_PATH environment variable is not set.":
            print(line)


def _load(name: str) -> None:
    ctypes.CDLL(str(library_dir() / f"lib{name}.so"), ctypes.RTLD_GLOBAL)


def operator(
    path: str | os.PathLike[str],
    name: str | None = None,
    soc: str | None = None,
    ascend_headers: str | os.PathLike[str] | None = None,
    include: Sequence[str | os.PathLike[str]] = (),
    host_sources: Sequence[str | os.PathLike[str]] = (),
) -> Operator:
    """Builds an operator of somebody's project and returns it as a function of NumPy arrays and attributes.

        op = sim.operator("path/to/grid_sample")
        outputs = op(x, grid, interpolation_mode=0)

    Its own definition, tiling and inference of shapes (op_host) and its own kernel (op_kernel) run on the simulated
    device. They are compiled once, with g++, into the user's cache, the kernel for the dtypes of a call.

    Args:
        path: the folder of the operator, with op_host and op_kernel in it; with host_sources, op_host may be missing
        name: the operator's type; needed where the folder defines several
        soc: the device to simulate, as the runtime names it (default: AVO_SIM_SOC, else Ascend910B1)
        ascend_headers: a folder with CANN's headers, against which the kernel is compiled (default: the folder that
            AVO_ASCEND_HEADERS names, else the simulated device's own headers)
        include: folders with headers that the sources include; those above `path` are found without it
        host_sources: sources that belong to the host code and lie elsewhere

    Raises:
        ValueError: the folder is no operator's, or defines none of that name for the device
        CompileError: the host sources do not compile
    """
    from .operator_project import open_operator

    return open_operator(path, name, soc, ascend_headers, include, host_sources)
