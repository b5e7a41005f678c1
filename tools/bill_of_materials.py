# SPDX-License-Identifier: Apache-2.0
"""Writes what is inside a release as a CycloneDX bill of materials.

The package contains two libraries of others, which are compiled into it: Highway and pybind11. What pip installs beside
it stands there with the range of versions that is asked for.
"""

from __future__ import annotations

import importlib.metadata
import re
from pathlib import Path

from cyclonedx.model import ExternalReference, ExternalReferenceType, XsUri
from cyclonedx.model.bom import Bom
from cyclonedx.model.component import Component, ComponentScope, ComponentType
from cyclonedx.model.license import LicenseExpression
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL

from tools.pyproject import project, version
from tools.sources import SOURCES

HIGHWAY_LICENCE = "Apache-2.0 OR BSD-3-Clause"
HIGHWAY_VERSION = re.compile(r"#define HWY_(?:MAJOR|MINOR|PATCH) (\d+)")


def highway(folder: Path) -> Component:
    """Describes the Highway whose sources lie in a folder, and the archive that they were taken out of."""
    numbers = HIGHWAY_VERSION.findall((folder / "hwy/base.h").read_text(encoding="utf-8"))
    source = SOURCES["highway"]
    return Component(
        name="highway",
        version=".".join(numbers),
        type=ComponentType.LIBRARY,
        licenses=[LicenseExpression(HIGHWAY_LICENCE)],
        external_references=[
            ExternalReference(
                type=ExternalReferenceType.SOURCE_DISTRIBUTION,
                url=XsUri(str(PackageURL("pypi", name=source.package, version=source.version))),
                comment=f"its folder {source.folder}",
            )
        ],
    )


def pybind11() -> Component:
    """Describes the pybind11 of this environment, whose headers are compiled into the module _native."""
    found = importlib.metadata.version("pybind11")
    return Component(
        name="pybind11",
        version=found,
        type=ComponentType.LIBRARY,
        licenses=[LicenseExpression("BSD-3-Clause")],
        purl=PackageURL("pypi", name="pybind11", version=found),
    )


def required(requirement: str, scope: ComponentScope) -> Component:
    """Describes a package that pip installs beside ours; its version is the range that is asked for."""
    name, versions = re.fullmatch(r"([\w.-]+)(.*)", requirement).groups()
    return Component(
        name=name,
        version=versions,
        type=ComponentType.LIBRARY,
        scope=scope,
        purl=PackageURL("pypi", name=name),
    )


def bill(highway_folder: Path) -> Bom:
    """Makes the bill of materials of the package as it stands."""
    table = project()["project"]
    bom = Bom()
    root = Component(
        name=table["name"],
        version=version(),
        type=ComponentType.LIBRARY,
        licenses=[LicenseExpression(table["license"])],
        purl=PackageURL("pypi", name=table["name"], version=version()),
    )
    bom.metadata.component = root
    inside = [highway(highway_folder), pybind11()]
    needed = [required(text, ComponentScope.REQUIRED) for text in table["dependencies"]]
    names = {component.name for component in needed}
    chosen: dict[str, Component] = {}
    for text in (text for extra in table["optional-dependencies"].values() for text in extra):
        component = required(text, ComponentScope.OPTIONAL)
        if component.name not in names:
            chosen.setdefault(component.name, component)
    for component in (*inside, *needed, *chosen.values()):
        bom.components.add(component)
    bom.register_dependency(root, bom.components)
    return bom


def write(path: Path, highway_folder: Path) -> Path:
    """Writes the bill of materials of a build with this Highway as JSON and returns the path."""
    text = JsonV1Dot6(bill(highway_folder)).output_as_string(indent=2)
    path.write_text(text + "\n", encoding="utf-8")
    return path
