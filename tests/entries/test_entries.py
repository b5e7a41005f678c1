# SPDX-License-Identifier: Apache-2.0
"""Every aclnn entry point of every operator: what it takes beyond the NumPy face. All entry points agree.

The NumPy face calls an operator's first entry point with the arguments of the schema. `_native.entries` calls any entry
point, with arguments by their C names. Nothing here names an operator. Where an entry point has other arguments than
the schema, a file <operator>.py beside this one has a function `arguments(entry, given)` that translates those of a
case, or returns None.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib.util
from pathlib import Path

import numpy as np
import pytest

from ascend_vision_ops import _native, operators
from ascend_vision_ops.opgen.calls import example_call, shape_of, sizes_of
from ascend_vision_ops.testing import poisoned
from ascend_vision_ops.testing.cases import numpy_dtype
from ascend_vision_ops.testing.run import cases_of, run, spec_of, takes

ENTRIES = [(name, entry) for name in operators() for entry in spec_of(name).entries]
IDS = [entry.function for _, entry in ENTRIES]


def call(operator: str, entry, values: dict[str, object]) -> list[np.ndarray]:
    """Calls an entry point; `values` has the arguments by name, and poisoned arrays for the results."""
    _native_entry = getattr(_native.entries, entry.name)
    _native_entry({argument.name: values[argument.target] for argument in entry.arguments})
    return [values[name] for name in spec_of(operator).outputs]


def filled(spec, made) -> dict[str, object]:
    """Gives the call of the contract's example, with arrays in place of shapes."""
    rng, values = np.random.default_rng(0), dict(made.values)
    for name, value in values.items():
        if hasattr(value, "ndim"):
            dtype = numpy_dtype(value.dtype)
            values[name] = rng.standard_normal(value.shape).astype(dtype)
            if name in spec.outputs:
                values[name] = poisoned(value.shape, dtype)
    return values


def shaped(spec, made):
    """Gives the example call with tensors of the shapes that its arguments ask for."""
    for name in [name for name, value in made.values.items() if hasattr(value, "ndim")]:
        made = made.with_shape(name, shape_of(spec, name, sizes_of(spec, made)))
    return made


@functools.cache
def translation(operator: str):
    path = Path(__file__).parent / f"{operator}.py"
    if not path.exists():
        return None
    spec = importlib.util.spec_from_file_location(f"entries_{operator}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.arguments


def arguments_of(spec, entry, case) -> dict[str, object] | None:
    """Translates a case for an entry point; None when the entry point has no argument for something in the case."""
    translate = translation(spec.name)
    arguments = translate(entry, case.arguments()) if translate else case.arguments()
    if arguments is None:
        return None
    for name, value in arguments.items():
        parameter = spec.parameter(name)
        default = parameter.default_value() if parameter.has_default else None
        if entry.argument_of(name) is None and value is not None and value != default:
            return None
    values = {p.name: p.default_value() if p.has_default else None for p in spec.parameters}
    values |= arguments
    values |= {name: expression.evaluate(values) for name, expression in spec.normal.items()}
    needed = [a.target for a in entry.arguments if not a.output and not spec.optional_tensor(a.target)]
    return None if any(values.get(name) is None for name in needed) else values


@pytest.mark.parametrize(("operator", "entry"), ENTRIES, ids=IDS)
def test_entry_gives_what_the_face_gives(operator, entry):
    """Compares to the bit, on the operator's small cases, as far as the entry point has arguments for them."""
    spec, done = spec_of(operator), 0
    for case in cases_of(operator):
        values = arguments_of(spec, entry, case) if takes("aclnn", case) and not case.case.out else None
        if values is None or sum(np.size(v) for v in values.values() if isinstance(v, np.ndarray)) > 200_000:
            continue
        want = run(operator, "aclnn", case.arguments())
        values |= {name: poisoned(w.shape, w.dtype) for name, w in zip(spec.outputs, want, strict=True)}
        for got, wanted in zip(call(operator, entry, values), want, strict=True):
            assert got.tobytes() == wanted.tobytes(), case.text
        done += 1
        if done == 12:
            break
    assert done > 0, "no case that this entry point can be called with"


SPREAD = [(name, entry, a) for name, entry in ENTRIES for a in entry.arguments if a.spread]


@pytest.mark.parametrize(
    ("operator", "entry", "argument"), SPREAD, ids=[f"{e.function}-{a.name}" for _, e, a in SPREAD]
)
def test_lengths_of_int_arrays(operator, entry, argument):
    """Int arrays of every accepted length that mean the same give the same results."""
    spec, spread = spec_of(operator), argument.spread
    made = example_call(spec, entry)
    element = made.values[argument.target][0] if spread.empty is None else spread.empty
    for target in argument.targets:
        made = made.with_value(target, [element] * spread.length)
    made = shaped(spec, made)
    results = []
    for length in spread.lengths:
        values = filled(spec, made) | {argument.target: [element] * length}
        results.append(call(operator, entry, values))
    for result in results[1:]:
        for got, want in zip(result, results[0], strict=True):
            np.testing.assert_array_equal(got, want)


UNBATCHED = [(name, entry) for name, entry in ENTRIES if spec_of(name).unbatched]


@pytest.mark.parametrize(("operator", "entry"), UNBATCHED, ids=[entry.function for _, entry in UNBATCHED])
def test_tensors_without_their_first_dimension(operator, entry):
    """When all tensors lack their first dimension, the results are those of a first dimension of 1. When only some
    lack it, that is an error.
    """
    spec = spec_of(operator)
    first = spec.patterns[spec.tensors[0].name].dims[0].text
    values = filled(spec, example_call(dataclasses.replace(spec, example=spec.example | {first: 1}), entry))
    want = [result.copy() for result in call(operator, entry, dict(values))]
    tensors = [argument.target for argument, _ in spec.batched(entry)]
    fresh = values | {name: poisoned(values[name].shape, values[name].dtype) for name in spec.outputs}
    got = call(operator, entry, fresh | {name: fresh[name][0] for name in tensors})
    for ours, theirs in zip(got, want, strict=True):
        np.testing.assert_array_equal(ours, theirs[0])
    with pytest.raises(ValueError, match="expected rank") as raised:
        call(operator, entry, fresh | {tensors[0]: fresh[tensors[0]][0]})
    assert raised.value.code == 161002
