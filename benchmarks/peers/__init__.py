# SPDX-License-Identifier: Apache-2.0
"""Operators of other projects as contestants. A project that needs more than a call has a module."""

from __future__ import annotations

import importlib
import importlib.metadata
from collections.abc import Callable

from ascend_vision_ops.testing.peers import import_torchvision
from benchmarks.peers import mmcv, opencv

# The module by which each project is found.
IMPORTS: dict[str, Callable[[], object]] = {
    "torch": lambda: importlib.import_module("torch"),
    "torchvision": import_torchvision,
    "mmcv": mmcv.operators,
    "onnxruntime": lambda: importlib.import_module("onnxruntime"),
    "openvino": lambda: importlib.import_module("openvino"),
    "opencv": opencv.module,
    "numpy": lambda: importlib.import_module("numpy"),
}


class Peer:
    """A contestant. Calling it is what is timed.

    Args:
        make: returns the function to call, which takes no arguments. It is called once, at the first call, and raises
            ImportError where the peer is not installed
        read: extracts the results of the operator from what that function returned, with None in the place of a
            result that the peer does not compute
        handed: what it is given before the clock starts, and our call makes while the clock runs; '' for nothing
    """

    def __init__(
        self,
        make: Callable[[], Callable[[], object]],
        read: Callable = lambda result: result,
        handed: str = "",
    ):
        self.read = read
        self.handed = handed
        self._make = make
        self._function: Callable[[], object] | None = None

    def __call__(self) -> object:
        if self._function is None:
            self._function = self._make()
        return self._function()


def versions() -> dict[str, str]:
    """Gives the version of every peer, '' for a peer that is not installed."""
    found = {}
    for name, load in IMPORTS.items():
        try:
            module = load()
        except ImportError:
            found[name] = ""
        else:
            found[name] = mmcv.VERSION if name == "mmcv" else module.__version__
    return found
