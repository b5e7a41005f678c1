# SPDX-License-Identifier: Apache-2.0
"""Reads pyproject.toml, and the version of the package, which one file names."""

from __future__ import annotations

import re
from pathlib import Path

try:
    import tomllib
except ImportError:  # Python 3.10
    from pip._vendor import tomli as tomllib

VERSION = re.compile(r'^__version__ = "(.+)"$', re.M)
ROOT = Path(__file__).resolve().parents[1]


def project() -> dict:
    """Returns the tables of pyproject.toml."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def version_file() -> Path:
    """Returns the file that names the version of the package."""
    return ROOT / project()["tool"]["scikit-build"]["metadata"]["version"]["input"]


def version() -> str:
    """Returns the version of the package."""
    return VERSION.search(version_file().read_text(encoding="utf-8")).group(1)
