# SPDX-License-Identifier: Apache-2.0
"""`pip install` of the source distribution, with build isolation, in an empty environment, without a network.

The packages that pip asks for come out of a folder of wheels, which are packed from those of this environment.
One operator is compiled, without those of torch; `./build.sh package` builds and tries the whole.
"""

from __future__ import annotations

import importlib.metadata
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
backend = pytest.importorskip("backend", reason="scikit-build-core is not installed")
from packaging.requirements import Requirement  # noqa: E402

from tools import first_calls, pyproject  # noqa: E402

OPERATOR = "count_outside"
SETTINGS = (f"cmake.define.AVO_ONLY={OPERATOR}", "cmake.define.AVO_TORCH=OFF")
LEAST = [word for setting in SETTINGS for word in ("--config-settings", setting)]
# Calls that are made away from the sources. NumPy counts too.
CALLS = """
import numpy as np
import ascend_vision_ops as avo

x = np.linspace(-20, 40, 1201, dtype="float32")
expected = np.count_nonzero((x < 0) | (x >= 17))
assert 0 < expected < x.size
for face in (avo.cpu, avo.aclnn):
    assert face.count_outside(x, 17).tolist() == [expected], face
print(avo.__file__)
"""


def with_dependencies(requirements: list[str]) -> list[str]:
    """Returns the names of the packages that pip installs for these requirements."""
    names: dict[str, None] = {}
    waiting = [Requirement(text) for text in requirements]
    while waiting:
        requirement = waiting.pop()
        if requirement.name in names or (
            requirement.marker and not requirement.marker.evaluate({"extra": ""})
        ):
            continue
        names[requirement.name] = None
        waiting += map(Requirement, importlib.metadata.requires(requirement.name) or [])
    return list(names)


def pack(name: str, folder: Path) -> None:
    """Packs an installed package into a wheel, programs outside its folder excepted."""
    package = importlib.metadata.distribution(name)
    tag = next(
        line.split()[1] for line in package.read_text("WHEEL").splitlines() if line.startswith("Tag: ")
    )
    inside = [path for path in package.files if path.suffix != ".pyc" and ".." not in path.parts]
    record = next(path for path in inside if path.name == "RECORD")
    stem = record.parent.name.removesuffix(".dist-info")
    with zipfile.ZipFile(folder / f"{stem}-{tag}.whl", "w") as wheel:
        for path in inside:
            if path != record:
                wheel.write(path.locate(), str(path))
        wheel.writestr(str(record), "".join(f"{path},,\n" for path in inside))


@pytest.fixture(scope="session")
def packages(tmp_path_factory) -> Path:
    """A folder with a wheel of each package that a build needs, and of each that the package needs."""
    folder = tmp_path_factory.mktemp("packages")
    table = pyproject.project()
    for name in with_dependencies([*table["build-system"]["requires"], *table["project"]["dependencies"]]):
        pack(name, folder)
    return folder


def install(own: Path, packages: Path, *words: object) -> subprocess.CompletedProcess:
    environment = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PIP_", "PYTHON", "LD_PRELOAD"))
    }
    environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{environment['PATH']}"
    environment["PIP_CONFIG_FILE"] = os.devnull
    command = [
        *first_calls.pip(own),
        "install",
        "--no-index",
        "--find-links",
        packages,
        "--no-compile",
        *words,
    ]
    return subprocess.run(
        [str(word) for word in command], env=environment, capture_output=True, text=True, check=False
    )


def test_pip_installs_the_source_distribution(tmp_path, packages, monkeypatch):
    monkeypatch.chdir(ROOT)
    folder = tmp_path / "Prüfung mit Leerzeichen"
    folder.mkdir()
    archive = folder / backend.build_sdist(str(folder))
    own = first_calls.fresh_environment(sys.executable, folder / "venv")
    done = install(own, packages, archive, *LEAST)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
    assert OPERATOR in first_calls.expect(own.parent / "avo", "list", cwd=str(folder))
    assert str(folder) in first_calls.expect(own, "-c", CALLS, cwd=str(folder))


def test_what_pip_cannot_get_is_told(tmp_path, packages):
    (tmp_path / "none").mkdir()
    own = first_calls.fresh_environment(sys.executable, tmp_path / "venv")
    done = install(own, tmp_path / "none", ROOT, *LEAST)
    assert done.returncode == 1 and "No matching distribution found for scikit-build-core" in done.stderr
