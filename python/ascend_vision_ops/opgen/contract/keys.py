# SPDX-License-Identifier: Apache-2.0
"""The keys of a contract: which there are, which are required, and what kind of value each of them holds."""

from __future__ import annotations

from dataclasses import dataclass

from ..model import FORMATS, NO_KERNEL, SOCS, either
from .document import Document, show

# An operator has an AscendC kernel and entry points. One of `kernel: none` has neither, and runs on CPUs alone. A
# composite is written in Python on top of an operator.
OPERATOR, ON_CPUS, COMPOSITE = "operator", "operator without an AscendC kernel", "composite"
COMPUTING = (OPERATOR, ON_CPUS)
ALL = (OPERATOR, ON_CPUS, COMPOSITE)

CALL = "`Name(argument, …)`"
VMAP = "{fold: [size, …]} or {leading: dim}"


@dataclass(frozen=True)
class Key:
    """What one key holds.

    kind: the type of its value, or several types.
    expected: what messages call such a value. Of a key with `words` it follows from them.
    of: the contracts that may have the key.
    required: whether they must have it.
    default: its value where it is left out. None stands for the empty value of `kind`.
    words: the texts that the value, or each element of a list, may be; any where it is empty.
    """

    kind: type | tuple[type, ...]
    expected: str = ""
    of: tuple[str, ...] = ALL
    required: bool = False
    default: object = None
    words: tuple[str, ...] = ()

    def value(self) -> object:
        """The value of a key that is left out."""
        if self.default is not None:
            return list(self.default) if isinstance(self.default, (list, tuple)) else self.default
        return (self.kind[0] if isinstance(self.kind, tuple) else self.kind)()


# In the order in which messages list them.
KEYS = {
    "schema": Key(str, "a torch operator schema", required=True),
    "summary": Key(str, "a sentence", required=True),
    "aclnn": Key((list, dict, str), CALL, of=(OPERATOR,), required=True),
    "composite": Key(str, "the operator it calls", of=(COMPOSITE,), required=True),
    "dtypes": Key(dict, "tensor: [dtype, …] or tensor: other tensor", required=True),
    "shape": Key(dict, "tensor: [dimension, …]", required=True),
    "tiling_keys": Key(dict, "name: number", of=(OPERATOR,), required=True),
    "source": Key((list, str), "a text or a list of texts", required=True),
    "example": Key(dict, "dimension or attribute: value", required=True),
    "internal": Key(str, "parameters as in a schema", of=(OPERATOR,)),
    "soc": Key(list, of=(OPERATOR,), default=SOCS, words=SOCS),
    "cpu_dtypes": Key(dict, "tensor: [dtype, …]"),
    "formats": Key(list, of=(OPERATOR,), default=["ND"], words=FORMATS),
    "let": Key(dict, "name: expression"),
    "dynamic": Key(list, "a list of names", of=(COMPOSITE,)),
    "require": Key(list, "a list of conditions", of=COMPUTING),
    "kernel": Key(str, default="vector", words=("vector", "cube", "mixed", NO_KERNEL)),
    "workspace": Key(bool, "true or false", of=(OPERATOR,)),
    "tolerance": Key(dict, "dtype: {absolute, relative, largest, ulp, why}"),
    "backward": Key(dict, "input: operator(arguments)", of=COMPUTING),
    "parameters": Key(dict, "parameter: text"),
    "details": Key(str, "a text"),
    "divergence": Key(list, "a list of {who, what}"),
    "flops": Key((str, int), "an int", of=(OPERATOR,)),
    "unbatched": Key(bool, "true or false", of=(OPERATOR,)),
    "rows": Key(dict, "result: what its rows are", of=(COMPOSITE,)),
    "onnx": Key(dict, "domain: Name(argument, …)"),
    "autocast": Key(str, of=COMPUTING, default="widest", words=("float32", "widest")),
    "vmap": Key(dict, VMAP, of=COMPUTING),
    "memory_format": Key(dict, "result: tensor", of=COMPUTING),
}


def check_keys(document: Document) -> None:
    """Reports unknown and missing keys and values of another kind; gives defaults to keys without a proper value."""
    contract = COMPOSITE if "composite" in document else OPERATOR
    if contract == OPERATOR and document.values.get("kernel") == NO_KERNEL:
        contract = ON_CPUS
    allowed = {name: key for name, key in KEYS.items() if contract in key.of}
    document.check_names((), document.values, allowed)
    for name, key in allowed.items():
        if key.required and name not in document:
            document.problem(name, "this key", "none", line=1)
    for name, key in KEYS.items():
        if name in document and name in allowed and _is_proper(document, name, key):
            document.given.add(name)
        else:
            document.values[name] = key.value()


def _is_proper(document: Document, name: str, key: Key) -> bool:
    """Whether the value of a key is of the key's kind. Reports what is not."""
    value = document[name]
    if not isinstance(value, key.kind):
        document.problem(name, _expected(key), show(value))
        return False
    if key.kind is list and key.words:
        for index, word in enumerate(value):
            if word not in key.words:
                document.problem((name, index), f"one of {', '.join(key.words)}", show(word))
    elif key.words and value not in key.words:
        document.problem(name, _expected(key), repr(value))
        return False
    return True


def _expected(key: Key) -> str:
    if not key.words:
        return key.expected
    return f"a list of {', '.join(key.words)}" if key.kind is list else either(list(key.words))
