// SPDX-License-Identifier: Apache-2.0
// Matmul for code that runs on cube cores. CANN also has a mode in which vector cores send their calls to the
// cube core. That mode is not modelled, and a source that asks for it does not compile.
#pragma once

#ifndef ASCENDC_CUBE_ONLY
#error "Matmul runs on cube cores here: define ASCENDC_CUBE_ONLY before lib/matmul_intf.h"
#endif

#include "matmul.h"

namespace AscendC {

template <class A_TYPE, class B_TYPE, class C_TYPE, class BIAS_TYPE = C_TYPE, const auto &MM_CFG = CFG_NORM>
using Matmul = MatmulImpl<A_TYPE, B_TYPE, C_TYPE, BIAS_TYPE, MM_CFG>;

// Takes objects, each followed by its tiling, or one object alone whose Init is called later.
template <class T>
__aicore__ inline void InitCurObj(TPipe *tpipe, T &object, sim::Where) {
  object.SetPipe(tpipe);
}
template <class T, class Tiling, class... Rest>
__aicore__ inline void InitCurObj(TPipe *tpipe, T &object, Tiling &&tiling, Rest &&...rest) {
  // The last one of `rest` is the line number.
  const sim::Where where = std::get<sizeof...(rest) - 1>(std::forward_as_tuple(rest...));
  if constexpr (std::is_pointer_v<std::decay_t<Tiling>>) {
    object.Init(tiling, tpipe, where);
  } else {
    object.Init(&tiling, tpipe, where);
  }
  if constexpr (sizeof...(rest) > 1) InitCurObj(tpipe, rest...);
}

}  // namespace AscendC

#define REGIST_MATMUL_OBJ(tpipe, workspace, ...) \
  (static_cast<void>(workspace), AscendC::InitCurObj(tpipe, __VA_ARGS__, sim::Where{__FILE__, __LINE__}))
