# SPDX-License-Identifier: Apache-2.0
"""Fetches files that the examples need from packages on PyPI, so that this repository need not contain them."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class PackagedFile:
    """A file in a package such as "pysptk==1.0.1".

    what: the name of the file in messages. options: options of `pip download` that choose the archive of the package.
    """

    what: str
    package: str
    member: str
    sha256: str
    options: tuple[str, ...]

    def fetch(self, cache: Path) -> Path:
        """Gives the file in `cache`; pip fetches it when it is missing."""
        path = cache / Path(self.member).name
        if not path.exists():
            cache.mkdir(parents=True, exist_ok=True)
            path.write_bytes(self._download())
        if hashlib.sha256(path.read_bytes()).hexdigest() != self.sha256:
            sys.exit(f"demo: {path} is not the {self.what} expected; remove it to fetch it again")
        return path

    def _download(self) -> bytes:
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, "-m", "pip", "download", "--quiet", "--retries", "1", "--no-deps"]
            command += ["--disable-pip-version-check", *self.options, "--dest", folder, self.package]
            done = subprocess.run(command, capture_output=True, text=True)
            archives = list(Path(folder).iterdir())
            if done.returncode or not archives:
                reason = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
                package = f"{self.package}, which holds the {self.what}"
                sys.exit(f"demo: pip could not fetch {package}; no network? ({reason})")
            if archives[0].suffix == ".whl":
                with zipfile.ZipFile(archives[0]) as files:
                    return files.read(self.member)
            with tarfile.open(archives[0]) as files:
                return files.extractfile(self.member).read()
