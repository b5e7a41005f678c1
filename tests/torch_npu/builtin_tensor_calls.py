# SPDX-License-Identifier: Apache-2.0
"""The rest of the calls of builtin_calls.py: operators on whole tensors, random ones, and those that nothing calls."""

from __future__ import annotations

import torch
import torch.nn.functional as F
import torch_npu
from builtin_calls import NAMES as _NAMES
from builtin_calls import _lines, grads


def resized(x: torch.Tensor, mode: str, size=None, **keywords):
    """Resamples an image or a volume; returns the result and the gradient."""
    return grads(lambda a: F.interpolate(a, size, mode=mode, **keywords), x)


def sampled(x: torch.Tensor, grid: torch.Tensor) -> torch.Tensor:
    return F.grid_sample(x, grid, align_corners=False)


def padded(x: torch.Tensor, mode: str):
    return grads(lambda a: F.pad(a, [1, 2] * (x.ndim - 2), mode), x)


def written(x: torch.Tensor, function) -> torch.Tensor:
    """Returns the tensor after the function has written to it."""
    function(x)
    return x


def kept(x: torch.Tensor, p: float) -> bool:
    """Says whether dropout keeps about as many elements as it should, scales them, and has the gradient of these."""
    x = x.detach().repeat(40, 40).requires_grad_()
    result = F.dropout(x, p)
    result.sum().backward()
    alive = result != 0
    near = abs(alive.float().mean().item() - (1 - p)) < 0.05
    scaled = torch.where(alive, x / (1 - p), torch.zeros_like(x))
    return near and torch.allclose(result, scaled) and torch.equal(x.grad != 0, alive)


def spread(x: torch.Tensor, mean: float, deviation: float) -> bool:
    """Says whether random numbers have about this mean and deviation."""
    return abs(x.float().mean().item() - mean) < 0.2 and abs(x.float().std().item() - deviation) < 0.2


def slept(milliseconds: float) -> bool:
    """Says whether a stream waits as long as it is told to, or longer. No device has a clock above 2 GHz."""
    start, end = (torch.npu.Event(enable_timing=True) for _ in range(2))
    start.record()
    torch.npu._sleep(int(milliseconds * 2e6))
    end.record()
    end.synchronize()
    return start.elapsed_time(end) >= milliseconds


def spectra(signal: torch.Tensor, window: torch.Tensor) -> list[torch.Tensor]:
    """Transforms frames with a window that is shorter than they are, and without one on both sides of the spectrum."""
    windowed = torch.stft(signal, 16, 4, len(window), window, return_complex=True)
    return [windowed, torch.stft(signal, 8, onesided=False, normalized=True, return_complex=True)]


SHAPES = _lines("""
InplaceCopy: x.copy_(y)
Cast: ours(lambda a: torch_npu.npu_dtype_cast(a, torch.float16), torch.Tensor.half)(x)
InplaceOne: torch.ones(3, 4, device=device)
InplaceFillScalar: x.fill_(3)
InplaceFillTensor: x.fill_(y[0, 0])
InplaceFillDiagonal: x.fill_diagonal_(3)
Arange: torch.arange(2, 9, 3, device=device)
Range: torch.range(2, 9, 3, device=device)
Linspace: torch.linspace(0, 1, 7, device=device)
LogSpace: torch.logspace(0, 1, 7, device=device)
Eye: torch.eye(3, 4, device=device)
Cat: torch.cat([x, y], 1)
Stack: torch.stack([x, y], 1)
Repeat: x.repeat(2, 3)
Flip: x.flip(0, 1)
Roll: x.roll(2, 1)
Tril: x.tril(1)
Triu: x.triu(1)
InplaceTril: x.tril_(1)
InplaceTriu: x.triu_(1)
ConstantPadNd: F.pad(x, (1, 2), value=3)
ReduceSum: x.sum(1)
Mean: x.mean(1)
Amax: x.amax(1)
Amin: x.amin(1)
Max: x.max()
Min: x.min()
MaxDim: x.max(1)
MinDim: x.min(1)
ArgMin: x.argmin(1)
Aminmax: torch.aminmax(x, dim=1)
AminmaxAll: torch._aminmax(x)
AminmaxDim: torch._aminmax(x, 1)
All: p.all(1)
Any: p.any(1)
Prod: x.prod()
ProdDim: x.prod(1)
Cumsum: x.cumsum(1)
Cumprod: torch.cumprod(x, 1, out=torch.empty_like(x))
Std: x.std(1)
StdMeanCorrection: torch.std_mean(x, 1)
VarCorrection: x.var(1)
VarMean: torch.var_mean(x, 1)
ReduceNansum: torch.nansum(x, 1)
LogSumExp: torch.logsumexp(x, 1)
LinalgVectorNorm: torch.linalg.vector_norm(x, 2, 1)
Trace: x.trace()
Sort: x.sort(1)
Topk: x.topk(3, 1)
Median: x.median()
NanMedian: x.nanmedian()
MedianDim: x.median(1)
NanMedianDim: x.nanmedian(1)
Kthvalue: x.kthvalue(2, 1)
Histc: torch.histc(x, 5, 0, 1)
Bincount: torch.bincount(i.flatten(), minlength=7)
OneHot: F.one_hot(i, 6)
SearchSorted: torch.searchsorted(v.sort()[0], x)
SearchSorteds: torch.searchsorted(v.sort()[0], 0.5)
IsInTensorScalar: torch.isin(i, 2)
IsInScalarTensor: torch.isin(2, i)
Unique2: torch.unique(i, return_inverse=True, return_counts=True)
MaskedSelect: torch.masked_select(x, p)
Nonzero: i.nonzero()
NonzeroV2: x[p]
Gather: x.gather(1, i)
Take: x.take(i)
Scatter: x.scatter(1, dim.view(1, 3), y)
ScatterValue: x.scatter(1, dim.view(1, 3), 5.0)
InplaceScatter: x.scatter_(1, dim.view(1, 3), y)
InplaceScatterValue: x.scatter_(1, dim.view(1, 3), 5.0)
ScatterAdd: x.scatter_add(1, i, y)
Index: x[:, dim]
IndexPutImpl: written(x, lambda a: a.__setitem__((slice(None), dim), y[:, :3]))
IndexSelect: x.index_select(1, dim)
IndexAdd: x.index_add(1, dim, y[:, :3])
IndexCopy: x.index_copy(1, dim, y[:, :3])
InplaceIndexCopy: x.index_copy_(1, dim, y[:, :3])
IndexFill: x.index_fill(1, dim, 3)
InplaceIndexFill: x.index_fill_(1, dim, 3)
InplaceMaskedFillScalar: x.masked_fill_(p, 3)
InplaceMaskedFillTensor: x.masked_fill_(p, y[0, 0])
InplaceMaskedScatter: x.masked_scatter_(p, y)
InplacePut: x.put_(dim, y[0, :3])
Renorm: x.renorm(2, 0, 0.5)
InplaceRenorm: x.renorm_(2, 0, 0.5)
RepeatInterleave: torch.repeat_interleave(x[0], dim.new_tensor([1, 2, 3, 0, 1, 1]))
RepeatInterleaveInt: torch.repeat_interleave(x, 2)
RepeatInterleaveIntWithDim: torch.repeat_interleave(x, 2, 1)
RepeatInterleaveWithDim: torch.repeat_interleave(x[:, :3], dim, 1)
RepeatInterleaveTensor: torch.repeat_interleave(dim)
UnfoldGrad: grads(lambda a: a.unfold(1, 3, 2), x)
""")
LAYERS = _lines("""
Embedding EmbeddingDenseBackward: grads(lambda a: F.embedding(i[:, :2], a), x)
EmbeddingRenorm: written(x, lambda a: F.embedding(i[:, :2], a, max_norm=0.5))
Convolution ConvolutionBackward: grads(lambda a: F.conv2d(image, a, padding=1), image[:, :, :3, :3])
BatchNorm BatchNormBackward: grads(lambda a: F.batch_norm(a, None, None, training=True), image)
LayerNorm LayerNormBackward: grads(lambda a, b, c: F.layer_norm(a, (6,), b, c), x, v, v)
RmsNorm RmsNormGrad: grads(ours(torch_npu.npu_rms_norm, rms_norm), x, v)
GroupNorm GroupNormBackward: grads(lambda a, b, c: F.group_norm(a, 2, b, c), image, v[:4], v[:4])
MaxPool2dWithMask MaxPool2dWithMaskBackward: grads(lambda a: F.max_pool2d(a, 2), image)
MaxPool3dWithArgmax MaxPool3dWithArgmaxBackward: grads(lambda a: F.max_pool3d(a, 2), volume)
MaxUnpool2d: F.max_unpool2d(image[:, :, :2, :2], dim.new_tensor([[0, 3], [9, 12]]).expand(2, 4, 2, 2), 2)
MaxUnpool3d: F.max_unpool3d(volume[:, :, :1, :1, :1], dim[:1].view(1, 1, 1, 1, 1).expand(1, 2, 1, 1, 1), 2)
AvgPool3d AvgPool3dBackward: grads(lambda a: F.avg_pool3d(a, 2), volume)
AdaptiveAvgPool2d AdaptiveAvgPool2dBackward: grads(lambda a: F.adaptive_avg_pool2d(a, (2, 3)), image)
AdaptiveAvgPool3d AdaptiveAvgPool3dBackward: grads(lambda a: F.adaptive_avg_pool3d(a, (2, 2, 3)), volume)
AdaptiveMaxPool2d AdaptiveMaxPool2dBackward: grads(lambda a: F.adaptive_max_pool2d(a, (2, 3)), image)
AdaptiveMaxPool3d AdaptiveMaxPool3dBackward: grads(lambda a: F.adaptive_max_pool3d(a, (2, 2, 3)), volume)
GridSampler3D GridSampler3DBackward: grads(lambda a: sampled(a, volume.reshape(1, 4, 4, 5, 3) - 0.5), volume)
AffineGrid: F.affine_grid(image[:, 0, :2, :3], (2, 3, 4, 5), align_corners=False)
Im2col Im2colBackward: grads(lambda a: F.unfold(a, 3, padding=1), image)
ChannelShuffle: F.channel_shuffle(image, 2)
UpsampleNearest1dV2 UpsampleNearest1dBackward: resized(line, 'nearest', 13)
UpsampleNearest2dV2 UpsampleNearest2dBackward: resized(image, 'nearest', scale_factor=1.7)
UpsampleNearest3d UpsampleNearest3dBackward: resized(volume, 'nearest', (7, 3, 9))
UpsampleNearestExact1d UpsampleNearestExact1dBackward: resized(line, 'nearest-exact', 13)
UpsampleNearestExact2d UpsampleNearestExact2dBackward: resized(image, 'nearest-exact', scale_factor=1.7)
UpsampleNearestExact3d UpsampleNearestExact3dBackward: resized(volume, 'nearest-exact', (7, 3, 9))
UpsampleBilinear2d UpsampleBilinear2dBackwardV2: resized(image, 'bilinear', scale_factor=1.7)
UpsampleBilinear2dAA UpsampleBilinear2dAABackward: resized(image, 'bilinear', (3, 5), antialias=True)
UpsampleBicubic2d UpsampleBicubic2dBackward: resized(image, 'bicubic', (9, 5))
UpsampleBicubic2dAA UpsampleBicubic2dAAGrad: resized(image, 'bicubic', (3, 5), antialias=True)
UpsampleTrilinear3d UpsampleTrilinear3dBackward: resized(volume, 'trilinear', (7, 3, 9))
ReflectionPad1d ReflectionPad1dBackward: padded(line, 'reflect')
ReflectionPad2d ReflectionPad2dBackward: padded(image, 'reflect')
ReflectionPad3d ReflectionPad3dBackward: padded(volume, 'reflect')
ReplicationPad1d ReplicationPad1dBackward: padded(line, 'replicate')
ReplicationPad2d ReplicationPad2dBackward: padded(image, 'replicate')
ReplicationPad3d ReplicationPad3dBackward: padded(volume, 'replicate')
""")
ALGEBRA = _lines("""
Mm: torch.mm(x, y.t())
Matmul: torch.matmul(batch, batch2)
BatchMatMul: torch.bmm(batch, batch2)
Addmm: torch.addmm(x[:, :5], x, y.t(), beta=2, alpha=3)
InplaceAddmm: torch.zeros(5, 5, device=device).addmm_(x, y.t(), beta=2, alpha=3)
Baddbmm: torch.baddbmm(x[:, :5], batch, batch2, beta=2, alpha=3)
Addbmm: torch.addbmm(x[:, :5], batch, batch2, beta=2, alpha=3)
Mv: torch.mv(x, v)
Addmv: torch.addmv(w, x, v, beta=2, alpha=3)
Dot: torch.dot(v, x[0])
Addr: torch.addr(x, w, v, beta=2, alpha=3)
InplaceAddr: x.addr_(w, v, beta=2, alpha=3)
Cdist: torch.cdist(x, y, 1.5)
CdistBackward: grads(lambda a: torch.cdist(a, y, 3.0), x)
Pdist: torch.pdist(x)
Inverse: torch.inverse(square)
LinalgCholesky: torch.linalg.cholesky(square @ square.t())
LinalgCross: torch.linalg.cross(x[:, :3], y[:, :3])
LinalgQr: torch.linalg.qr(square)
Stft: spectra(v.repeat(9), v.repeat(2)) + spectra(x.repeat(1, 9), v.repeat(2))
Slogdet: torch.slogdet(square)
Svd: torch.linalg.svd(square)[1]
TriangularSolve: torch.linalg.solve_triangular(square.triu(), x[:4], upper=True)
""")
RANDOM = _lines("""
InplaceNormal: spread(torch.randn(4000, device=device), 0, 1)
NormalFloatFloat: spread(torch.normal(1.0, 2.0, (4000,), device=device), 1, 2)
NormalFloatTensor: spread(torch.normal(1.0, torch.full((4000,), 2.0, device=device)), 1, 2)
NormalTensorFloat: spread(torch.normal(torch.ones(4000, device=device), 2.0), 1, 2)
NormalTensorTensor: spread(torch.normal(torch.ones(4000, device=device), torch.full((4000,), 2.0, device=device)), 1, 2)
InplaceUniform: spread(torch.rand(4000, device=device), 0.5, 0.29)
InplaceRandom: spread(torch.randint(0, 3, (4000,), device=device), 1, 0.82)
DropoutGenMask: torch_npu.npu_dropout_gen_mask([100], 0.5, dtype=torch.float32, device=device).any().item()
InplaceBernoulli: spread(torch.empty(4000, device=device).bernoulli_(0.5), 0.5, 0.5)
InplaceBernoulliTensor: spread(torch.bernoulli(torch.full((4000,), 0.5, device=device)), 0.5, 0.5)
Randperm: torch.equal(torch.randperm(9, device=device).sort()[0].cpu(), torch.arange(9))
Multinomial: ((found := torch.multinomial(x, 2)) < 6).all().item() and (found[:, 0] != found[:, 1]).all().item()
DropoutGenMaskV2 DropoutDoMask: kept(x, 0.3)
RReluWithNoise: (F.rrelu(s, 0.1, 0.3, training=True) <= s.clamp_min(0) ).all().item()
InplaceRReluWithNoise: F.rrelu_(s, 0.1, 0.3, training=True).min().item() > -0.2
Sleep: slept(10)
""")
CALLS = SHAPES | LAYERS | ALGEBRA
NAMES = _NAMES | {
    "torch_npu": torch_npu, "resized": resized, "padded": padded, "sampled": sampled,
    "written": written, "kept": kept, "spread": spread, "slept": slept,
    "spectra": spectra,
}  # fmt: skip
_WITH_SCALARS = ("Add", "Sub", "Mul", "Div", "Maximum", "Minimum", "Pow", "Addcdiv", "Addcmul")
_OLDER = "torch_npu 2.13 calls the newer version of this function"
NOT_CALLED = dict.fromkeys(
    [f"Foreach{name}List" for name in ("Add", "Sub")]
    + [
        f"Foreach{name}Scalar"
        for name in ["Add", "Sub", "Mul", "Div", "Maximum", "Minimum", "Pow", "Addcdiv", "Addcmul"]
    ]
    + ["UpsampleNearest2d", "HardswishBackward"],
    _OLDER,
) | {"LogSigmoid": "torch_npu only looks whether it is there", "Norm": "torch_npu calls LinalgVectorNorm"}
