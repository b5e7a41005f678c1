# SPDX-License-Identifier: Apache-2.0
"""What fell since the saved run, by ratios that both runs measured within themselves, never by seconds."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from benchmarks.report import NONE, Row

# Of a ratio. Between two runs of one build on a machine that many share, 11 of 172 rows fell by more, so that one run
# does not condemn a row.
ALLOWANCE = 0.2
# Columns of the page, and what rows call them: with peers, and without.
FIGURES, LIMIT = {"ratio": "ratio", "ratio out=": "given_ratio"}, {"of limit": "share"}


def fallen(
    saved: list[Row], new: list[Row], whole: bool, again: Callable[[Row], Row]
) -> Iterable[tuple[Row, str]]:
    """Rows that are worse than they were, each with what of it.

    A row that is worse is measured again, and the better of both runs counts, figure by figure. A row without peers is
    judged by its share of the limit. Where the saved run's best peer is absent now, its ratio says nothing, and the row
    counts as fallen: install the peer.

    Args:
        whole: the new run is of all workloads, so that one that is gone counts too
        again: measures a row's workload once more
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
    """That the best peer of the saved run is absent, and why; '' where it is there."""
    for text in row.absent.split(", "):
        name, _, why = text.rpartition(" ")
        name, why = (name, why) if why in ("differs", "fails") else (text, "is not installed")
        if name == was.best != NONE:
            return f"the best peer is gone: {name} {why}"
    return ""


def _worse(was: Row, runs: list[Row]) -> Iterable[str]:
    """What of a row is worse in all of these runs of it that have the best peer."""
    told = [run for run in runs if not _gone(was, run)]
    for title, name in (FIGURES if was.ratio else LIMIT).items():
        before, after = getattr(was, name), max(getattr(run, name) for run in told)
        if after < before * (1 - ALLOWANCE):
            yield f"{title} {before:.3g} -> {after:.3g}, {1 - after / before:.0%} less"
