# SPDX-License-Identifier: Apache-2.0
"""Runs a script with torch_npu on the simulated device, as `python` runs it.

python -m ascend_vision_ops.sim [--devices N] [--soc NAME] script.py [ARGUMENTS]
"""

from __future__ import annotations

import argparse
import runpy
import sys
from pathlib import Path

from ascend_vision_ops import sim


def main() -> None:
    """Runs a script on the simulated device, as `python` runs it."""
    parser = argparse.ArgumentParser(prog="python -m ascend_vision_ops.sim", description=main.__doc__)
    parser.add_argument("--devices", type=int, default=1, help="the number of NPUs (default: 1)")
    parser.add_argument("--soc", default="Ascend910B1", help="the device to simulate (default: Ascend910B1)")
    parser.add_argument("--force", action="store_true", help="simulate also if there is CANN or an NPU")
    parser.add_argument("script", type=Path)
    parser.add_argument("arguments", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    sim.activate(options.devices, options.soc, force=options.force)
    sys.argv = [str(options.script), *options.arguments]
    sys.path[0] = str(options.script.resolve().parent)
    runpy.run_path(str(options.script), run_name="__main__")


if __name__ == "__main__":
    main()
