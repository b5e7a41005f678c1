# SPDX-License-Identifier: Apache-2.0
"""The sweep of bad calls: each violates one check, and every check of every contract is reached."""

from __future__ import annotations

from pathlib import Path

import pytest

from ascend_vision_ops.opgen import load_specs
from ascend_vision_ops.opgen.calls import INVALID, NULLPTR, example_call, failed_check, unprovoked, violations

ROOT = Path(__file__).parents[2]


@pytest.fixture(params=["golden", "rich", "real"])
def specs(request, golden_root, rich_root):
    root = {"golden": golden_root, "rich": rich_root, "real": ROOT}[request.param]
    return load_specs(root, [])


def test_examples_are_valid(specs):
    for spec in specs:
        for entry in spec.entries:
            assert failed_check(spec, example_call(spec, entry)) is None


def test_every_bad_call_fails_at_its_parameter(specs):
    for spec in specs:
        calls = list(violations(spec))
        assert len({(bad.entry, bad.id) for bad in calls}) == len(calls)
        for bad in calls:
            failed = failed_check(spec, bad.call)
            if bad.code == INVALID and "-format-" not in bad.id:
                assert failed is not None
            else:
                assert failed is None, bad.id
            assert bad.code in (NULLPTR, INVALID)


def test_every_check_is_reached(specs):
    for spec in specs:
        assert unprovoked(spec) == []
        reached = {id(failed_check(spec, bad.call)) for bad in violations(spec) if bad.code == INVALID}
        for check in spec.checks:
            assert id(check) in reached, (spec.name, check.kind, check.subject)


def test_every_required_pointer_is_tried(rich_root):
    spec = next(spec for spec in load_specs(rich_root) if spec.name == "toy_align")
    nulls = {(bad.entry, bad.id) for bad in violations(spec) if bad.code == NULLPTR}
    assert ("ToyAlign", "mode-null") in nulls
    assert ("ToyAlign", "executor-null") in nulls
    assert ("ToyAlignV2", "boxes-null") in nulls
    # Internal: what has no other way in must come through the entry point that has an argument for it.
    assert ("ToyAlign", "batchIndices-null") in nulls
