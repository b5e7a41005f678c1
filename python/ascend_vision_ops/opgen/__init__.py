# SPDX-License-Identifier: Apache-2.0
"""Generates code from operator contracts: everything that follows from op_host/X.yaml.

    op_host/*/X.yaml  the contract
      contract/       reads its keys
      model.py        the Spec that they make
      cpp.py, …       filters: text in C++ or Python for parts of a Spec
      templates/      put these texts into files
    build/<target>/gen

Tests, `avo list` and `avo new` read contracts by `load_spec` and `load_specs` too. Needs neither a build nor torch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .load import SpecError, load_spec, load_specs
    from .model import Spec

__all__ = ["Spec", "SpecError", "load_spec", "load_specs"]


def __getattr__(name: str):
    # Loading contracts takes longer to import than most parts that need a module of this package alone.
    if name in __all__:
        from . import load

        return getattr(load, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
