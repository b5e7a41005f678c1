# SPDX-License-Identifier: Apache-2.0
"""Raises an ImportError where the extra `onnx` is not installed, and imports onnx_ir without SymPy.

Modules that need the extra import this one first. onnx_ir computes with dimensions on SymPy, which takes 0.3 seconds
and 37 MB to import. It needs none of that to read, change and write graphs, so it gets SymPy when it first asks for it.
"""

import importlib
import sys
import types
from importlib.util import find_spec

_absent = [name for name in ("onnx", "onnx_ir", "onnxscript") if find_spec(name) is None]
if _absent:
    raise ImportError(
        f"ONNX models need {', '.join(_absent)}: pip install 'ascend-vision-ops[onnx]'", name=_absent[0]
    )


class _Later(types.ModuleType):
    """Stands for a module in the modules that import it, which is imported when one of its names is used."""

    def __getattr__(self, name: str):
        if name.startswith("__"):
            raise AttributeError(name)
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        return getattr(importlib.import_module(self.__name__), name)


def _import_onnx_ir() -> None:
    import onnx  # noqa: F401  # it may import SymPy itself

    # The second one is the module of onnx_ir that uses SymPy while it is imported.
    later = [name for name in ("sympy", "onnx_ir._symbolic_shapes") if name not in sys.modules]
    sys.modules.update((name, _Later(name)) for name in later)
    try:
        import onnx_ir
    finally:
        for name in later:
            if isinstance(sys.modules.get(name), _Later):
                del sys.modules[name]
    # Everybody else gets the real modules.
    if isinstance(getattr(onnx_ir, "_symbolic_shapes", None), _Later):
        del onnx_ir._symbolic_shapes


if "onnx_ir" not in sys.modules:
    _import_onnx_ir()
