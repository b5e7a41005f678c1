# SPDX-License-Identifier: Apache-2.0
"""The C++ of kernels: what CANN's device compiler is known to take.

CANN's manual excludes virtual functions, recursion at run time, dynamic memory, typeid, the standard library and input
and output from device code. It says nothing of other constructs. A construct that no public kernel for this processor
uses is left out here too, as nobody has tried it. To allow one, name a public kernel that has it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

# Public kernels of ops-nn and ops-math, and CANN's own device headers, use these.
HEADERS = {"cstdint", "type_traits"}
BUILTINS = {"__builtin_inff", "__builtin_nanf"}
STANDARD = {"is_same_v", "conditional_t", "enable_if_t", "numeric_limits"}

# A lambda: brackets that follow no operand, with a body behind parameters or without them.
LAMBDA = re.compile(
    r"(?<![\w\])>])\s*(\[[&=\w\s,*]*\])\s*(?:\([^()]*\)\s*)?(?:__aicore__\s*|mutable\s*|->\s*\w+\s*)*\{"
)
FORBIDDEN = {
    "a structured binding": re.compile(r"\bauto\s*[&*]{0,2}\s*\[\w"),
    "dynamic memory": re.compile(r"\bnew\b|\bdelete\s|\bmalloc\s*\(|\bfree\s*\("),
    "a virtual function": re.compile(r"\bvirtual\b|\boverride\b"),
    "type information": re.compile(r"\btypeid\b|\bdynamic_cast\b"),
    "an exception": re.compile(r"\bthrow\b|\btry\b|\bcatch\b"),
    "double": re.compile(r"\bdouble\b"),
    "a variable of a thread or of all calls": re.compile(
        r"\bthread_local\b|\bstatic\s+(?!constexpr|__aicore__|inline)"
    ),
    "a pointer to a function": re.compile(r"\(\s*\*\s*\w+\s*\)\s*\("),
}
INCLUDE = re.compile(r"#\s*include\s*<([\w./]+)>")
BUILTIN = re.compile(r"\b__builtin_\w+")
QUALIFIED = re.compile(r"\bstd::(\w+)")
# A function with a body at the start of a line or one level in: what stands before the brace, and its name.
FUNCTION = re.compile(
    r"^(?!\s*(?:if|for|while|switch|return|else|static_assert)\b)"
    r"(?P<head>(?:template\s*<[^;{}()]*>\s*)?[\w:<>,&*\s]*?[\w>&*]\s+(?P<name>\w+)\s*\([^;{}()]*\)\s*(?:const\s*)?)\{",
    re.M,
)


def problems(names: list[str], text_of) -> Iterator[str]:
    """The constructs of kernels that the device compiler may not take. text_of gives the text of a file."""
    for name in names:
        if name.startswith("op_kernel/") and name.endswith((".h", ".cpp")):
            text = re.sub(r"//[^\n]*", "", text_of(name))
            for at, told in sorted(constructs(text)):
                yield f"{name}:{text.count(chr(10), 0, at) + 1}: {told}"


def constructs(text: str) -> Iterator[tuple[int, str]]:
    """Where a text without comments has such a construct, and what it is."""
    for found in LAMBDA.finditer(text):
        yield found.start(1), "a lambda, which cannot carry __aicore__: write a struct with a member function"
    for what, pattern in FORBIDDEN.items():
        for found in pattern.finditer(text):
            yield found.start(), f"{what}, which device code does not have: {found[0].strip()}"
    for allowed, pattern, group in ((HEADERS, INCLUDE, 1), (BUILTINS, BUILTIN, 0), (STANDARD, QUALIFIED, 1)):
        for found in pattern.finditer(text):
            if found[group] not in allowed:
                yield (
                    found.start(),
                    f"{found[0]}: no public kernel uses it; {', '.join(sorted(allowed))} are known",
                )
    for found in FUNCTION.finditer(text):
        if "__aicore__" not in found["head"]:
            yield found.start("name"), f"{found['name']} has no __aicore__: a kernel cannot call it"
