# SPDX-License-Identifier: Apache-2.0
"""Scalar accesses of kernels that trap (sim/ascendc/compiler/scalar_access.h), and the instructions that make them."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess

import pytest

from tests.built import BUILD, listed, missing

PROGRAM = BUILD / "tests" / "sim_scalar"
LEAST_CASES = 15
LEAST_INSTRUCTIONS = 250  # with a memory operand, of one compiler at one level of optimisation

pytestmark = pytest.mark.skipif(
    os.uname().machine != "x86_64", reason="kernels of this kind run on x86-64 hosts alone"
)


def test_program_is_built():
    assert PROGRAM.exists(), missing(PROGRAM)
    assert len(listed(PROGRAM)) >= LEAST_CASES


@pytest.mark.parametrize("name", listed(PROGRAM))
def test_access(name):
    """An access gives what it must: the right values, or a report that names the line."""
    if shutil.which("addr2line") is None:
        pytest.skip("no addr2line, which reads line tables")
    done = subprocess.run([PROGRAM, "--run", name], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, f"{PROGRAM} --run {name}\n{done.stdout}{done.stderr}"


@pytest.mark.parametrize(
    ("handler", "code"),
    [("none", -signal.SIGSEGV), ("before", 42), ("after", 42), ("restores", -signal.SIGSEGV)],
)
def test_accesses_of_the_host_go_to_its_own_handler(handler, code):
    """What the host does with a wrong pointer is no access of a kernel, whenever the host installed its handler."""
    done = subprocess.run([PROGRAM, "--host", handler], capture_output=True, timeout=60)
    assert done.returncode == code


# --- instructions -----------------------------------------------------------------------------------------------------

TYPES = (
    "int8_t",
    "uint8_t",
    "int16_t",
    "uint16_t",
    "int32_t",
    "uint32_t",
    "int64_t",
    "uint64_t",
    "float",
    "double",
)
OPERATORS = ("+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>")

# What no scalar access is: these take addresses, go elsewhere, use the stack or repeat.
NO_ACCESS = re.compile(
    r"^(lea|nop|call|jmp|push|pop|rep|movs|stos|lods|scas|cmps|f|data16|cs|notrack|bnd|lock)"
)
WRITES_ALONE = re.compile(r"^(mov(?!s[xqd]|zx)\w*|set\w+|movss|movsd|movabs)$")
READS_ALONE = re.compile(r"^(cmp|test|bt|u?comis[sd]|i?mul|i?div)$")
BYTES = {"BYTE": 1, "WORD": 2, "DWORD": 4, "QWORD": 8, "XMMWORD": 16}


def functions() -> str:
    """Loads, stores, conversions, and operations whose operand or result is in memory, of all types."""
    lines = ["#include <cstdint>", "#include <cstring>", "struct Pair { int32_t first, second; };"]
    for number, a in enumerate(TYPES):
        lines.append(f"void store{number}({a} *p, long i, {a} v) {{ p[i] = v; p[3] = 1; *p = 0; }}")
        lines.append(f"{a} index{number}({a} *p, unsigned i) {{ return p[i + 1] + p[2 * i]; }}")
        lines.append(f"bool less{number}({a} *p, {a} *q) {{ return *p < *q || p[1] == 5; }}")
        lines.append(f"{a} pick{number}({a} *p, bool c, {a} other) {{ return c ? *p : other; }}")
        lines.append(f"void step{number}({a} *p) {{ ++p[0]; --p[1]; p[2] = -p[2]; }}")
        lines.append(f"void swap{number}({a} *p) {{ {a} t = p[0]; p[0] = p[1]; p[1] = t; }}")
        for other, b in enumerate(TYPES):
            lines.append(f"{a} convert{number}_{other}({b} *p, long i) {{ return ({a})p[i]; }}")
            lines.append(f"void put{number}_{other}({a} *p, {b} v) {{ *p = ({a})v; }}")
        for operator, sign in enumerate(OPERATORS):
            if a in ("float", "double") and operator > 3:
                continue
            lines.append(f"void change{number}_{operator}({a} *p, {a} v) {{ p[5] = p[5] {sign} v; }}")
            lines.append(f"{a} combine{number}_{operator}({a} *p, {a} v) {{ return v {sign} p[40]; }}")
            lines.append(f"void constant{number}_{operator}({a} *p) {{ *p = *p {sign} 3; }}")
    lines += [
        "void pairs(Pair *p, Pair *q) { *p = q[1]; }",
        "float bits(uint32_t *p) { float v; memcpy(&v, p, 4); return v; }",
        "double root(double *p) { return __builtin_sqrt(*p) + __builtin_fabs(p[1]); }",
        "int flag(uint32_t *p, int i) { return (*p >> (i & 31)) & 1; }",
        "void sums(float *__restrict p, const float *__restrict q) { for (int i = 0; i < 64; ++i) p[i] += q[i] * 2; }",
        "void adds(int *__restrict p, const int *__restrict q) { for (int i = 0; i < 64; ++i) p[i] += q[i] ^ p[i]; }",
        "void widens(long *__restrict p, const int *__restrict q) { for (int i = 0; i < 64; ++i) p[i] = q[i]; }",
        "void floats(float *__restrict p, const int *__restrict q) { for (int i = 0; i < 64; ++i) p[i] = q[i]; }",
        "void doubles(double *__restrict p, const int *__restrict q) { for (int i = 0; i < 64; ++i) p[i] = q[i]; }",
        "void bytes(char *__restrict p, const short *__restrict q) { for (int i = 0; i < 64; ++i) p[i] = q[i]; }",
    ]
    return "\n".join(lines) + "\n"


def accesses(disassembly: str) -> list[tuple[str, str]]:
    """Bytes and text of the instructions with a memory operand that may trap."""
    found = []
    for line in disassembly.splitlines():
        columns = line.split("\t")
        if len(columns) != 3 or "[" not in columns[2] or "[rip" in columns[2]:
            continue
        text = columns[2].split("#")[0].strip()
        if not NO_ACCESS.match(text):
            found.append((columns[1].replace(" ", ""), text))
    return found


def decode(codes: list[str]) -> list[list[int]]:
    """What the simulator reads in each of these instructions: length, size, whether it reads and whether it writes."""
    lines = "".join(code + "\n" for code in codes)
    done = subprocess.run([PROGRAM, "--decode"], input=lines, capture_output=True, text=True, check=True)
    return [[int(word) for word in line.split()] for line in done.stdout.splitlines()]


def expected(text: str) -> tuple[int, bool, bool]:
    """Size, read, written, by the text of an instruction in Intel's syntax."""
    mnemonic, operands = text.split(None, 1)
    size = BYTES[re.search(r"(\w+) PTR", operands).group(1)]
    target = "[" in operands.split(",")[0]
    if mnemonic == "xchg":
        return size, True, True
    if not target or READS_ALONE.match(mnemonic):
        return size, True, False
    return size, WRITES_ALONE.match(mnemonic) is None, True


@pytest.mark.parametrize("level", ["-O0", "-O1", "-O2", "-O3"])
@pytest.mark.parametrize("compiler", ["g++", "clang++", "clang++-16"])
def test_instructions_are_read_as_objdump_reads_them(compiler, level, tmp_path):
    """Length, size and direction of every instruction with a memory operand that a compiler makes."""
    if shutil.which(compiler) is None or shutil.which("objdump") is None:
        pytest.skip(f"no {compiler}, or no objdump")
    source = tmp_path / "functions.cpp"
    source.write_text(functions())
    subprocess.run(
        [compiler, level, "-w", "-c", source, "-o", tmp_path / "functions.o"], check=True, timeout=120
    )
    dump = ["objdump", "-d", "-w", "-M", "intel", "--insn-width=16", tmp_path / "functions.o"]
    disassembly = subprocess.run(dump, capture_output=True, text=True, check=True).stdout
    found = accesses(disassembly)
    assert len(found) >= LEAST_INSTRUCTIONS
    wrong = set()
    decoded = decode([code for code, _ in found])
    for (code, text), (length, size, reads, writes) in zip(found, decoded, strict=True):
        wanted = (len(code) // 2, *expected(text))
        if (length, size, bool(reads), bool(writes)) != wanted:
            wrong.add(f"{code} {text}: {length, size, bool(reads), bool(writes)}, expected {wanted}")
    assert not wrong, "\n".join(sorted(wrong))


@pytest.mark.parametrize("code", ["f3aa", "ff10", "8f00", "dd00", "c5fa1000", "f00fb110", "8b05"])
def test_instructions_that_are_no_scalar_access_are_not_read(code):
    """rep stos, a call, pop, the x87 unit, AVX, a locked exchange, and an operand that counts from the instruction."""
    printed = subprocess.run(
        [PROGRAM, "--decode"], input=code + "\n", capture_output=True, text=True, check=True
    ).stdout
    assert printed.split()[0] == "0"
