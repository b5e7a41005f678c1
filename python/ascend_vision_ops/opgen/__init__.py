# SPDX-License-Identifier: Apache-2.0
"""Code generation from operator contracts: op_host/X.yaml to everything that restates it.

The model (`load_spec`, `load_specs`) is also what tests, `avo list` and `avo new` read.
Needs neither a build nor torch.
"""

from .load import SpecError, load_spec, load_specs
from .model import Spec

__all__ = ["Spec", "SpecError", "load_spec", "load_specs"]
