# SPDX-License-Identifier: Apache-2.0
"""The specification of every operator in NumPy, one file an operator, float64 inside, nothing fast; common/ is what
several share.
"""

import importlib
import pkgutil

__all__ = sorted(module.name for module in pkgutil.iter_modules(__path__) if not module.ispkg)

_modules = [importlib.import_module(f"{__name__}.{name}") for name in __all__]
# Bound after all imports: importing a submodule binds the module under the name that its function shall have.
globals().update({name: getattr(module, name) for name, module in zip(__all__, _modules, strict=True)})
