// SPDX-License-Identifier: Apache-2.0
// Fourier transforms.
#include <ATen/ATen.h>

#include "table.h"

// torch has padded the signal by then. A window that is shorter than a frame lies in its middle, as in torch.
ACL_OPERATOR(aclStft, In(self), In(window), Out(out), Int(n_fft), Int(hop_length), Int(win_length),
             Bool(normalized), Bool(onesided), Bool(return_complex)) {
  const at::Tensor spectrum = at::stft(self, n_fft, hop_length, win_length, ::sim::builtin::Given(window),
                                       normalized, onesided, /*return_complex=*/true);
  out.copy_(return_complex ? spectrum : at::view_as_real(spectrum));
}
