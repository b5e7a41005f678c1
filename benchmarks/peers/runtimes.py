# SPDX-License-Identifier: Apache-2.0
"""ONNX Runtime and OpenVINO, which run models, with as many threads as torch has.

Both keep the memory of their results from call to call: ONNX Runtime in its arena, OpenVINO in the request.
"""

from __future__ import annotations

import torch

from ascend_vision_ops.testing.run import from_torch, to_torch
from benchmarks.peers import Peer


def node(
    operator: str,
    feeds: dict,
    constants: dict | None = None,
    opset: int = 20,
    order=None,
    results=1,
    **attributes,
):
    """Gives the contestants "onnxruntime" and "openvino" for a model of one ONNX node.

    Args:
        feeds, constants: torch tensors by the names of the node's inputs; constants are part of the model
        order: names of the inputs in the node's order, '' for an input that is left out; by default feeds, then
            constants
    """
    both = {**feeds, **(constants or {})}

    def model() -> bytes:
        from onnx import helper, numpy_helper

        def info(name, tensor):
            kind = helper.np_dtype_to_tensor_dtype(from_torch(tensor).dtype)
            return helper.make_tensor_value_info(name, kind, list(tensor.shape))

        outputs = [f"result{i}" for i in range(results)]
        graph = helper.make_graph(
            [helper.make_node(operator, order or list(both), outputs, **attributes)],
            operator,
            [info(name, tensor) for name, tensor in feeds.items()],
            [helper.make_empty_tensor_value_info(name) for name in outputs],
            [numpy_helper.from_array(from_torch(tensor), name) for name, tensor in (constants or {}).items()],
        )
        made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)
        return made.SerializeToString()

    return {"onnxruntime": onnxruntime(model, feeds), "openvino": openvino(model, feeds)}


def handed(*tensors: torch.Tensor) -> str:
    """Says what a peer that takes dense arrays alone is given for these tensors."""
    return "" if all(tensor.is_contiguous() for tensor in tensors) else "dense copies"


def onnxruntime(model, feeds: dict) -> Peer:
    """Creates a session for a model; `model()` gives its bytes."""

    def make():
        import onnxruntime as runtime

        options = runtime.SessionOptions()
        options.intra_op_num_threads = torch.get_num_threads()
        options.inter_op_num_threads = 1
        # Idle threads that spin would take time from other contestants.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        session = runtime.InferenceSession(model(), options, providers=["CPUExecutionProvider"])
        binding = session.io_binding()
        arrays = {name: from_torch(tensor.contiguous()) for name, tensor in feeds.items()}
        for name, array in arrays.items():
            binding.bind_cpu_input(name, array)
        for output in session.get_outputs():
            binding.bind_output(output.name, "cpu")

        def call():
            session.run_with_iobinding(binding)
            return binding

        call.arrays = arrays  # the binding reads its memory
        return call

    def read(binding):
        return tuple(to_torch(value) for value in binding.copy_outputs_to_cpu())

    return Peer(make, read, handed(*feeds.values()))


def openvino(model, feeds: dict) -> Peer:
    """Creates a request for a compiled model; `model()` gives its bytes as ONNX, or an openvino.Model."""

    def make():
        import openvino as ov

        core = ov.Core()
        made = model()
        read = core.read_model(made) if isinstance(made, bytes) else made
        # Without this hint, OpenVINO may compute half types and float32 in bfloat16.
        precision = {torch.float16: "f16", torch.bfloat16: "bf16"}.get(
            next(iter(feeds.values())).dtype, "f32"
        )
        compiled = core.compile_model(
            read,
            "CPU",
            {
                "INFERENCE_NUM_THREADS": torch.get_num_threads(),
                "NUM_STREAMS": 1,
                "INFERENCE_PRECISION_HINT": precision,
                "ENABLE_CPU_PINNING": False,
            },
        )
        request = compiled.create_infer_request()
        arrays = [from_torch(tensor.contiguous()) for tensor in feeds.values()]
        for i, array in enumerate(arrays):
            if array.dtype.name == "bfloat16":
                request.set_input_tensor(i, ov.Tensor(array.view("int16"), list(array.shape), ov.Type.bf16))
            else:
                request.set_input_tensor(i, ov.Tensor(array, shared_memory=True))

        def call():
            request.infer()
            return request

        call.arrays = arrays  # the request reads its memory
        return call

    return Peer(make, _results, handed(*feeds.values()))


def element_type(dtype: torch.dtype):
    """Gives OpenVINO's element type for a floating dtype."""
    import openvino as ov

    return {torch.float32: ov.Type.f32, torch.float16: ov.Type.f16, torch.bfloat16: ov.Type.bf16}[dtype]


def constant(tensor):
    """Makes a node of OpenVINO that holds a floating tensor."""
    from openvino import opset8

    wide = opset8.constant(tensor.float().numpy())
    return (
        wide
        if tensor.dtype == torch.float32
        else opset8.convert(wide, element_type(tensor.dtype).get_type_name())
    )


def _results(request) -> tuple:
    tensors = (request.get_output_tensor(i) for i in range(len(request.model_outputs)))
    return tuple(
        to_torch(tensor.data.copy()) if tensor.element_type.get_type_name() != "bf16"
        else torch.from_numpy(tensor.data.view("int16").copy()).view(torch.bfloat16)
        for tensor in tensors
    )  # fmt: skip
