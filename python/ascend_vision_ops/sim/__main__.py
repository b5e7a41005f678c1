# SPDX-License-Identifier: Apache-2.0
"""Runs a script or a module with torch_npu on the simulated device, as `python` runs it.

python -m ascend_vision_ops.sim [--devices N] [--soc NAME] script.py [ARGUMENTS]
python -m ascend_vision_ops.sim [--devices N] [--soc NAME] -m module [ARGUMENTS]
eval "$(python -m ascend_vision_ops.sim [--devices N] [--soc NAME] --environment)"

The Python processes that it starts have the simulated device too. The last line makes it so for a shell, where
`torchrun` and the like are then used as they are.
"""

from __future__ import annotations

import argparse
import os
import runpy
import shlex
import sys
import warnings
from pathlib import Path

from ascend_vision_ops import sim


def main() -> None:
    """Runs a script or a module on the simulated device, as `python` runs it."""
    parser = argparse.ArgumentParser(prog="python -m ascend_vision_ops.sim", description=main.__doc__)
    parser.add_argument("--devices", type=int, default=1, help="the number of NPUs (default: 1)")
    parser.add_argument(
        "--soc", default=sim.DEFAULT_SOC, help="the device to simulate (default: %(default)s)"
    )
    parser.add_argument("--force", action="store_true", help="simulate also if there is CANN or an NPU")
    parser.add_argument("--environment", action="store_true", help="print the variables for a shell instead")
    parser.add_argument("-m", dest="module", nargs=argparse.REMAINDER, help="a module and its arguments")
    parser.add_argument("script", type=Path, nargs="?")
    parser.add_argument("arguments", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    if options.module is not None and not options.module:
        parser.error("-m: expected the name of a module")
    if not (options.environment or options.module or options.script):
        parser.error("expected a script, -m with a module, or --environment")
    try:
        variables = sim.environment(options.devices, options.soc, force=options.force)
    except ValueError as error:
        parser.error(str(error))
    if options.environment:
        print("".join(f"export {name}={shlex.quote(value)}\n" for name, value in variables.items()), end="")
        return
    os.environ.update(variables)
    sim.activate(options.devices, options.soc, force=options.force)
    if options.module:
        sys.argv = options.module
        # torch_npu has imported torch.distributed.run, which runs again here.
        warnings.filterwarnings("ignore", f"'{options.module[0]}' found in sys.modules", RuntimeWarning)
        runpy.run_module(options.module[0], run_name="__main__", alter_sys=True)
    else:
        sys.argv = [str(options.script), *options.arguments]
        sys.path[0] = str(options.script.resolve().parent)
        runpy.run_path(str(options.script), run_name="__main__")


if __name__ == "__main__":
    main()
