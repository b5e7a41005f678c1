# SPDX-License-Identifier: Apache-2.0
"""Installs a wheel in a fresh environment, away from the sources, and makes the calls that a new user makes.

    python -m tools.first_calls dist/ascend_vision_ops-….whl [PYTHON]

The first environment has what the wheel asks for and no extra. The second one sees this environment's torch too, where
PYTHON is of its version.
"""

from __future__ import annotations

import importlib.util
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# Faces of the first example of README.md that need no more than NumPy.
NUMPY_FACES = ("avo.cpu.", "avo.aclnn.", "avo.reference.")
# The words after which commands of `avo --help` work without an extra, and those that need one.
WITHOUT_EXTRA = ("list", "tiling", "profile")
WITH_EXTRA = ("parity",)


class Refused(RuntimeError):
    """A call did not do what the README says."""


def call(*words: object, cwd: str) -> subprocess.CompletedProcess:
    environment = {"PATH": "/usr/bin:/bin", "HOME": cwd, "LANG": "C.UTF-8"}
    # The torch_npu beside this environment's torch is not to be loaded with it.
    environment["TORCH_DEVICE_BACKEND_AUTOLOAD"] = "0"
    return subprocess.run(
        [str(word) for word in words], cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )


def expect(*words: object, cwd: str) -> str:
    """Makes a call and returns what it prints; raises Refused where it fails."""
    done = call(*words, cwd=cwd)
    if done.returncode:
        raise Refused(
            f"{' '.join(map(str, words))}: status {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}"
        )
    return done.stdout


def readme_calls() -> list[str]:
    """Returns the lines of README.md's first example that call an operator."""
    block = re.search(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.S)
    if block is None:
        raise Refused("README.md: expected an example in Python, found none")
    return [line.partition("#")[0].strip() for line in block[1].splitlines() if line.startswith("avo.")]


def help_examples(text: str) -> list[list[str]]:
    """Returns the arguments of each example that `avo --help` shows."""
    lines = text.partition("examples:")[2].splitlines()
    return [shlex.split(line)[1:] for line in lines if line.strip().startswith("avo ")]


def torch_site() -> Path:
    """Returns the folder that has this environment's torch."""
    spec = importlib.util.find_spec("torch")
    if spec is None or spec.origin is None:
        raise Refused("no torch in this environment: ./build.sh setup installs it")
    return Path(spec.origin).parents[1]


def without_extras(own: Path, avo: Path, cwd: str) -> list[str]:
    """Makes the calls of an environment that has no extra; returns what was tried."""
    tried = []
    numpy_calls = [line for line in readme_calls() if line.startswith(NUMPY_FACES)]
    lines = [
        "import numpy as np",
        "import ascend_vision_ops as avo",
        *(f"assert {line} is not None" for line in numpy_calls),
    ]
    expect(own, "-c", "\n".join(lines), cwd=cwd)
    tried.append(f"{len(numpy_calls)} NumPy calls")
    for words in help_examples(expect(avo, "--help", cwd=cwd)):
        if words[0] in WITHOUT_EXTRA and "--html" not in words:
            expect(avo, *words, cwd=cwd)
            tried.append(f"avo {words[0]}")
        elif words[0] in WITH_EXTRA:
            done = call(avo, *words, cwd=cwd)
            if done.returncode != 1 or "pip install 'ascend-vision-ops[" not in done.stderr:
                raise Refused(
                    f"avo {' '.join(words)}: expected the extra to install, got {done.stderr[-500:]!r}"
                )
            tried.append(f"avo {words[0]} names its extra")
    expect(avo, "config", "--cflags", "--libs", cwd=cwd)
    return [*dict.fromkeys(tried), "avo config"]


def with_torch(own: Path, cwd: str) -> list[str]:
    """Makes the calls that need torch, with this environment's; returns what was tried."""
    site = expect(own, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=cwd).strip()
    # Files .pth in that folder are not read, so the build tree's package does not come along.
    (Path(site) / "torch_of_the_build.pth").write_text(f"{torch_site()}\n")
    calls = [line for line in readme_calls() if "torch." in line]
    lines = [
        "import torch",
        "import ascend_vision_ops as avo",
        *(f"assert {line} is not None" for line in calls),
    ]
    expect(own, "-c", "\n".join(lines), cwd=cwd)
    return [f"{len(calls)} torch calls"]


def fresh_environment(python: str, folder: Path) -> Path:
    """Makes a virtual environment with nothing in it and returns its interpreter."""
    subprocess.run([python, "-m", "venv", "--without-pip", folder], check=True)
    return folder / "bin/python"


def pip(own: Path) -> list[object]:
    """Returns the words with which this environment's pip works on the environment of another interpreter."""
    return [sys.executable, "-m", "pip", "--python", own, "--disable-pip-version-check"]


def try_wheel(wheel: Path, python: str) -> list[str]:
    """Makes the calls and returns what was tried; raises Refused for the first that fails."""
    with tempfile.TemporaryDirectory(prefix="avo-first-") as folder:
        own, avo = fresh_environment(python, Path(folder, "venv")), Path(folder, "venv/bin/avo")
        # In this process's environment, which says where packages come from.
        subprocess.run([*pip(own), "install", "--quiet", "--no-compile", wheel], check=True)
        tried = without_extras(own, avo, folder)
        subprocess.run([*pip(own), "install", "--quiet", "--no-compile", f"{wheel}[test]"], check=True)
        shown = help_examples(expect(avo, "--help", cwd=folder))
        expect(avo, *next(words for words in shown if words[0] == "parity"), "--quick", cwd=folder)
        tried.append("avo parity with [test]")
        version = expect(own, "-c", "import sys; print(sys.version_info[:2])", cwd=folder)
        if version.strip() == str(sys.version_info[:2]):
            tried += with_torch(own, folder)
    return tried


def main() -> int:
    if len(sys.argv) not in (2, 3):
        print(__doc__, file=sys.stderr)
        return 2
    try:
        tried = try_wheel(Path(sys.argv[1]).resolve(), sys.argv[2] if len(sys.argv) == 3 else sys.executable)
    except (Refused, subprocess.CalledProcessError) as error:
        print(f"first calls: {error}", file=sys.stderr)
        return 1
    print(f"first calls: {', '.join(tried)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
