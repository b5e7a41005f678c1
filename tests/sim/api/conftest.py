# SPDX-License-Identifier: Apache-2.0
"""Runs every test of the API on both back ends: our headers, and CANN's own where the user has them."""

from __future__ import annotations

import os

import pytest

from ascend_vision_ops.ascend_headers import VARIABLE

from . import harness, programs

CANN = pytest.param(
    "cann",
    marks=pytest.mark.skipif(
        VARIABLE not in os.environ, reason=f"{VARIABLE} does not name a copy of CANN's AscendC headers"
    ),
)


@pytest.fixture(autouse=True, params=["own", CANN], scope="session")
def back_end(request, tmp_path_factory):
    """Sets the programs that harness.run starts."""
    if request.param == "cann":
        harness.back_end = harness.BackEnd(
            "cann", programs.compile_all(os.environ[VARIABLE], tmp_path_factory)
        )
    else:
        harness.back_end = harness.OWN
    yield request.param
    harness.back_end = harness.OWN
