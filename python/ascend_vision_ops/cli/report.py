# SPDX-License-Identifier: Apache-2.0
"""`avo report`: reads what `avo parity --report` wrote, or compares two of these files."""

from __future__ import annotations

import argparse
import statistics
from collections import Counter
from pathlib import Path

from ascend_vision_ops.cli import Failure
from ascend_vision_ops.tables import console, table
from ascend_vision_ops.testing.report import BAD, PASSED, SKIPPED, Report, read

OUTCOMES = (PASSED, *BAD, SKIPPED)
MOST_SHOWN = 50  # failures that are printed
MOST_CHARACTERS = 400  # of a failure's message


def run_report(options: argparse.Namespace) -> int:
    if len(options.files) > 2:
        raise Failure(f"report: expected one FILE or two, got {len(options.files)}")
    reports = [read(Path(name)) for name in options.files]
    if len(reports) == 2:
        compare(*reports, markdown=options.markdown)
    else:
        show(reports[0], markdown=options.markdown)
    return 0


class Page:
    """Prints tables and lines, to the terminal or as Markdown."""

    def __init__(self, markdown: bool) -> None:
        self.markdown = markdown
        self._out = console()

    def line(self, text: str = "") -> None:
        self._out.print(text, markup=False, soft_wrap=True)

    def title(self, text: str) -> None:
        self.line(f"\n## {text}\n" if self.markdown else f"\n{text}")

    def code(self, text: str) -> None:
        self.line(f"      {text}" if not self.markdown else f"  `{text}`")

    def rows(self, titles: tuple[str, ...], rows: list[tuple[str, ...]]) -> None:
        if not self.markdown:
            made = table(*titles)
            for row in rows:
                made.add_row(*row)
            self._out.print(made)
            return
        self.line(f"| {' | '.join(title.removeprefix('>') for title in titles)} |")
        self.line("|" + "|".join(" ---: " if title.startswith(">") else " --- " for title in titles) + "|")
        for row in rows:
            self.line(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |")


def ratios(records: list[dict], time: str, over: str) -> list[float]:
    """One time of each case over another one, where the case has both."""
    return [one[time] / one[over] for one in records if one.get(time) and one.get(over)]


def spread(values: list[float]) -> str:
    """The median, and the smallest and the largest one: 1.20 (0.90-3.11)."""
    return f"{statistics.median(values):.2f} ({min(values):.2f}-{max(values):.2f})" if values else ""


def by_operator(report: Report) -> dict[str, list[dict]]:
    found: dict[str, list[dict]] = {}
    for record in report.records.values():
        found.setdefault(record["operator"], []).append(record)
    return dict(sorted(found.items()))


def introduce(page: Page, report: Report) -> None:
    head = report.head
    version = f"ascend-vision-ops {head['version']}" + (
        f", commit {head['commit']}" if head.get("commit") else ""
    )
    page.line(f"{version}, on {head['soc']} ({head['device']}), {len(report.records)} cases")
    for finding in head.get("findings", []):
        if (
            finding["item"] in ("driver", "CANN", "torch", "torch_npu", "in CANN's place")
            and finding["found"]
        ):
            page.line(f"{'- ' if page.markdown else ''}{finding['item']}: {finding['found']}")


def show(report: Report, markdown: bool = False) -> None:
    page = Page(markdown)
    introduce(page, report)
    page.title("Operators")
    figures = (">worst takes", ">us, largest", ">measured / modelled", ">ours / CANN's")
    rows = []
    for name, records in by_operator(report).items():
        counts = Counter(record["outcome"] for record in records)
        shares = [one["share"] for record in records for one in record.get("results", {}).values()]
        longest = max((record.get("device_us", 0) for record in records), default=0)
        rows.append(
            (
                name, *(str(counts[outcome] or "") for outcome in OUTCOMES),
                f"{max(shares):.0%}" if shares else "", f"{longest:.1f}" if longest else "",
                spread(ratios(records, "device_us", "model_us")), spread(ratios(records, "c_us", "cann_us")),
            )
        )  # fmt: skip
    page.rows(("operator", *(f">{outcome}" for outcome in OUTCOMES), *figures), rows)
    failures(page, report)


def failures(page: Page, report: Report) -> None:
    bad = [record for record in report.records.values() if record["outcome"] in BAD]
    if not bad:
        return
    page.title("Failures, and how to repeat each")
    for record in bad[:MOST_SHOWN]:
        message = " ".join(record.get("message", "").split())
        page.line(f"- {record['outcome']}: {message[:MOST_CHARACTERS]}")
        page.code(f"avo parity --device {report.head['device']} --case '{record['case']}'")
    if len(bad) > MOST_SHOWN:
        page.line(f"… and {len(bad) - MOST_SHOWN} more")


def compare(before: Report, after: Report, markdown: bool = False) -> None:
    """Prints where two reports differ: outcomes of cases that both have, and times."""
    page = Page(markdown)
    for title, report in (("First", before), ("Second", after)):
        page.title(title)
        introduce(page, report)
    both = [case for case in before.records if case in after.records]
    page.title("Times of the second over those of the first")
    rows = []
    for name, records in by_operator(after).items():
        shared = [(before.records[one["case"]], one) for one in records if one["case"] in before.records]
        pairs = [(old.get("device_us"), new.get("device_us")) for old, new in shared]
        rows.append((name, str(len(pairs)), spread([new / old for old, new in pairs if old and new])))
    page.rows(("operator", ">cases in both", ">time"), rows)
    changed = [
        (case, before.records[case]["outcome"], after.records[case]["outcome"])
        for case in both
        if before.records[case]["outcome"] != after.records[case]["outcome"]
    ]
    page.title(f"Cases with another outcome: {len(changed)}")
    for case, old, new in changed[:MOST_SHOWN]:
        page.line(f"- {old} -> {new}: {case}")
    alone = len(before.records) + len(after.records) - 2 * len(both)
    if alone:
        page.line(f"Cases that are in one of the reports only: {alone}")
