# SPDX-License-Identifier: Apache-2.0
"""The two ways to AscendC as a parameter of tests: our headers, and CANN's own where the user has them."""

from __future__ import annotations

import os

import pytest

from ascend_vision_ops.ascend_headers import VARIABLE

CANN = pytest.param(
    "cann",
    marks=(
        pytest.mark.ascend_headers,
        pytest.mark.skipif(
            VARIABLE not in os.environ, reason=f"{VARIABLE} does not name a copy of CANN's AscendC headers"
        ),
    ),
)


@pytest.fixture(scope="module", params=["own", CANN])
def ascendc(request):
    """Chooses what `avo sim run` and `sim.operator` compile against: "own" or "cann"."""
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "own":
            patch.delenv(VARIABLE, raising=False)
        yield request.param
