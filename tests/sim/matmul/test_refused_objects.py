# SPDX-License-Identifier: Apache-2.0
"""Matmul objects that cannot be are compile errors that say why."""

from __future__ import annotations

import pytest

from tests.sim.test_documented_names import COMPILER, compile_text

MIXED, CUBE = "", "#define ASCENDC_CUBE_ONLY\n"
USE = """#include "kernel_operator.h"
#include "lib/matmul_intf.h"
using namespace AscendC;
template <TPosition position> using Factor = MatmulType<position, CubeFormat::ND, half>;
using Result = MatmulType<TPosition::GM, CubeFormat::ND, float>;
template <TPosition position, const auto &CONFIG>
using Nine = Matmul<Factor<position>, Factor<TPosition::GM>, Result, Result, CONFIG, MatmulCallBackFunc<>,
                    Impl::Detail::NBuffer33MatmulPolicy>;
"""
NEEDS_MDL = "needs a MatmulConfig of MDL, such as CFG_MDL"
NEEDS_GM = "takes A and B from TPosition::GM"
NO_MIX = "is for kernels of cube cores alone"


@pytest.mark.skipif(COMPILER is None, reason="there is no C++ compiler")
@pytest.mark.parametrize(
    ("kind", "object", "expected"),
    [
        (CUBE, "TPosition::GM, CFG_MDL", ""),
        (CUBE, "TPosition::GM, CFG_NORM", NEEDS_MDL),
        (CUBE, "TPosition::TSCM, CFG_MDL", NEEDS_GM),
        (MIXED, "TPosition::GM, CFG_MDL", NO_MIX),
    ],
)
def test_nine_blocks_of_a(kind, object, expected):
    done = compile_text(f"{kind}{USE}Nine<{object}> mm;\n")
    assert (done.returncode == 0) == (expected == ""), done.stderr[-2000:]
    assert expected in done.stderr
