# SPDX-License-Identifier: Apache-2.0
"""Which tests are about an operator, for the option `--op` of pytest."""

from __future__ import annotations


def concerns(item, operators: list[str]) -> bool:
    """Whether a test is about one of the operators.

    It is where the operator's name is in the name of the file or in a parameter, where a parameter is a case or the
    contract of the operator, and where the test has the marker `passes_op_on`.

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
    kept = [item for item in items if concerns(item, operators)]
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = kept
