# SPDX-License-Identifier: Apache-2.0
"""What fell since the saved run, by ratios that both runs measured within themselves, never by seconds."""

from __future__ import annotations

from collections.abc import Iterable

from benchmarks.report import Row

# Of a ratio. Of 33 rows of one build, measured twice by CPU time on two cores that thirteen programs wanted, 29 moved
# by less than a tenth and 32 by less than a fifth.
ALLOWANCE = 0.2


def fallen(saved: list[Row], new: list[Row], whole: bool) -> Iterable[tuple[Row, str]]:
    """Rows that are worse than they were, each with what of it.

    A row without peers is judged by its share of the limit. Where the saved run's best peer is absent now, its ratio
    says nothing, and the row counts as fallen: install the peer.

    Args:
        whole: the new run is of all workloads, so that one that is gone counts too
    """
    now = {row.key: row for row in new}
    for was in saved:
        row = now.get(was.key)
        if row is None:
            if whole:
                yield was, "not measured any more"
        elif reason := _absent(row).get(was.best):
            yield row, f"the best peer is gone: {was.best} {reason}"
        else:
            yield from ((row, text) for text in _worse(was, row))


def _absent(row: Row) -> dict[str, str]:
    """Why peers are absent, by name."""
    found = {}
    for text in row.absent.split(", "):
        name, _, why = text.rpartition(" ")
        found |= {name: why} if why in ("differs", "fails") else {text: "is not installed"}
    return found


def _worse(was: Row, row: Row) -> Iterable[str]:
    pairs = {"ratio": (was.ratio, row.ratio), "ratio out=": (was.given_ratio, row.given_ratio)}
    if not was.ratio:
        pairs = {"of limit": (was.share, row.share)}
    for name, (before, after) in pairs.items():
        if after < before * (1 - ALLOWANCE):
            yield f"{name} {before:.3g} -> {after:.3g}, {1 - after / before:.0%} less"
