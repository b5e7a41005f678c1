# SPDX-License-Identifier: Apache-2.0
"""Cases of operators, and the checker that compares results with the reference. The tests and `avo parity` use them."""

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
    # `pytest -p ascend_vision_ops.testing` takes this module as a plugin, so its hooks must be found here.
    from ascend_vision_ops.testing.plugin import (  # noqa: F401
        ascend_operator,
        npu,
        pytest_addoption,
        pytest_configure,
        pytest_report_header,
    )
