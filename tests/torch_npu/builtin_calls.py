# SPDX-License-Identifier: Apache-2.0
"""Calls of torch that reach the built-in operators: the names of aclnn functions, and an expression that calls them.

The expressions see `values()`, torch, F, and the functions below. One that needs a gradient uses `grads`.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
import torch_npu


def values(device: torch.device | str) -> dict[str, object]:
    """Makes the tensors that the expressions use, each time the same ones."""
    generator = torch.Generator().manual_seed(7)

    def rand(*shape: int) -> torch.Tensor:
        return (torch.rand(shape, generator=generator) + 0.1).to(device)

    x, y, z = rand(5, 6), rand(5, 6), rand(5, 6)
    return {
        "x": x, "y": y, "z": z, "v": rand(6), "w": rand(5), "square": rand(4, 4) + 4 * torch.eye(4, device=device),
        "unit": x / 1.2, "s": x - 0.6, "t": y - 0.6, "i": (x * 4).long(), "j": (y * 4).long() + 1,
        "p": x > 0.6, "q": y > 0.6, "line": rand(2, 3, 8), "image": rand(2, 4, 6, 8), "volume": rand(1, 2, 4, 5, 6),
        "batch": rand(3, 5, 6), "batch2": rand(3, 6, 5), "device": torch.device(device),
        "lists": [list(pair) for pair in ((x, y), (y, z), (z, x))],
        "dim": torch.tensor([0, 2, 1], device=device),
    }  # fmt: skip


def grads(function, *tensors: torch.Tensor):
    """Calls the function; returns its first result and the gradients of all tensors."""
    leaves = [tensor.detach().clone().requires_grad_() for tensor in tensors]
    result = function(*leaves)
    result = result if isinstance(result, torch.Tensor) else result[0]
    weights = torch.linspace(0.5, 1.5, result.numel()).reshape(result.shape).to(result.device, result.dtype)
    return result.detach(), torch.autograd.grad(result, leaves, weights, allow_unused=True)


def ours(function, meaning):
    """Makes a function that calls an operator of torch_npu on npu tensors, and its meaning on others."""
    return lambda *tensors: (function if tensors[0].device.type == "npu" else meaning)(*tensors)


def logits_loss(x: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    return F.binary_cross_entropy_with_logits(x, target.detach())


def alignment_loss(x: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    return F.ctc_loss(x.log_softmax(2), targets, (5, 5, 5), (3, 2, 1))


def swiglu(x: torch.Tensor) -> torch.Tensor:
    gate, value = x.chunk(2, -1)
    return F.silu(gate) * value


def rms_norm(x: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
    return F.rms_norm(x, weight.shape, weight, 1e-6)


def unscaled(tensors: list[torch.Tensor], *, infinite: bool):
    """Divides gradients by a scale, as GradScaler does; returns them and whether one is infinite."""
    made = [tensor.clone() for tensor in tensors]
    if infinite:
        made[0][0, 0] = float("inf")
    found = torch.zeros(1, device=made[0].device)
    torch._amp_foreach_non_finite_check_and_unscale_(made, found, torch.full((1,), 0.25, device=found.device))
    return found if infinite else (made, found)


def rescaled(found: float, steps: int, device: torch.device, scale: float = 8.0):
    """Makes GradScaler's next scale after `steps` steps without an overflow."""
    scale, tracker = (
        torch.full((1,), scale, device=device),
        torch.full((1,), steps, dtype=torch.int32, device=device),
    )
    torch._amp_update_scale_(scale, tracker, torch.full((1,), found, device=device), 2.0, 0.5, 4)
    return scale, tracker


def _methods(text: str, form: str = "x.{}()") -> dict[str, str]:
    """Reads pairs of a name and a method."""
    return {
        name: form.format(method)
        for name, method in (pair.split(":") for pair in text.replace("\n", " ").split())
    }


def _lines(text: str) -> dict[str, str]:
    return dict(line.split(": ", 1) for line in text.strip().splitlines())


UNARY = _methods("""Abs:abs AngleV2:angle Ceil:ceil Cos:cos Cosh:cosh Erf:erf Erfc:erfc Exp:exp Exp2:exp2 Expm1:expm1
    Floor:floor Frac:frac Log:log Log10:log10 Log1p:log1p Log2:log2 Neg:neg Reciprocal:reciprocal Round:round
    Rsqrt:rsqrt Sigmoid:sigmoid Sign:sign Signbit:signbit Sin:sin Sinc:sinc Sinh:sinh Sqrt:sqrt Tan:tan Tanh:tanh
    Trunc:trunc IsNegInf:isneginf IsPosInf:isposinf IsFinite:isfinite LogicalNot:logical_not Asinh:asinh Atan:atan
    Relu:relu""") | _methods("Acos:acos Asin:asin Atanh:atanh Erfinv:erfinv Logit:logit", "unit.{}()")
INPLACE_UNARY = _methods(
    """InplaceCeil:ceil InplaceCos:cos InplaceCosh:cosh InplaceErf:erf InplaceErfc:erfc InplaceExp:exp
    InplaceExp2:exp2 InplaceExpm1:expm1 InplaceFloor:floor InplaceFrac:frac InplaceLog:log InplaceLog10:log10
    InplaceLog1p:log1p InplaceLog2:log2 InplaceReciprocal:reciprocal InplaceRsqrt:rsqrt InplaceSigmoid:sigmoid
    InplaceSin:sin InplaceSinc:sinc InplaceSinh:sinh InplaceSqrt:sqrt InplaceTan:tan InplaceTanh:tanh
    InplaceLogicalNot:logical_not InplaceAsinh:asinh InplaceAtan:atan InplaceRelu:relu InplaceZero:zero""",
    "x.{}_()",
) | _methods("InplaceAcos:acos InplaceAsin:asin InplaceAtanh:atanh InplaceErfinv:erfinv", "unit.{}_()")
ACTIVATIONS = _lines("""
Silu SiluBackward: grads(F.silu, s)
Gelu GeluBackward: grads(F.gelu, s)
Mish MishBackward: grads(F.mish, s)
InplaceMish: F.mish(s, inplace=True)
Hardsigmoid HardsigmoidBackward: grads(F.hardsigmoid, s)
InplaceHardsigmoid: F.hardsigmoid(s, inplace=True)
Hardswish HardswishBackwardV2: grads(F.hardswish, s * 4)
InplaceHardswish: F.hardswish(s, inplace=True)
Hardshrink HardshrinkBackward: grads(F.hardshrink, s)
Softshrink SoftshrinkBackward: grads(F.softshrink, s)
Softplus SoftplusBackward: grads(F.softplus, s)
Celu: F.celu(s, 1.5)
InplaceCelu: F.celu_(s, 1.5)
Elu EluBackward: grads(F.elu, s)
InplaceElu: F.elu_(s)
Glu GluBackward: grads(F.glu, s)
Hardtanh HardtanhBackward: grads(lambda a: F.hardtanh(a, -0.2, 0.3), s)
InplaceHardtanh: F.hardtanh_(s, -0.2, 0.3)
LeakyRelu LeakyReluBackward: grads(F.leaky_relu, s)
InplaceLeakyRelu: F.leaky_relu_(s)
LogSigmoidForward LogSigmoidBackward: grads(F.logsigmoid, s)
GeluV2 GeluBackwardV2: grads(ours(torch_npu.npu_gelu, F.gelu), s)
SwiGlu SwiGluGrad: grads(ours(torch_npu.npu_swiglu, swiglu), s)
FastGelu FastGeluBackward: grads(ours(torch_npu.npu_fast_gelu, lambda a: a * torch.sigmoid(1.702 * a)), s)
Threshold ThresholdBackward: grads(lambda a: F.threshold(a, 0.1, 20), s)
InplaceThreshold: F.threshold_(s, 0.1, 20)
Prelu PreluBackward: grads(F.prelu, s, v)
SigmoidBackward: grads(torch.sigmoid, s)
TanhBackward: grads(torch.tanh, s)
LogitGrad: grads(lambda a: torch.logit(a, 1e-6), unit)
Softmax SoftmaxBackward: grads(lambda a: F.softmax(a, 1), s)
LogSoftmax LogSoftmaxBackward: grads(lambda a: F.log_softmax(a, 0), s)
""")
LOSSES = _lines("""
L1Loss L1LossBackward: grads(F.l1_loss, x, y)
MseLoss MseLossBackward: grads(F.mse_loss, x, y)
SmoothL1Loss SmoothL1LossBackward: grads(F.smooth_l1_loss, x, y)
SoftMarginLoss SoftMarginLossBackward: grads(lambda a: F.soft_margin_loss(a, p.float() * 2 - 1), x)
BinaryCrossEntropy BinaryCrossEntropyBackward: grads(lambda a: F.binary_cross_entropy(a, unit, v), unit)
BinaryCrossEntropyWithLogits BinaryCrossEntropyWithLogitsBackward: grads(lambda a: logits_loss(a, unit), s)
KlDivTargetBackward: grads(lambda a: F.kl_div(s, a, reduction='mean'), unit)
KlDiv KlDivBackward: grads(lambda a: F.kl_div(a, unit, reduction='mean'), s)
NLLLoss NLLLossBackward: grads(lambda a: F.nll_loss(a, i[:, 0]), s)
NLLLoss2d NLLLoss2dBackward: grads(lambda a: F.nll_loss(a, (image[:, 0] * 3).long()), image)
MultilabelMarginLoss: F.multilabel_margin_loss(x, i)
CtcLoss CtcLossBackward: grads(lambda a: alignment_loss(a, j[:3, :3] % 5 + 1), batch.transpose(0, 1))
""")
ARITHMETIC = _lines("""
Add: torch.add(x, y, alpha=2)
Adds: x + 2
InplaceAdd: x.add_(y, alpha=2)
InplaceAdds: x.add_(3)
Sub: torch.sub(x, y, alpha=2)
Subs: x - 2
InplaceSub: x.sub_(y)
InplaceSubs: x.sub_(2)
Rsub: torch.rsub(x, y, alpha=2)
Rsubs: 2 - x
Mul: x * y
Muls: x * 3
InplaceMul: x.mul_(y)
InplaceMuls: x.mul_(3)
Div: x / y
Divs: x / 3
InplaceDiv: x.div_(y)
InplaceDivs: x.div_(3)
DivMod: torch.div(x * 9, y, rounding_mode='floor')
DivMods: torch.div(s * 9, 2, rounding_mode='trunc')
InplaceDivMod: x.mul_(9).div_(t, rounding_mode='trunc')
InplaceDivMods: s.mul_(9).div_(2, rounding_mode='floor')
FloorDivide: torch.floor_divide(i, j)
FloorDivides: torch.floor_divide(i, 2)
InplaceFloorDivide: i.floor_divide_(j)
InplaceFloorDivides: i.floor_divide_(2)
FmodTensor: torch.fmod(s * 9, y)
FmodScalar: torch.fmod(s * 9, 2)
InplaceFmodTensor: s.mul_(9).fmod_(y)
InplaceFmodScalar: s.mul_(9).fmod_(2)
RemainderTensorTensor: torch.remainder(s * 9, y)
RemainderTensorScalar: torch.remainder(s * 9, 2)
RemainderScalarTensor: torch.remainder(3, y)
InplaceRemainderTensorTensor: s.mul_(9).remainder_(y)
InplaceRemainderTensorScalar: s.mul_(9).remainder_(2)
PowTensorScalar: x ** 2.5
PowTensorTensor: x ** y
PowScalarTensor: 2.5 ** x
InplacePowTensorScalar: x.pow_(2.5)
InplacePowTensorTensor: x.pow_(y)
Atan2: torch.atan2(s, t)
InplaceAtan2: s.atan2_(t)
Gcd: torch.gcd(i * 6, j * 4)
LogAddExp: torch.logaddexp(x, y)
LogAddExp2: torch.logaddexp2(x, y)
XLogYTensor: torch.xlogy(x, y)
XLogYScalarOther: torch.xlogy(x, 3)
XLogYScalarSelf: torch.xlogy(3, x)
InplaceXLogYScalarOther: x.xlogy_(3)
Maximum: torch.maximum(x, y)
Minimum: torch.minimum(x, y)
Addcmul: torch.addcmul(x, y, z, value=2)
Addcdiv: torch.addcdiv(x, y, z, value=2)
InplaceAddcmul: x.addcmul_(y, z, value=2)
InplaceAddcdiv: x.addcdiv_(y, z, value=2)
Lerp: torch.lerp(x, y, z)
Lerps: torch.lerp(x, y, 0.3)
InplaceLerp: x.lerp_(y, z)
InplaceLerps: x.lerp_(y, 0.3)
Clamp: x.clamp(0.3, 0.8)
ClampMin: x.clamp_min(0.3)
ClampMax: x.clamp_max(0.3)
ClampTensor: x.clamp(y, z)
ClampMinTensor: torch.clamp_min(x, y)
ClampMaxTensor: torch.clamp_max(x, y)
InplaceClampMax: x.clamp_max_(0.3)
InplaceClampMinTensor: x.clamp_min_(y)
InplaceClampMaxTensor: x.clamp_max_(y)
NanToNum: torch.nan_to_num(x / (x > 0.5), 1.5, 7.0, -7.0)
InplaceNanToNum: (x / (x > 0.5)).nan_to_num_(1.5, 7.0, -7.0)
RoundDecimals: torch.round(x, decimals=1)
InplaceRoundDecimals: x.round_(decimals=1)
SWhere: torch.where(p, x, y)
Complex: torch.view_as_real(torch.complex(x, y))
Polar: torch.view_as_real(torch.polar(x, y))
IsClose: torch.isclose(x, y, 0.1, 0.1)
Equal: torch.equal(x, x.clone())
LogicalAnd: torch.logical_and(p, q)
LogicalOr: torch.logical_or(p, q)
LogicalXor: torch.logical_xor(p, q)
InplaceLogicalAnd: p.logical_and_(q)
InplaceLogicalOr: p.logical_or_(q)
BitwiseNot: ~i
BitwiseAndTensor: i & j
BitwiseAndScalar: i & 3
BitwiseOrTensor: i | j
BitwiseOrScalar: i | 3
BitwiseXorTensor: i ^ j
BitwiseXorScalar: i ^ 3
InplaceBitwiseAndTensor: i.bitwise_and_(j)
InplaceBitwiseAndScalar: i.bitwise_and_(3)
InplaceBitwiseXorTensor: i.bitwise_xor_(j)
InplaceBitwiseXorScalar: i.bitwise_xor_(3)
LeftShift: i.int() << j.int()
LeftShifts: i.int() << 2
Acosh: (x + 1).acosh()
InplaceAcosh: (x + 1).acosh_()
AddRelu: torch._add_relu(s, t)
InplaceAddRelu: torch._add_relu_(s, t)
RightShift: i.int() >> j.int()
""")
for _name, _method in (("Eq", "eq"), ("Ne", "ne"), ("Gt", "gt"), ("Ge", "ge"), ("Lt", "lt"), ("Le", "le")):
    ARITHMETIC |= {
        f"{_name}Tensor": f"x.{_method}(y)", f"{_name}Scalar": f"x.{_method}(0.6)",
        f"Inplace{_name}Tensor": f"x.{_method}_(y)", f"Inplace{_name}Scalar": f"x.{_method}_(0.6)",
    }  # fmt: skip
_UNARY_LISTS = """Abs Acos Asin Atan Cos Cosh Erf Erfc Exp Expm1 Log Log10 Log1p Log2 Neg Reciprocal Sigmoid Sign Sin
    Sinh Sqrt Tan Tanh"""
FOREACH = {
    f"Foreach{name}": f"torch._foreach_{name.lower()}({'lists[0]' if name not in ('Acos', 'Asin') else '[unit, unit]'})"
    for name in _UNARY_LISTS.split()
} | {
    f"Foreach{name}{form}": f"torch._foreach_{name.lower()}(lists[0], {second})"
    for name in ["Add", "Sub", "Mul", "Div", "Maximum", "Minimum", "Pow"]
    for form, second in {
        "ListV2" if name in ("Add", "Sub") else "List": "lists[1]", "ScalarV2": "2.5", "ScalarList": "[0.5, 2.0]",
    }.items()
} | _lines("""
ForeachAddcdivScalarV2: torch._foreach_addcdiv(*lists, 2.0)
ForeachAddcmulScalarV2: torch._foreach_addcmul(*lists, 2.0)
ForeachAddcdivScalarList: torch._foreach_addcdiv(*lists, torch.tensor([2.0, 3.0]))
ForeachAddcmulScalarList: torch._foreach_addcmul(*lists, torch.tensor([2.0, 3.0]))
ForeachLerpScalar: torch._foreach_lerp(lists[0], lists[1], 0.3)
ForeachLerpList: torch._foreach_lerp(*lists)
ForeachNorm: torch._foreach_norm(lists[0])
ForeachPowScalarAndTensor: torch._foreach_pow(2.5, lists[0])
ForeachCopy: torch._foreach_copy_(lists[0], lists[1]) or lists[0]
ForeachZeroInplace: torch._foreach_zero_(lists[0]) or lists[0]
ForeachNonFiniteCheckAndUnscale: unscaled(lists[0], infinite=False)
AmpUpdateScale: [rescaled(*case, device) for case in ((0.0, 1), (0.0, 3), (1.0, 2))] + [rescaled(0.0, 3, device, 3e38)]
""")  # fmt: skip
CALLS = UNARY | INPLACE_UNARY | ACTIVATIONS | LOSSES | ARITHMETIC | FOREACH
NAMES = {
    "torch": torch, "torch_npu": torch_npu, "F": F, "grads": grads, "unscaled": unscaled, "rescaled": rescaled,
    "ours": ours, "swiglu": swiglu, "rms_norm": rms_norm, "logits_loss": logits_loss, "alignment_loss": alignment_loss,
}  # fmt: skip
