# SPDX-License-Identifier: Apache-2.0
"""Reads the keys of a contract. Each module reads one group of keys and gives the part of the Spec that they state.

    document.py       the YAML file: plain values, the line of each, and the problems found
    keys.py           which keys exist, which are required, and what kind of value each holds
    signature.py      schema, internal
    entry_points.py   aclnn, unbatched
    tensors.py        dtypes, cpu_dtypes, formats, shape, let, dynamic
    conditions.py     require
    device.py         soc, kernel, workspace, tiling_keys, flops
    tolerance.py      tolerance
    gradients.py      backward
    transforms.py     vmap, autocast, memory_format
    onnx_nodes.py     onnx
    composites.py     composite, rows
    documentation.py  summary, details, parameters, source, divergence, example

A reader reports every problem to the document and returns a value that the next reader can work with, so that one run
finds all problems of a contract.
"""
