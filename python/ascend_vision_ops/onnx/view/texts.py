# SPDX-License-Identifier: Apache-2.0
"""Says in a few words what values, tensors and attributes are."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir

# Elements that a text shows, and tensors up to this number of elements are looked into.
SHOWN, LOOKED_INTO = 12, 1 << 22


def type_text(value: ir.Value) -> str:
    """Element type and shape, such as `float [1, 3, h, w]`; `?` for what the model does not say."""
    if value.dtype is None:
        return str(value.type) if value.type is not None else "?"
    kind = value.dtype.name.lower()
    if isinstance(value.type, ir.SequenceType):
        kind = f"sequence of {kind}"
    elif isinstance(value.type, ir.OptionalType):
        kind = f"optional {kind}"
    return kind if value.shape is None else f"{kind} {shape_text(value.shape)}"


def shape_text(shape) -> str:
    return (
        "["
        + ", ".join("?" if not isinstance(dim, int) and dim.value is None else str(dim) for dim in shape)
        + "]"
    )


def size_text(count: int) -> str:
    """A number of bytes with a unit of three decimal digits each."""
    for unit in ("bytes", "kB", "MB", "GB"):
        if count < 1000 or unit == "GB":
            return f"{count:.3g} {unit}" if unit != "bytes" else f"{count} {unit}"
        count /= 1000
    raise AssertionError


def tensor_text(tensor: ir.TensorProtocol) -> str:
    """Type and shape, and the elements where there are few of them, else their range."""
    text = f"{tensor.dtype.name.lower()} {shape_text(tensor.shape)}"
    if tensor.size == 0:
        return f"{text}, no elements"
    if tensor.size > LOOKED_INTO:
        return f"{text}, {size_text(tensor.nbytes)}"
    try:
        array = tensor.numpy()
    except Exception as error:  # a broken file behind an external tensor, or a type that NumPy has not
        return f"{text}, which cannot be read: {type(error).__name__}"
    if tensor.size <= SHOWN or tensor.dtype == ir.DataType.STRING:
        return f"{text}: {_elements(array)}"
    if array.dtype.kind == "c":
        return f"{text}, {size_text(tensor.nbytes)}"
    with np.errstate(all="ignore"):
        wide = array.astype(np.float64)
        figures = f"{wide.min():.4g} .. {wide.max():.4g}, mean {wide.mean():.4g}"
        zeros = np.count_nonzero(wide == 0) / wide.size
    return f"{text}, {size_text(tensor.nbytes)}, {figures}" + (
        f", {zeros:.0%} zeros" if zeros > 0.005 else ""
    )


def _elements(array: np.ndarray) -> str:
    shown = [_cut(_element(item), 60) for item in array.reshape(-1)[:SHOWN].tolist()]
    return ", ".join(shown) + (", …" if array.size > SHOWN else "")


def _element(item: object) -> str:
    if isinstance(item, bytes):
        return repr(item.decode("utf-8", "replace"))
    return f"{item:.6g}" if isinstance(item, float) else str(item)


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[: length - 1]}…"


def attribute_text(attribute: ir.Attr) -> str:
    """The value of an attribute; for a graph, what it contains."""
    if attribute.is_ref():
        return f"the attribute {attribute.ref_attr_name} of the function"
    value, kind = attribute.value, attribute.type
    if kind == ir.AttributeType.TENSOR:
        return tensor_text(value)
    if kind == ir.AttributeType.GRAPH:
        return f"a graph of {len(value)} nodes"
    if kind in (ir.AttributeType.INTS, ir.AttributeType.FLOATS, ir.AttributeType.STRINGS):
        texts = [_cut(_element(item), 60) for item in value[: 4 * SHOWN]]
        return "[" + ", ".join(texts) + (", …" if len(value) > 4 * SHOWN else "") + "]"
    if isinstance(value, (list, tuple)):
        return f"{len(value)} {kind.name.lower()}"
    return _cut(_element(value), 500)
