# SPDX-License-Identifier: Apache-2.0
"""Fetches published sources that no package brings ready to use, and checks that they are what was published.

    python tools/sources.py highway FOLDER

leaves the sources of Highway in FOLDER. A folder that is there already is left as it is.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from dataclasses import dataclass
from pathlib import Path, PurePosixPath


@dataclass(frozen=True)
class Source:
    """A folder of a source distribution.

    package, version: the distribution
    sha256: the checksum of its archive
    folder: the path of the folder below the archive's root, "." for all
    """

    package: str
    version: str
    sha256: str
    folder: str


SOURCES = {
    # No package on PyPI brings Highway, but NumPy's source distribution contains it.
    "highway": Source(
        "numpy",
        "2.4.6",
        "f3a3570c4a2a16746ac2c31a7c7c7b0c186b95ce902e33db6f28094ed7387dda",
        "numpy/_core/src/highway",
    ),
    "mmcv": Source("mmcv", "2.2.0", "ac479247e808d8802f89eadf04d4118de86bdfe81361ec5aed0cc1bf731c67c9", "."),
}


class FetchError(RuntimeError):
    """The sources could not be had; the message says in one line why."""


def package_index() -> list[str]:
    """Returns the options of unearth for the package index that pip is set to use; none where it is the default."""
    index = os.environ.get("PIP_INDEX_URL")
    if not index:
        asked = [sys.executable, "-m", "pip", "config", "get", "global.index-url"]
        index = subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()
    return ["--index-url", index] if index else []


def download(source: Source, folder: Path) -> Path:
    """Downloads the archive of a source distribution into a folder and returns its path.

    Raises:
        FetchError: the index cannot be reached, or the archive is not the one that was published
    """
    wanted = f"{source.package}=={source.version}"
    command = [
        sys.executable,
        "-m",
        "unearth",
        *package_index(),
        "--no-binary",
        "--download",
        str(folder),
        wanted,
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    archive = folder / f"{source.package}-{source.version}.tar.gz"
    if not archive.is_file():
        lines = (done.stderr or done.stdout).strip().splitlines()
        raise FetchError(
            f"the sources of {wanted} could not be fetched: {lines[-1] if lines else 'no answer'}"
        )
    check(archive, source)
    return archive


def check(archive: Path, source: Source) -> None:
    """Raises a FetchError where the archive's checksum is not the published one."""
    found = hashlib.sha256(archive.read_bytes()).hexdigest()
    if found != source.sha256:
        raise FetchError(f"{archive.name}: expected the SHA-256 {source.sha256}, got {found}")


def unpack(archive: Path, part: str, folder: Path) -> None:
    """Unpacks the files below the path `part` of an archive with one root folder into a new folder."""
    with tempfile.TemporaryDirectory(dir=folder.parent) as work:
        with tarfile.open(archive) as file:
            members = [
                member
                for member in file.getmembers()
                if PurePosixPath(*PurePosixPath(member.name).parts[1:]).is_relative_to(part)
            ]
            # The checksum says whose archive it is; a Python without filters (before 3.10.12) needs none of them.
            file.extractall(work, members, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))
        (root,) = Path(work).iterdir()
        shutil.move(root / part, folder)


def fetch(name: str, folder: Path) -> Path:
    """Leaves the sources called `name` in a folder and returns it; one that is there already is left as it is.

    Raises:
        FetchError: see download()
    """
    if not folder.exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory() as work:
            unpack(download(SOURCES[name], Path(work)), SOURCES[name].folder, folder)
    return folder


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("name", choices=SOURCES, help="which sources")
    parser.add_argument("folder", type=Path, metavar="FOLDER", help="the folder to make")
    options = parser.parse_args()
    try:
        fetch(options.name, options.folder)
    except (FetchError, OSError) as error:
        print(f"sources: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
