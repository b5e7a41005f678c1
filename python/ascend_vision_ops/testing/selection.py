# SPDX-License-Identifier: Apache-2.0
"""Which tests are about an operator, for the option `--op` of pytest."""

from __future__ import annotations

from collections.abc import Callable


def concerns(item, operators: list[str]) -> bool:
    """Whether a test is about one of the operators.

    A test is about an operator if the operator's name is a parameter or a part of the file's name, or if a parameter is
    a case or the contract of the operator. A test with the marker `passes_op_on` is about all operators.

    item: a `pytest.Item`.
    """
    if item.get_closest_marker("passes_op_on"):
        return True
    call = getattr(item, "callspec", None)
    values = list(call.params.values()) if call else []
    names = {name for value in values for name in (value, *_names(value)) if isinstance(name, str)}
    return any(operator in item.path.stem or operator in names for operator in operators)


def _names(value) -> tuple:
    """The operator of a case, and the name of a contract."""
    return getattr(value, "operator", None), getattr(value, "name", None)


def keep_concerned(config, items: list, operators: list[str]) -> None:
    """Deselects the tests that are about none of the operators."""
    keep(config, items, lambda item: concerns(item, operators))


def keep(config, items: list, wanted: Callable[..., bool]) -> None:
    """Deselects the tests that are not wanted; `wanted` is asked once for each."""
    kept, deselected = [], []
    for item in items:
        (kept if wanted(item) else deselected).append(item)
    config.hook.pytest_deselected(items=deselected)
    items[:] = kept
