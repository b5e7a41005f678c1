# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

from pathlib import Path

import pytest

FIXTURES = Path(__file__).parent / "fixtures"


@pytest.fixture
def golden_root() -> Path:
    """A source tree with one small operator and its gradient."""
    return FIXTURES / "golden"


@pytest.fixture
def rich_root() -> Path:
    """A source tree whose operators use everything that a contract can say."""
    return FIXTURES / "rich"
