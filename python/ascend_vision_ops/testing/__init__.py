# SPDX-License-Identifier: Apache-2.0
"""Cases of operators, and the checker that judges results on them; used by the tests and `avo parity`."""

import sys

from ascend_vision_ops.testing.cases import Array, BoundCase, Case, bound_cases, cases_module, parse_case
from ascend_vision_ops.testing.compare import EXACT, Comparison, compare, poisoned

__all__ = [
    "EXACT",
    "Array",
    "BoundCase",
    "Case",
    "Comparison",
    "bound_cases",
    "cases_module",
    "compare",
    "parse_case",
    "poisoned",
]

if "pytest" in sys.modules:
    # `pytest -p ascend_vision_ops.testing`: a plugin's parts are those of its module.
    from ascend_vision_ops.testing.plugin import (  # noqa: F401
        npu,
        pytest_addoption,
        pytest_configure,
        pytest_report_header,
    )
