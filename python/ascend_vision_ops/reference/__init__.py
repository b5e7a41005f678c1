# SPDX-License-Identifier: Apache-2.0
"""The specification of every operator in NumPy: one file for each operator, float64 inside, written to be read.

An operator `X` of family F is the function `X` in `F/X.py`. Files whose names begin with `_` hold what the operators of
one family share; `common/` holds what several families share.
"""

import importlib
from pathlib import Path

_files = {
    path.stem: path for path in Path(__file__).parent.glob("[!_]*/[!_]*.py") if path.parent.name != "common"
}
__all__ = sorted(_files)

_modules = [importlib.import_module(f"{__name__}.{_files[name].parent.name}.{name}") for name in __all__]
# Bound after all imports: importing a submodule binds the module under the name that its function shall have.
globals().update({name: getattr(module, name) for name, module in zip(__all__, _modules, strict=True)})
