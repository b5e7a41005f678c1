# SPDX-License-Identifier: Apache-2.0
"""Names of custom nodes: with a domain, as ONNX Runtime knows them, or without, as Ascend's ATC takes them.

ATC accepts a model with one operator set, so a custom node there has no domain, and its name must be none of ONNX's
or CANN's: ``mmcv::NonMaxSuppression`` would become ONNX's. A name for ATC is the domain's in front of the node's, each
word with a capital: ``MmcvNonMaxSuppression``, ``AscendVisionOpsCornerPool``; one that begins with its domain, as
``MMCVRoiAlign`` of mmcv, stays.
"""

from __future__ import annotations

import ascend_vision_ops.onnx._needs  # noqa: F401

# isort: split
import onnx
import onnx_ir as ir

from ascend_vision_ops.onnx import domains, nodes
from ascend_vision_ops.opgen.model import atc_name, camel

# ONNX operators that ATC converts for Ascend devices, of CANN 8.0's "list of supported ONNX operators"; in lower case,
# since the list spells some of them its own way.
_ATC = """
abs acos acosh adaptiveavgpool2d adaptivemaxpool2d add addcmul affinegrid and argmax argmin ascendantiquant
ascenddequant ascendquant ascendrequant asin asinh atan atanh averagepool batchmatmul batchmulticlassnms
batchnormalization bitshift bitwiseand bitwisenot bitwiseor bitwisexor cast ceil celu clip compress concat constant
constantofshape conv convtranspose cos cosh cumsum deformableconv2d depthtospace det div dropout dynseqouter einsum
elu embeddingbag equal erf exp expand eyelike flatten floor gather gatherelements gathernd gemm globalaveragepool
globallppool globalmaxpool greater greaterorequal gridsample gru hardmax hardsigmoid hardswish identity if
instancenormalization isinf isnan layernormalization leakyrelu less lessorequal log logsoftmax lpnormalization
lppool lrn lstm lstmp matmul max maxpool maxroipool maxunpool mean meanvariancenormalization min mod
movingsumwithsigmoid mul multinomial neg nonmaxsuppression nonzero not onehot or pad pow prelu randomnormal
randomnormallike randomuniform randomuniformlike range reciprocal reducel1 reducel2 reducelogsum reducelogsumexp
reducemax reducemean reducemin reduceprod reducesum reducesumsquare relu reshape resize reversesequence roialign
roiextractor round scatter scatterelements scatternd selu shape shrink sigmoid sign sin sinh size slice softmax
softmaxcrossentropyloss softplus softsign spacetodepth split sqrt squeeze sub sum tan tanh tfidfvectorizer
thresholdedrelu tile topk transpose trilu unsqueeze where xor
"""
ATC_OPERATORS = frozenset(_ATC.split())
ATC_OPSET = 18  # the newest that ATC reads


def atc_runs(domain: str, op_type: str) -> bool:
    """Whether ATC converts a standard node by itself."""
    return domain == "" and op_type.lower() in ATC_OPERATORS


def names_of_ours() -> set[tuple[str, str]]:
    """Domain and type of all nodes that mean one of our operators."""
    return {(node.domain, node.name) for node in nodes()}


def from_atc_name(op_type: str) -> tuple[str, str] | None:
    """Domain and type of a node under its ATC name; None for other names.

    Where a type begins with a small letter, as ``mmcv::cummax``, the contracts say so; others begin with a capital.
    """
    ours = {atc_name(*key): key for key in sorted(names_of_ours())}
    if op_type in ours:
        return ours[op_type]
    for domain in domains():
        for known in (op_type.removeprefix(camel(domain)), op_type):
            if known and atc_name(domain, known) == op_type:
                return domain, known
    return None


def needs_domains(model: ir.Model) -> bool:
    """Whether nodes have the names that ATC knows them by."""
    return any(_known(node) for node in model.graph.all_nodes())


def _known(node: ir.Node) -> tuple[str, str] | None:
    return None if node.domain or onnx.defs.has(node.op_type) else from_atc_name(node.op_type)


def give_domains(model: ir.Model) -> int:
    """Custom nodes get their domain and type back, in place; how many."""
    count = 0
    for node in model.graph.all_nodes():
        known = _known(node)
        if known is not None:
            node.domain, node.op_type = known
            model.graph.opset_imports.setdefault(node.domain, 1)
            count += 1
    return count
