# SPDX-License-Identifier: Apache-2.0
"""torch_npu on the simulated device: activates it for a process, or runs a script so.

python -m ascend_vision_ops.sim [--devices N] [--soc NAME] script.py [ARGUMENTS]
"""

from __future__ import annotations

import argparse
import ctypes
import os
import runpy
import sys
from pathlib import Path

from .paths import library_dir

# In the order they load: those that the torch_npu wheel is linked with, found by their names from then on.
_RUNTIME = ("ascendc_sim", "ascendcl", "nnopbase", "cust_opapi")
_TORCH_NPU = ("acl_op_compiler", "hccl", "ge_runner", "graph", "acl_tdt_channel")
_active: tuple[int, str] | None = None


def active() -> bool:
    """Whether this process runs on the simulated device."""
    return _active is not None


def obstacle() -> str:
    """What says that this machine has an NPU or CANN of its own; empty when nothing does."""
    if home := os.environ.get("ASCEND_HOME_PATH"):
        return f"CANN is there: ASCEND_HOME_PATH={home}"
    if nodes := sorted(Path("/dev").glob("davinci[0-9]*")):
        return f"an NPU is there: {nodes[0]}"
    return ""


def activate(devices: int = 1, soc: str = "Ascend910B1", *, force: bool = False) -> None:
    """Gives this process simulated NPUs, on which the torch_npu wheel runs unmodified; imports torch and torch_npu.

    Args:
        devices: how many
        soc: the device to simulate, as the runtime names it
        force: also on a machine with CANN or an NPU, whose libraries are then not used

    Raises:
        RuntimeError: CANN or an NPU is there, torch_npu was imported before, or the simulated device is active with
            other arguments
        ImportError: torch or torch_npu is not installed
        ValueError: devices is less than 1
    """
    global _active
    if devices < 1:
        raise ValueError(f"devices: expected at least 1, got {devices}")
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
    os.environ["AVO_SIM_DEVICES"], os.environ["AVO_SIM_SOC"] = str(devices), soc
    # torch would import torch_npu by itself, before there is what it needs.
    os.environ["TORCH_DEVICE_BACKEND_AUTOLOAD"] = "0"
    for name in (*_RUNTIME, *_TORCH_NPU):
        _load(name)
    import torch  # noqa: F401

    _load("opapi")  # on torch's libraries
    import torch_npu  # noqa: F401

    _active = devices, soc
    if ops := sys.modules.get(f"{__package__}.ops"):
        ops.load_npu()


def _load(name: str) -> None:
    ctypes.CDLL(str(library_dir() / f"lib{name}.so"), ctypes.RTLD_GLOBAL)


def main() -> None:
    """Runs a script as `python` would, on the simulated device."""
    parser = argparse.ArgumentParser(prog="python -m ascend_vision_ops.sim", description=main.__doc__)
    parser.add_argument("--devices", type=int, default=1, help="how many NPUs (1)")
    parser.add_argument("--soc", default="Ascend910B1", help="the device to simulate (Ascend910B1)")
    parser.add_argument("--force", action="store_true", help="also where CANN or an NPU is")
    parser.add_argument("script", type=Path)
    parser.add_argument("arguments", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    # The module that scripts import, not this one, which runs under the name __main__.
    from ascend_vision_ops import sim

    sim.activate(options.devices, options.soc, force=options.force)
    sys.argv = [str(options.script), *options.arguments]
    sys.path[0] = str(options.script.resolve().parent)
    runpy.run_path(str(options.script), run_name="__main__")


if __name__ == "__main__":
    main()
