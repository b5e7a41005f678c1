# SPDX-License-Identifier: Apache-2.0
"""Finds rows that became worse than in the saved run. It compares ratios, which each run measured in itself, and no
seconds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from benchmarks.report import NONE, Row

# The share by which a ratio may fall. On a machine that many people share, 11 of 172 rows fell by more between two runs
# of the same build. One run alone therefore does not fail a row.
ALLOWANCE = 0.2
# Columns of the page and the names that rows have for them, for rows with peers and for rows without.
FIGURES, LIMIT = {"ratio": "ratio", "ratio out=": "given_ratio"}, {"of limit": "share"}


def fallen(
    saved: list[Row], new: list[Row], whole: bool, again: Callable[[Row], Row]
) -> Iterable[tuple[Row, str]]:
    """Finds the rows that are worse than in the saved run, and says for each which figure fell.

    A worse row is measured again, and for each figure the better of both runs counts. A row without peers is judged by
    its share of the limit. Where the best peer of the saved run is not installed now, the ratio has no meaning, and the
    row counts as fallen: install the peer.

    Args:
        whole: whether the new run measured all workloads, so that a workload which is gone counts as fallen
        again: a function that measures the workload of a row once more
    """
    now = {row.key: row for row in new}
    for was in saved:
        row = now.get(was.key)
        if row is None:
            if whole:
                yield was, "not measured any more"
        elif gone := _gone(was, row):
            yield row, gone
        elif any(_worse(was, [row])):
            yield from ((row, text) for text in _worse(was, [row, again(row)]))


def _gone(was: Row, row: Row) -> str:
    """Says that the best peer of the saved run is absent, and why; '' where it is installed."""
    for text in row.absent.split(", "):
        name, _, why = text.rpartition(" ")
        name, why = (name, why) if why in ("differs", "fails") else (text, "is not installed")
        if name == was.best != NONE:
            return f"the best peer is gone: {name} {why}"
    return ""


def _worse(was: Row, runs: list[Row]) -> Iterable[str]:
    """Says which figures of a row are worse in all of these runs that include the best peer."""
    told = [run for run in runs if not _gone(was, run)]
    for title, name in (FIGURES if was.ratio else LIMIT).items():
        before, after = getattr(was, name), max(getattr(run, name) for run in told)
        if after < before * (1 - ALLOWANCE):
            yield f"{title} {before:.3g} -> {after:.3g}, {1 - after / before:.0%} less"
