# SPDX-License-Identifier: Apache-2.0
"""Files that the examples take from packages on PyPI, so that none has to be in this repository."""

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
    """A file of a package, such as "pysptk==1.0.1".

    what: what messages call it. options: of `pip download`, to say which archive of the package.
    """

    what: str
    package: str
    member: str
    sha256: str
    options: tuple[str, ...]

    def fetch(self, cache: Path) -> Path:
        """The file in `cache`, fetched by pip when it is not there yet."""
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
