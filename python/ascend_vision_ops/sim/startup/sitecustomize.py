# SPDX-License-Identifier: Apache-2.0
"""Python runs this module when it starts and finds this folder in PYTHONPATH (`ascend_vision_ops.sim.environment`).

Then `import torch` and `import torch_npu` give the process the simulated device first. A process that imports neither
loads nothing.
"""

from __future__ import annotations

import importlib.machinery
import importlib.util
import os
import sys
from pathlib import Path

HERE = Path(__file__).parent
AWAITED = ("torch", "torch_npu")


class _ThenActivate:
    """Loads torch as its own loader does, and then activates the simulated device, which imports torch_npu."""

    def __init__(self, loader):
        self._loader = loader

    def __getattr__(self, name):
        return getattr(self._loader, name)

    def create_module(self, spec):
        return self._loader.create_module(spec)

    def exec_module(self, module):
        module.__loader__ = module.__spec__.loader = self._loader
        self._loader.exec_module(module)
        _activate()


class _Loaded:
    """Stands for the loader of a module that is loaded already, once, and leaves the module as it is."""

    def __init__(self, module):
        self._module, self._loader = module, module.__spec__.loader

    def create_module(self, spec):
        return self._module

    def exec_module(self, module):
        module.__spec__.loader = self._loader


class _Finder:
    """Stands before all finders until torch or torch_npu is imported."""

    @classmethod
    def find_spec(cls, name, path=None, target=None):
        if name not in AWAITED or cls not in sys.meta_path:
            return None
        sys.meta_path.remove(cls)
        if name == "torch_npu":
            _activate()
            spec = sys.modules[name].__spec__
            spec.loader = _Loaded(sys.modules[name])
            return spec
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.loader is not None:
            spec.loader = _ThenActivate(spec.loader)
        return spec


def _activate():
    if importlib.util.find_spec("ascend_vision_ops") is None:
        sys.path.append(str(HERE.parents[2]))
    from ascend_vision_ops import sim

    sim.activate_as_environment_says()


def _run_hidden():
    """Runs the module of this name that Python would have found without this folder."""
    path = [entry for entry in sys.path if Path(entry or ".").resolve() != HERE.resolve()]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", path)
    if spec is not None and spec.loader is not None:
        spec.loader.exec_module(importlib.util.module_from_spec(spec))


if "AVO_SIM_DEVICES" in os.environ:
    # Otherwise torch would import torch_npu by itself, before the libraries that it needs are loaded.
    os.environ["TORCH_DEVICE_BACKEND_AUTOLOAD"] = "0"
    sys.meta_path.insert(0, _Finder)
_run_hidden()
