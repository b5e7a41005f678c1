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

from .load import SpecError, load_spec, load_specs
from .model import Spec

__all__ = ["Spec", "SpecError", "load_spec", "load_specs"]
