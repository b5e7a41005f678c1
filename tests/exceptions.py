# SPDX-License-Identifier: Apache-2.0
"""Which C functions of a library an exception may leave, read from the compiled code.

An exception that leaves a C function ends programs that are not written in C++. A function is safe if

- it catches everything: it has a handler, and nowhere goes on to look for another one in its callers, or
- nothing that it reaches by calls throws. A call of a function that is safe does not throw.

Calls through pointers, and calls of C++ functions of other libraries, count as throwing.
"""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

# C++ functions of other libraries that do not throw. A mutex of ours never reports the error of the last one.
QUIET = re.compile(
    r"_ZdlPv|_ZdaPv|_ZSt9terminatev|_ZSt20__throw_system_errori|_ZNSt.*D[012]Ev|_ZNKSt.*4whatEv|_ZSt\d+_Rb_tree_\w+"
    r"|_ZNSt6chrono\w*3now|_ZNSt18condition_variable(10notify|4wait)|_ZNSt8__detail15_List_node_base"
    r"|_ZNSt15__exception_ptr|_ZSt17current_exception|_ZSt18uncaught|_ZNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE"
    r"(10_M_disposeEv|9_M_eraseEmm)|_ZSt11_Hash_bytes|_ZNKSt8__detail20_Prime_rehash_policy14_M_need_rehash"
)


@dataclass
class Function:
    calls: set[str] = field(default_factory=set)
    through_pointers: bool = False

    @property
    def catches(self) -> bool:
        return "__cxa_begin_catch" in self.calls and "_Unwind_Resume" not in self.calls


class Library:
    """The functions of a shared library, by name. A part that the compiler moved away counts with its function."""

    def __init__(self, path: Path, *others: Library):
        self.path, self.others = path, others
        self.functions: dict[str, Function] = {}
        self._names: dict[str, bool] = {}
        text = subprocess.run(
            ["objdump", "-d", "--no-show-raw-insn", str(path)], capture_output=True, text=True, check=True
        ).stdout
        name = ""
        for line in text.splitlines():
            if line.endswith(">:"):
                name = self._whole(line[line.index("<") + 1 : -2])
                self.functions.setdefault(name, Function())
            elif found := re.search(r"\t(?:call|jmp|j[a-z]+) +(.*)", line):
                self._add(self.functions[name], name, found[1])

    @staticmethod
    def _whole(symbol: str) -> str:
        """The function that a symbol belongs to: `f` for f.cold."""
        return re.sub(r"\.cold$", "", symbol)

    def _add(self, function: Function, name: str, target: str) -> None:
        if target.startswith("*"):
            # Slots of the tables through which a library calls others have names; other pointers have none.
            found = re.search(r"<(\w+)@@?\w*", target)
            if found is None:
                function.through_pointers = (
                    function.through_pointers or "(%r" in target or target.startswith("*%")
                )
            else:
                function.calls.add(found[1])
        elif found := re.search(r"<([^>+]+)(\+0x[0-9a-f]+)?>", target):
            called = self._whole(found[1].removesuffix("@plt").partition("@")[0])
            if called != name:
                function.calls.add(called)

    @cached_property
    def exported(self) -> list[str]:
        """The names of the C functions that other programs may call."""
        text = subprocess.run(
            ["nm", "-D", "--defined-only", str(self.path)], capture_output=True, text=True, check=True
        ).stdout
        names = [
            parts[2].partition("@")[0] for line in text.splitlines() if (parts := line.split())[1] in "TW"
        ]
        return sorted(name for name in names if not name.startswith("_"))

    def throws(self, name: str, above: tuple[str, ...] = ()) -> list[str]:
        """The way from a function to something that throws, through functions that do not catch; empty if none."""
        if name in above:
            return []
        function = self.functions.get(name)
        if function is None:
            for other in self.others:
                if name in other.functions:
                    return other.throws(name)
            quiet = not name.startswith("_Z") or QUIET.match(name)
            return [] if quiet and name not in ("__cxa_throw", "__cxa_rethrow") else [name]
        if name in self._names:
            return []
        if function.catches:
            return []
        if function.through_pointers:
            return [name, "a call through a pointer"]
        for called in sorted(function.calls):
            if way := self.throws(called, (*above, name)):
                return [name, *way]
        self._names[name] = True
        return []

    def leaking(self) -> list[str]:
        """The exported functions that an exception may leave, each with the way that it takes."""
        ways = [self.throws(name) for name in self.exported]
        return [" > ".join(way) for way in ways if way]
