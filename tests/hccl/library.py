# SPDX-License-Identifier: Apache-2.0
"""The C interfaces of ACL and HCCL as Python calls them, with NumPy arrays in place of device memory."""

from __future__ import annotations

import ctypes
import json
from ctypes import byref, c_char, c_int32, c_uint32, c_uint64, c_void_p

import ml_dtypes
import numpy as np

from ascend_vision_ops.paths import library_dir

TYPES = {
    "int8": 0,
    "int16": 1,
    "int32": 2,
    "float16": 3,
    "float32": 4,
    "int64": 5,
    "uint64": 6,
    "uint8": 7,
    "uint16": 8,
    "uint32": 9,
    "float64": 10,
    "bfloat16": 11,
}
MOVED = {"float8_e4m3fn": 15, "float8_e5m2": 16}  # types that cannot be reduced
OPS = {"sum": 0, "prod": 1, "max": 2, "min": 3}
SUCCESS, E_PARA, E_PTR, E_NOT_SUPPORT, E_TIMEOUT, E_RUNTIME, E_REMOTE = 0, 1, 2, 5, 9, 15, 21
ROOT_INFO_BYTES = 4108
HOST_TO_DEVICE, DEVICE_TO_HOST = 1, 2

ascendcl = ctypes.CDLL(str(library_dir() / "libascendcl.so"), ctypes.RTLD_GLOBAL)
hccl = ctypes.CDLL(str(library_dir() / "libhccl.so"), ctypes.RTLD_GLOBAL)
ascendcl.aclGetRecentErrMsg.restype = ctypes.c_char_p
hccl.simHcclTraffic.restype = ctypes.c_char_p
hccl.HcclGetErrorString.restype = ctypes.c_char_p


class Failed(RuntimeError):
    def __init__(self, call, code):
        self.code = code
        super().__init__(f"{call}: {code}: {(ascendcl.aclGetRecentErrMsg() or b'').decode()}")


def dtype(name: str) -> np.dtype:
    return np.dtype(getattr(ml_dtypes, name, None) or name)


def number(kind: np.dtype) -> int:
    return {**TYPES, **MOVED}[kind.name]


def check(call: str, *arguments) -> None:
    if code := getattr(hccl if call.startswith("Hccl") else ascendcl, call)(*arguments):
        raise Failed(call, code)


class Config(ctypes.Structure):
    """HcclCommConfig, up to the time limit of calls."""

    _fields_ = (
        ("size", ctypes.c_size_t),
        ("magic", c_uint32),
        ("version", c_uint32),
        ("reserved", c_uint64),
        ("hcclBufferSize", c_uint32),
        ("hcclDeterministic", c_uint32),
        ("hcclCommName", c_char * 128),
        ("hcclUdi", c_char * 128),
        ("hcclOpExpansionMode", c_uint32),
        ("hcclRdmaTrafficClass", c_uint32),
        ("hcclRdmaServiceLevel", c_uint32),
        ("hcclWorldRankID", c_uint32),
        ("hcclJobID", c_uint64),
        ("aclGraphZeroCopyEnable", ctypes.c_uint8),
        ("hcclExecTimeOut", c_int32),
    )

    def __init__(self, name: str = "", seconds: int = -1):
        super().__init__(size=ctypes.sizeof(Config), hcclCommName=name.encode(), hcclExecTimeOut=seconds)


class Item(ctypes.Structure):
    """HcclSendRecvItem"""

    _fields_ = (
        ("sendRecvType", c_int32),
        ("buf", c_void_p),
        ("count", c_uint64),
        ("dataType", c_int32),
        ("remoteRank", c_uint32),
    )


def root_info() -> bytes:
    info = (c_char * ROOT_INFO_BYTES)()
    check("HcclGetRootInfo", info)
    return bytes(info)


def numbers(values):
    return (c_uint64 * len(values))(*values)


def traffic() -> list[dict]:
    return json.loads(hccl.simHcclTraffic())


class Rank:
    """One rank: its device, a stream and its communicator. The calls return what the rank receives."""

    def __init__(self, device: int, comm: int | None = None):
        self.device = device
        self.comm = c_void_p(comm)
        self.stream = c_void_p()
        self.use()
        check("aclrtCreateStream", byref(self.stream))

    @classmethod
    def join(cls, ranks: int, info: bytes, rank: int, device: int = 0, config: Config | None = None):
        self = cls(device)
        if config is None:
            check("HcclCommInitRootInfo", c_uint32(ranks), info, c_uint32(rank), byref(self.comm))
        else:
            arguments = (c_uint32(ranks), info, c_uint32(rank), byref(config), byref(self.comm))
            check("HcclCommInitRootInfoConfig", *arguments)
        return self

    @classmethod
    def all(cls, devices: list[int]) -> list[Rank]:
        comms = (c_void_p * len(devices))()
        check("HcclCommInitAll", c_uint32(len(devices)), (c_int32 * len(devices))(*devices), comms)
        return [cls(device, comm) for device, comm in zip(devices, comms, strict=True)]

    def use(self):
        check("aclrtSetDevice", c_int32(self.device))

    def put(self, array: np.ndarray) -> c_void_p:
        """A copy of an array in device memory."""
        self.use()
        array, address = np.ascontiguousarray(array), c_void_p()
        check("aclrtMalloc", byref(address), c_uint64(max(1, array.nbytes)), 0)
        if array.nbytes:
            check(
                "aclrtMemcpy",
                address,
                c_uint64(array.nbytes),
                c_void_p(array.ctypes.data),
                c_uint64(array.nbytes),
                1,
            )
        return address

    def get(self, address: c_void_p, like: np.ndarray) -> np.ndarray:
        self.use()
        array = np.empty_like(like)
        if array.nbytes:
            check(
                "aclrtMemcpy",
                c_void_p(array.ctypes.data),
                c_uint64(array.nbytes),
                address,
                c_uint64(array.nbytes),
                2,
            )
        return array

    def call(self, name: str, *arguments, stream: c_void_p | None = None) -> None:
        """Queues a call; numbers that are not wrapped are 64-bit counts."""
        self.use()
        wrapped = [c_uint64(value) if isinstance(value, int) else value for value in arguments]
        check(name, *wrapped, self.comm, stream or self.stream)

    def synchronize(self) -> None:
        self.use()
        check("aclrtSynchronizeStreamWithTimeout", self.stream, c_int32(60_000))

    def error(self) -> int:
        code = c_int32()
        check("HcclGetCommAsyncError", self.comm, byref(code))
        return code.value

    def name(self) -> str:
        text = (c_char * 128)()
        check("HcclGetCommName", self.comm, text)
        return text.value.decode()

    def destroy(self) -> None:
        check("HcclCommDestroy", self.comm)
