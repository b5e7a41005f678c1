// SPDX-License-Identifier: Apache-2.0
// What a function is given that prepares an operator's tiling once for all calls: it fills a struct of the
// operator's own.
#pragma once

#include "exe_graph/runtime/extended_kernel_context.h"

namespace fe {
class PlatFormInfos;
}

namespace gert {

class TilingParseContext : public ExtendedKernelContext {
 public:
  TilingParseContext(Node *node, fe::PlatFormInfos *platform, void *compile_info)
      : ExtendedKernelContext(node), platform_(platform), compile_info_(compile_info) {}

  const char *GetCompiledJson() const { return "{}"; }
  template <typename T>
  T *GetCompiledInfo() const {
    return static_cast<T *>(compile_info_);
  }
  fe::PlatFormInfos *GetPlatformInfo() const { return platform_; }

 private:
  fe::PlatFormInfos *platform_;
  void *compile_info_;
};

}  // namespace gert
