# SPDX-License-Identifier: Apache-2.0
"""What `./build.sh package` makes beside wheels: the section of the change log, checksums, the bill of materials."""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import subprocess
import sys

import pytest


@pytest.fixture
def package(monkeypatch):
    from tools import package as module

    return module


def test_a_release_gets_its_section(package):
    before = "# Changelog\n\n## [Unreleased]\n\n### Added\n\n- A thing.\n\n## [0.1.0] - 2026-01-01\n"
    after = package.released(before, "0.2.0", "2026-02-03")
    assert after.splitlines()[2:7] == ["## [Unreleased]", "", "## [0.2.0] - 2026-02-03", "", "### Added"]
    with pytest.raises(ValueError, match=r"has a section of 0\.1\.0 already"):
        package.released(before, "0.1.0", "2026-02-03")
    with pytest.raises(ValueError, match="expected a section"):
        package.released("# Changelog\n", "0.2.0", "2026-02-03")


def test_a_release_is_called_by_a_version(package):
    with pytest.raises(SystemExit, match=r"expected a version such as 0\.2\.0 or 0\.2\.0rc1, got next"):
        package.begin_release("next")


def test_a_release_begins_in_two_files(package, tmp_path, monkeypatch):
    named = tmp_path / "package.py"
    named.write_text('"""Text."""\n__version__ = "0.1.0"\nother = "0.1.0"\n')
    (tmp_path / "CHANGELOG.md").write_text("# Changelog\n\n## [Unreleased]\n\n- A thing.\n")
    monkeypatch.setattr(package, "ROOT", tmp_path)
    monkeypatch.setattr(package, "version_file", lambda: named)
    package.begin_release("0.2.0rc1")
    assert named.read_text() == '"""Text."""\n__version__ = "0.2.0rc1"\nother = "0.1.0"\n'
    assert "## [Unreleased]\n\n## [0.2.0rc1] - 2" in (tmp_path / "CHANGELOG.md").read_text()
    with pytest.raises(SystemExit, match=r"CHANGELOG.md has a section of 0\.2\.0rc1 already"):
        package.begin_release("0.2.0rc1")


def test_interpreters_are_those_that_can_build(package, tmp_path):
    assert package.minor_version(sys.executable) == sys.version_info[1]
    assert package.interpreters([])[sys.version_info[1]] == sys.executable
    old = tmp_path / "python"
    old.write_text("#!/bin/sh\necho 3 9 cpython True\n")
    old.chmod(0o755)
    assert package.minor_version(str(old)) is None
    with pytest.raises(SystemExit, match=r"expected a CPython 3\.10 to 3\.14 with C headers"):
        package.interpreters([str(old)])


def test_checksums_are_those_that_sha256sum_reads(package, tmp_path, monkeypatch):
    monkeypatch.setattr(package, "DIST", tmp_path)
    (tmp_path / "b").write_text("two")
    (tmp_path / "a").write_text("one")
    lines = package.sign([tmp_path / "b", tmp_path / "a"]).read_text().splitlines()
    assert lines[0] == f"{hashlib.sha256(b'one').hexdigest()}  a"
    checked = ["sha256sum", "--check", "--quiet", "SHA256SUMS"]
    assert subprocess.run(checked, cwd=tmp_path, check=False).returncode == 0
    (tmp_path / "b").write_text("too")
    assert subprocess.run(checked, cwd=tmp_path, capture_output=True, check=False).returncode != 0


def test_the_bill_names_what_is_inside_and_what_is_needed(package, tmp_path):
    folder = tmp_path / "highway"
    (folder / "hwy").mkdir(parents=True)
    numbers = {"MAJOR": 7, "MINOR": 8, "PATCH": 9}
    text = "".join(f"#define HWY_{part} {number}\n" for part, number in numbers.items())
    (folder / "hwy/base.h").write_text(text)
    written = json.loads(package.bill_of_materials.write(tmp_path / "bill.json", folder).read_text())
    assert written["bomFormat"] == "CycloneDX"
    components = {component["name"]: component for component in written["components"]}
    assert components["highway"]["version"] == "7.8.9"
    assert components["pybind11"]["version"] == importlib.metadata.version("pybind11")
    assert components["numpy"]["version"] == ">=1.26" and components["numpy"]["scope"] == "required"
    assert components["torch"]["scope"] == "optional"
    (depends,) = [entry["dependsOn"] for entry in written["dependencies"] if entry.get("dependsOn")]
    assert len(depends) == len(components)


def test_the_examples_of_the_readme_and_of_the_help_are_found():
    from tools import first_calls

    calls = first_calls.readme_calls()
    assert sum(call.startswith(first_calls.NUMPY_FACES) for call in calls) >= 3
    assert any("torch." in call for call in calls)
    help_text = "usage: …\n\nexamples:\n  avo list\n  avo parity 'a b' --quick\n"
    assert first_calls.help_examples(help_text) == [["list"], ["parity", "a b", "--quick"]]


def test_a_wheel_whose_calls_fail_is_refused(tmp_path):
    from tools import first_calls

    with pytest.raises(first_calls.Refused, match="status 3"):
        first_calls.expect(sys.executable, "-c", "raise SystemExit(3)", cwd=str(tmp_path))
    assert first_calls.expect(sys.executable, "-c", "print(5)", cwd=str(tmp_path)) == "5\n"
