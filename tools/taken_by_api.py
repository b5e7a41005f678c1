# SPDX-License-Identifier: Apache-2.0
"""Kernels that call a function of AscendC which takes memory of the Unified Buffer for itself, and their tilings.

op_host/common/tiling/platform.h has a row for each such function. The tiling of an operator names the row where a
kernel source of the operator calls the function, and names no other row. It leaves the memory (Below), or says in a
comment why no instance of the kernel calls the function. The simulated device finds a tiling that is wrong about that.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from tools.families import Tree

ROWS = "op_host/common/tiling/platform.h"
ROW = re.compile(r"\bTakenByApi (\w+)\{\s*\"(\w+)\"")


def problems(tree: Tree) -> Iterator[str]:
    """Tilings that do not name what their kernels call, and those that name what no kernel of theirs calls."""
    rows = ROW.findall(tree.text(ROWS)) if ROWS in tree.names else []
    for operator in sorted(tree.contracts):
        tilings = sources_of(tree, operator, "op_host") - {ROWS}
        kernels = sources_of(tree, operator, "op_kernel")
        for row, function in rows:
            call = re.compile(rf"\bAscendC::{function}\s*[<(]")
            callers = sorted(name for name in kernels if call.search(tree.text(name)))
            named = any(re.search(rf"\b{row}\b", tree.text(name)) for name in tilings)
            if callers and tilings and not named:
                told = f"the tiling of {operator} does not name {row}"
                yield f"{callers[0]}: {function} takes memory of the Unified Buffer; {told}"
            if named and not callers:
                yield f"the tiling of {operator} names {row}, but no kernel source of it calls {function}"


def sources_of(tree: Tree, operator: str, room: str) -> set[str]:
    """The sources of an operator in a room, with all that they include there and the sources of what they include."""
    own = {name for name, place in tree.places.items() if place.room == room and place.operator == operator}
    found, open_ends = set(), {name for name in own if name.endswith((".h", ".cpp"))}
    while open_ends:
        name = open_ends.pop()
        found.add(name)
        new = {used for used in tree.uses.get(name, ()) if used.startswith(f"{room}/")}
        new |= {str(Path(name).with_suffix(".cpp"))} & tree.places.keys()
        open_ends |= new - found
    return found
