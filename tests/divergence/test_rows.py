# SPDX-License-Identifier: Apache-2.0
"""A test proves every divergence that a contract states, or a reason says why it cannot run here."""

from pathlib import Path

from tools.divergence import rows

ROOT = Path(__file__).resolve().parents[2]


def test_every_row_has_a_test_or_a_reason():
    found = rows(ROOT)
    assert found
    without = [f"{row.operator}: {row.who}: {row.what}" for row in found if not row.proof]
    assert without == [], (
        "tests/divergence/test_<operator>.py has neither a test_<who>_… nor a NOT_RUN for it"
    )
