# SPDX-License-Identifier: Apache-2.0
"""Violates every condition of every contract through the C entry points, and checks the code, that the message names
the parameter, and that nothing is written.

opgen/calls.py generates the calls from the contracts, so this file names no operator.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest

import ascend_vision_ops as avo
from ascend_vision_ops import _native
from ascend_vision_ops.testing import poisoned
from ascend_vision_ops.testing.compare import POISON_BYTE
from ascend_vision_ops.testing.run import cases_of, spec_of

BUILD = Path(os.environ.get("AVO_BUILD", Path(avo.__file__).parents[2]))
CALLS = json.loads((BUILD / "gen" / "tests" / "bad_inputs.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("operator", "call"),
    [(call["operator"], call) for call in CALLS],
    ids=[f"{call['operator']}-{call['id']}" for call in CALLS],
)
def test_first_phase_refuses(operator, call):
    arguments = {
        name: (value["shape"], value["dtype"], value["format"]) if isinstance(value, dict) else value
        for name, value in call["arguments"].items()
    }
    code, message = getattr(_native.probe, call["entry"])(arguments, call["nulls"])
    assert code == call["code"], message
    assert call["parameter"] in message
    if code == 161002:
        assert "expected" in message and "got" in message


@pytest.mark.parametrize("face", ["cpu", "aclnn"])
@pytest.mark.parametrize("operator", avo.operators())
def test_a_refused_call_writes_nothing(operator, face):
    """The error names a result of a wrong shape, and the result stays as it was."""
    spec = spec_of(operator)
    if spec.composite:
        pytest.skip("a composite: its results have the size that the data give")
    if face == "aclnn" and not spec.has_kernel:
        pytest.skip("no AscendC kernel yet")
    case = cases_of(operator)[0]
    right = getattr(avo.reference, operator)(**case.arguments())
    rights = right if isinstance(right, tuple) else (right,)
    wrongs = tuple(poisoned((*array.shape, 2), array.dtype) for array in rights)
    with pytest.raises(ValueError, match="expected") as raised:
        getattr(getattr(avo, face), operator)(
            **case.arguments(), out=wrongs if len(wrongs) > 1 else wrongs[0]
        )
    assert raised.value.code == 161002
    for wrong in wrongs:
        assert (wrong.view(np.uint8) == POISON_BYTE).all()
