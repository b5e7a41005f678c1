// SPDX-License-Identifier: Apache-2.0
// Products, decompositions, distances. The cube type says how a device may round; here it has no effect.
#include <ATen/ATen.h>

#include "table.h"

namespace {

at::Tensor Distances(const at::Tensor &x1, const at::Tensor &x2, float p, int64_t) {
  return at::_cdist_forward(x1, x2, p, std::nullopt);
}

at::Tensor DistanceGradient(const at::Tensor &grad, const at::Tensor &x1, const at::Tensor &x2,
                            const at::Tensor &distances, float p) {
  return at::_cdist_backward(grad.contiguous(), x1.contiguous(), x2.contiguous(), p, distances.contiguous());
}

// Mode 0 is "reduced", 1 "complete", 2 "r".
std::tuple<at::Tensor, at::Tensor> Qr(const at::Tensor &self, int64_t mode) {
  return at::linalg_qr(self, mode == 0 ? "reduced" : mode == 1 ? "complete" : "r");
}

}  // namespace

ACLNN(Mm, In(self), In(other), Out(out), Int8(cube)) { at::mm_out(out, self, other); }
ACLNN(Matmul, In(self), In(other), Out(out), Int8(cube)) { out.copy_(at::matmul(self, other)); }
ACLNN(BatchMatMul, In(self), In(other), Out(out), Int8(cube)) { at::bmm_out(out, self, other); }
ACLNN(Addmm, In(self), In(mat1), In(mat2), Number(beta), Number(alpha), Out(out), Int8(cube)) {
  at::addmm_out(out, self, mat1, mat2, beta, alpha);
}
ACLNN(Baddbmm, In(self), In(batch1), In(batch2), Number(beta), Number(alpha), Out(out), Int8(cube)) {
  at::baddbmm_out(out, self, batch1, batch2, beta, alpha);
}
ACLNN(Mv, In(self), In(vector), Out(out), Int8(cube)) { at::mv_out(out, self, vector); }
ACLNN(Dot, In(self), In(other), Out(out)) { out.copy_(at::dot(self, other)); }
ACLNN(InplaceAddmm, InOut(self), In(mat1), In(mat2), Number(beta), Number(alpha), Int8(cube)) {
  self.addmm_(mat1, mat2, beta, alpha);
}
ACLNN(Addbmm, In(self), In(batch1), In(batch2), Number(beta), Number(alpha), Out(out), Int8(cube)) {
  out.copy_(at::addbmm(self, batch1, batch2, beta, alpha));
}
ACLNN(Addmv, In(self), In(matrix), In(vector), Number(alpha), Number(beta), Out(out), Int8(cube)) {
  out.copy_(at::addmv(self, matrix, vector, beta, alpha));
}
ATEN(Addr, at::addr, (In(self), In(vector1), In(vector2), Number(beta), Number(alpha)), Out(out))
METHOD(InplaceAddr, addr_, In(vector1), In(vector2), Number(beta), Number(alpha))
ATEN(Cdist, Distances, (In(x1), In(x2), Float(p), Int(mode)), Out(out))
ATEN(CdistBackward, DistanceGradient, (In(grad), In(x1), In(x2), In(distances), Float(p)), Out(out))
ATEN(Pdist, at::_pdist_forward, (In(self), Float(p)), Out(out))
ATEN(Inverse, at::inverse, (In(self)), Out(out))
ATEN(LinalgCholesky, at::linalg_cholesky, (In(self), Bool(upper)), Out(out))
ATEN(LinalgCross, at::linalg_cross, (In(self), In(other), Int(dim)), Out(out))
ATEN(LinalgQr, Qr, (In(self), Int(mode)), Out(q), Out(r))
ATEN(Slogdet, at::slogdet, (In(self)), Out(sign), Out(logarithm))
ACLNN(Svd, In(self), Bool(full), Bool(vectors), Out(s), Out(u), Out(v)) {
  const auto [left, values, right] = at::_linalg_svd(self, full, vectors);
  ::sim::builtin::Give(s, values), ::sim::builtin::Give(u, left);
  if (right.dim() > 1) ::sim::builtin::Give(v, right.mH());
}
ATEN(TriangularSolve, at::triangular_solve,
     (In(self), In(matrix), Bool(upper), Bool(transpose), Bool(unitriangular)), Out(solution), Out(copy))
