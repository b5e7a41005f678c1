# SPDX-License-Identifier: Apache-2.0
"""Reads and writes the protobuf of a model without its large weights.

protobuf holds the weights twice while it parses a file, and three times while one is written. Here they stay in the
file: a weight is read when a pass asks for its numbers, and the system copies it from file to file.

    file ── without large weights ──▶ protobuf ──▶ graph ──▶ protobuf ── with the weights in their places ──▶ file
"""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, TypeAlias

import numpy as np
import onnx
import onnx_ir as ir

LARGE = 4096  # bytes of a weight that stays in the file
WINDOW = 1 << 16  # bytes that are read at once to look for weights

# The fields in which weights lie, by the number of the field in its message: the message that it holds.
PARTS = {
    "model": {7: "graph"},
    "graph": {1: "node", 5: "tensor"},
    "node": {5: "attribute"},
    "attribute": {5: "tensor", 6: "graph", 11: "graph"},
    "tensor": {},
}
DIMS, DATA_TYPE, RAW_DATA, EXTERNAL_DATA, DATA_LOCATION = 1, 2, 9, 13, 14  # fields of a tensor
VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5  # how a field is written

Source = Callable[[int, int], bytes]  # gives the bytes from one place to another
Piece: TypeAlias = "bytes | ir.TensorProtocol"  # what lies in a file one after the other


class Odd(ValueError):
    """Not the protobuf of a model. protobuf itself says what is wrong with it."""


class InFile(ir.LazyTensor):
    """A weight that lies in a file. Each use of its numbers reads them; the file stays open."""

    def __init__(self, file: BinaryIO, offset: int, dtype: ir.DataType, shape: ir.Shape, **texts):
        super().__init__(self._read, dtype, shape, **texts)
        self.file, self.offset = file, offset

    def __repr__(self) -> str:
        return f"{self._repr_base()}({self.file.name!r}, {self.offset}, name={self.name!r})"

    def _read(self) -> ir.Tensor:
        data = os.pread(self.file.fileno(), self.nbytes, self.offset)
        if len(data) != self.nbytes:
            raise self._gone()
        array = np.frombuffer(data, self.dtype.numpy()).reshape(self.shape.numpy())
        return ir.Tensor(array, dtype=self.dtype, name=self.name)

    def _gone(self) -> ValueError:
        return ValueError(
            f"weight {self.name or ''!r} is no longer in {self.file.name}, which became shorter"
        )

    def tofile(self, file: BinaryIO) -> None:
        done = 0
        while done < self.nbytes:
            place, rest = self.offset + done, self.nbytes - done
            try:
                file.flush()
                sent = os.sendfile(file.fileno(), self.file.fileno(), place, rest)
            except (OSError, AttributeError):  # no file of a disk; writing says what is wrong with it
                sent = file.write(os.pread(self.file.fileno(), min(rest, WINDOW), place))
            if not sent:
                raise self._gone()
            done += sent


def first_bytes(tensor: ir.TensorProtocol, length: int) -> bytes | None:
    """The first bytes of a weight in a file; None for another one. To map them would bring megabytes around them."""
    if isinstance(tensor, InFile):
        return os.pread(tensor.file.fileno(), min(length, tensor.nbytes), tensor.offset)
    if isinstance(tensor, ir.ExternalTensor) and tensor.nbytes >= LARGE:
        with open(tensor.path, "rb") as file:
            return os.pread(file.fileno(), min(length, tensor.nbytes), tensor.offset or 0)
    return None


def _token() -> str:
    """A name that no file has by chance. `secrets` would bring OpenSSL, which takes 3 MB."""
    return os.urandom(12).hex()


def weights_of(model: ir.Model) -> list[ir.Value]:
    """The weights of all graphs."""
    return [value for graph in model.graphs() for value in graph.initializers.values()]


# --- reading ------------------------------------------------------------------------------------------------------


def load(path: Path) -> ir.Model | None:
    """Reads a model whose large weights stay in the file; None where the file is not a plain protobuf of a model."""
    if sys.byteorder != "little":
        return None
    file = path.open("rb")
    token = _token()

    def apart(source: Source, start: int, stop: int) -> list[Piece] | None:
        weight = _raw_data(source, start, stop)
        if weight is None:
            return None
        begin, inner, end = weight
        entries = {"location": token, "offset": str(inner), "length": str(end - inner)}
        message = onnx.TensorProto(data_location=onnx.TensorProto.EXTERNAL)
        for key, value in entries.items():
            message.external_data.add(key=key, value=value)
        return [source(start, begin), source(end, stop), message.SerializeToString()]

    size = os.fstat(file.fileno()).st_size
    try:
        made = _rewritten(_window(file), "model", 0, size, lambda inner, stop: stop - inner >= LARGE, apart)
    except (Odd, RecursionError):
        return None
    if made is None:
        return None
    model = ir.from_proto(onnx.ModelProto.FromString(b"".join(made)))
    _give_back(model, file, token)
    return model


def _window(file: BinaryIO) -> Source:
    window, place = b"", 0

    def source(start: int, stop: int) -> bytes:
        nonlocal window, place
        if not (place <= start and stop <= place + len(window)):
            if stop - start > WINDOW:
                return os.pread(file.fileno(), stop - start, start)
            window, place = os.pread(file.fileno(), WINDOW, start), start
        return window[start - place : stop - place]

    return source


def _raw_data(source: Source, start: int, stop: int) -> tuple[int, int, int] | None:
    """Where a large weight lies: its field, its first byte, its end. None for what protobuf shall read."""
    raw, dims, dtype = None, [], 0
    for number, wire, begin, inner, end in _fields(source, start, stop):
        if number in (EXTERNAL_DATA, DATA_LOCATION) or (number == RAW_DATA and raw is not None):
            return None
        if number == RAW_DATA and wire == BYTES:
            raw = begin, inner, end
        elif number == DATA_TYPE:
            dtype = _varint(source(inner, end), 0)[0]
        elif number == DIMS:
            data, place = source(inner, end), 0
            while place < len(data):
                dim, place = _varint(data, place)
                dims.append(dim)
    try:
        kind = ir.DataType(dtype)
    except ValueError:
        return None
    if raw is None or raw[2] - raw[1] < LARGE or kind in (ir.DataType.STRING, ir.DataType.UNDEFINED):
        return None
    if kind.bitwidth % 8 or math.prod(dims) * kind.bitwidth // 8 != raw[2] - raw[1]:
        return None
    return raw


def _give_back(model: ir.Model, file: BinaryIO, token: str) -> None:
    """Puts weights in the file in the places of the external ones that stand for them."""

    def real(tensor):
        if not isinstance(tensor, ir.ExternalTensor) or tensor.location != token:
            return None
        texts = {
            "name": tensor.name,
            "doc_string": tensor.doc_string,
            "metadata_props": tensor.metadata_props,
        }
        return InFile(file, tensor.offset, tensor.dtype, tensor.shape, **texts)

    for value in weights_of(model):
        value.const_value = real(value.const_value) or value.const_value
    for graph in model.graphs():
        for node in graph:
            for name, attribute in node.attributes.items():
                if attribute.type == ir.AttributeType.TENSOR and (tensor := real(attribute.value)):
                    node.attributes[name] = ir.AttrTensor(name, tensor, doc_string=attribute.doc_string)


# --- writing ------------------------------------------------------------------------------------------------------


def save(model: ir.Model, path: Path) -> None:
    """Writes a model with all weights in its file."""
    token = _token()
    weights: list[tuple[ir.Value, ir.TensorProtocol]] = []
    for value in weights_of(model):
        tensor = value.const_value
        # onnx_ir writes the metadata of a small weight twice.
        if tensor is not None and _is_raw(tensor) and (tensor.nbytes >= LARGE or tensor.metadata_props):
            weights.append((value, tensor))
    try:
        for index, (value, tensor) in enumerate(weights):
            texts = {
                "name": value.name,
                "doc_string": tensor.doc_string,
                "metadata_props": tensor.metadata_props,
            }
            stands = {"dtype": tensor.dtype, "shape": tensor.shape, **texts}
            value.const_value = ir.ExternalTensor(token, index, tensor.nbytes, **stands)
        body = ir.to_proto(model).SerializeToString()
    finally:
        for value, tensor in weights:
            value.const_value = tensor

    def filled(source: Source, start: int, stop: int) -> list[Piece] | None:
        message = onnx.TensorProto.FromString(source(start, stop))
        tensor = weights[int(onnx.external_data_helper.ExternalDataInfo(message).offset or 0)][1]
        message.ClearField("external_data")
        message.ClearField("data_location")
        return [message.SerializeToString(), _head(RAW_DATA, tensor.nbytes), tensor]

    mark = token.encode()

    def marked(inner: int, stop: int) -> bool:
        return body.find(mark, inner, stop) >= 0

    pieces = _rewritten(lambda start, stop: body[start:stop], "model", 0, len(body), marked, filled)
    _write([body] if pieces is None else pieces, path)


def _is_raw(tensor: ir.TensorProtocol) -> bool:
    """Whether the bytes of a tensor go to `raw_data`. A protobuf may hold others in fewer bytes."""
    proto = getattr(tensor, "raw", None)
    if isinstance(proto, onnx.TensorProto):
        return proto.HasField("raw_data")
    return tensor.dtype != ir.DataType.STRING and not isinstance(tensor, ir.ExternalTensor)


def _write(pieces: list[Piece], path: Path) -> None:
    """Writes pieces to a file. An old file is replaced at the end, since weights may come from it."""
    target = path.resolve()
    if target.exists() and not target.is_file():  # a device
        with target.open("wb", buffering=0) as file:
            for piece in pieces:
                file.write(piece if isinstance(piece, bytes) else piece.tobytes())
        return
    part = target.with_name(f".{target.name}.{_token()}.part")
    try:
        with part.open("wb") as file:
            for piece in pieces:
                if isinstance(piece, bytes):
                    file.write(piece)
                else:
                    piece.tofile(file)
        if target.exists():
            part.chmod(target.stat().st_mode)
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)


# --- protobuf -----------------------------------------------------------------------------------------------------


def _rewritten(source: Source, kind: str, start: int, stop: int, relevant, change) -> list[Piece] | None:
    """The pieces of a message in which weights are changed; None where nothing changes.

    relevant: whether a weight may lie between two places.
    change: gives the pieces of a tensor's message; None where it stays.
    """
    if kind == "tensor":
        return change(source, start, stop)
    parts, pieces, kept = PARTS[kind], [], start
    for number, wire, begin, inner, end in _fields(source, start, stop):
        what = parts.get(number) if wire == BYTES else None
        if what is None or not relevant(inner, end):
            continue
        made = _rewritten(source, what, inner, end, relevant, change)
        if made is None:
            continue
        length = sum(len(piece) if isinstance(piece, bytes) else piece.nbytes for piece in made)
        pieces += [source(kept, begin), _head(number, length), *made]
        kept = end
    return [*pieces, source(kept, stop)] if pieces else None


def _fields(source: Source, start: int, stop: int) -> Iterator[tuple[int, int, int, int, int]]:
    """The fields of a message: number, how it is written, where it begins, where its content begins and ends."""
    place = start
    while place < stop:
        head = source(place, min(place + 20, stop))
        key, used = _varint(head, 0)
        number, wire = key >> 3, key & 7
        inner = place + used
        if wire == VARINT:
            end = place + _varint(head, used)[1]
        elif wire == BYTES:
            length, used = _varint(head, used)
            inner = place + used
            end = inner + length
        elif wire in (FIXED64, FIXED32):
            end = inner + (8 if wire == FIXED64 else 4)
        else:
            raise Odd(f"a field is written in way {wire}")
        if end > stop or not number:
            raise Odd("a field ends behind its message")
        yield number, wire, place, inner, end
        place = end


def _varint(data: bytes, place: int) -> tuple[int, int]:
    """A number and the place behind it."""
    value = 0
    for shift in range(0, 70, 7):
        if place >= len(data):
            raise Odd("a number ends behind its message")
        byte = data[place]
        value |= (byte & 127) << shift
        place += 1
        if byte < 128:
            return value, place
    raise Odd("a number is too long")


def _head(number: int, length: int) -> bytes:
    """What stands in front of the content of a field."""
    return _as_varint(number << 3 | BYTES) + _as_varint(length)


def _as_varint(value: int) -> bytes:
    made = bytearray()
    while value > 127:
        made.append(value & 127 | 128)
        value >>= 7
    made.append(value)
    return bytes(made)
