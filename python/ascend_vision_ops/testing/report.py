# SPDX-License-Identifier: Apache-2.0
"""The file that `avo parity --device … --report FILE` writes: lines of JSON, compressed where its name ends in .gz.

    {"report": 1, "version": …, "commit": …, "device": …, "findings": [what avo doctor found], …}
    {"case": "op(x=f32[3])", "operator": "op", "outcome": "passed", "results": {…}, "device_us": …, "model_us": …}
    …

Nothing in it names the user: the home folder is written as ~, and the user's name as USER.
"""

from __future__ import annotations

import getpass
import gzip
import json
import os
import re
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

FORMAT = 1
# What may become of a case.
PASSED, WRONG, FAILED, SKIPPED, DIED, HUNG = "passed", "wrong", "failed", "skipped", "died", "hung"
BAD = (WRONG, FAILED, DIED, HUNG)


class ReportError(ValueError):
    """The file is no report; the message says why."""


def anonymous(value, environ: Mapping[str, str] = os.environ):
    """Replaces the home folder and the name of the user in all texts of a JSON value."""
    if isinstance(value, dict):
        return {key: anonymous(one, environ) for key, one in value.items()}
    if isinstance(value, list):
        return [anonymous(one, environ) for one in value]
    if not isinstance(value, str):
        return value
    home = environ.get("HOME") or os.path.expanduser("~")
    if len(home) > 1:
        value = re.sub(rf"{re.escape(home.rstrip('/'))}(?![\w.-])", "~", value)
    value = re.sub(r"/home/[^/\s:,'\"]+", "/home/USER", value)
    return re.sub(rf"(?<![\w.-]){re.escape(user_name(environ))}(?![\w.-])", "USER", value)


def user_name(environ: Mapping[str, str]) -> str:
    name = environ.get("USER") or environ.get("LOGNAME")
    if not name:
        try:
            name = getpass.getuser()
        except (OSError, KeyError):
            name = ""
    # "root" says nothing about anybody, and is a part of other words and paths.
    return name if name and name != "root" else "\0"


@dataclass
class Report:
    """What was read: the first line, and the records by case; a later record of a case counts."""

    head: dict
    records: dict[str, dict] = field(default_factory=dict)


def read(path: Path) -> Report:
    """Reads a report; what a run that was ended left unfinished at the end is left out."""
    lines = _lines(path)
    head = next(lines, None)
    if not isinstance(head, dict) or head.get("report") != FORMAT:
        raise ReportError(f"{path}: expected a report that avo parity --report wrote (format {FORMAT})")
    report = Report(head)
    for record in lines:
        report.records[record["case"]] = record
    return report


def _lines(path: Path):
    try:
        with (gzip.open if path.suffix == ".gz" else open)(path, "rt", encoding="utf-8") as file:
            for line in file:
                yield json.loads(line)
    except (EOFError, json.JSONDecodeError, UnicodeDecodeError, zlib.error, gzip.BadGzipFile):
        return


class Writer:
    """Writes a report, a record at a time, so that an ended run leaves what it did."""

    def __init__(self, path: Path, head: dict, before: Iterable[dict] = ()) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        # What a former run left is written again, because its last line may be half a line.
        part = path.with_name(path.name + ".part")
        opened = gzip.open if path.suffix == ".gz" else open
        self._file = opened(part, "wt", encoding="utf-8")
        self._write({"report": FORMAT, **head})
        for record in before:
            self._write(record)
        self._file.flush()
        os.replace(part, path)

    def add(self, record: dict) -> None:
        self._write(record)
        self._file.flush()

    def _write(self, value: dict) -> None:
        self._file.write(json.dumps(anonymous(value), ensure_ascii=False) + "\n")

    def __enter__(self) -> Writer:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()
