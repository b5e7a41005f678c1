// SPDX-License-Identifier: Apache-2.0
// Matmul, and REGIST_MATMUL_OBJ, which introduces Matmul objects to the cores of a block. In a mixed kernel
// the cube core stays in it, serves the calls of its vector cores, and then returns from the function. A
// source that defines ASCENDC_CUBE_ONLY calls Matmul on cube cores instead; there a vector core returns at
// once.
#pragma once

#include "matmul_client.h"

namespace sim {

inline const TCubeTiling *AddressOf(const TCubeTiling *tiling) { return tiling; }
inline const TCubeTiling *AddressOf(const TCubeTiling &tiling) { return &tiling; }
template <class T>
constexpr bool kIsTiling = std::is_convertible_v<std::decay_t<T>, const TCubeTiling *> ||
                           std::is_same_v<std::decay_t<T>, TCubeTiling>;

// Calls visit(object, tiling) for each object; the tiling behind it is null where there is none.
template <class Visit>
void ForEachObject(Visit &&) {}
template <class Visit, class T, class... Rest>
void ForEachObject(Visit &&visit, T &object, Rest &&...rest);

template <class Visit, class T, class Next, class... Rest>
void VisitObject(Visit &&visit, T &object, Next &&next, Rest &&...rest) {
  if constexpr (kIsTiling<Next>) {
    visit(object, AddressOf(next));
    ForEachObject(visit, rest...);
  } else {
    visit(object, static_cast<const TCubeTiling *>(nullptr));
    ForEachObject(visit, next, rest...);
  }
}
template <class Visit, class T, class... Rest>
void ForEachObject(Visit &&visit, T &object, Rest &&...rest) {
  if constexpr (sizeof...(Rest) == 0) {
    visit(object, static_cast<const TCubeTiling *>(nullptr));
  } else {
    VisitObject(visit, object, rest...);
  }
}

// An object of a MatmulImpl: it computes where it is registered.
template <class A, class B, class C, class D, const auto &CFG, class CB,
          template <const auto &, typename...> class POLICY>
std::true_type IsImplOf(const AscendC::MatmulImpl<A, B, C, D, CFG, CB, POLICY> *);
std::false_type IsImplOf(const void *);
template <class T>
constexpr bool kIsImpl = decltype(IsImplOf(static_cast<T *>(nullptr)))::value;

// Registers Matmul objects, as long as the function of the kernel runs that contains it.
class MatmulScope {
 public:
  // Returns true where the core has nothing else to do in this function.
  template <class First, class... Rest>
  bool Enter(Where where, AscendC::TPipe *pipe, First &first, Rest &&...rest) {
    Core &core = Core::Current();
    uint32_t count = 0;
    ForEachObject([&](auto &, const TCubeTiling *) { ++count; }, first, rest...);
    const auto group = count > 1 ? std::make_shared<MatmulGroup>() : nullptr;
    if constexpr (kIsImpl<First>) {
      if (!core.IsCube() && HasCubeCore(core)) return true;
      ForEachObject(
          [&](auto &object, const TCubeTiling *tiling) {
            object.SetPipe(pipe);
            object.SetGroup(group);
            if (tiling != nullptr || object.kHasTiling) object.Init(tiling, pipe, where);
          },
          first, rest...);
      return false;
    } else {
      std::vector<void *> objects;
      ForEachObject(
          [&](auto &object, const TCubeTiling *tiling) {
            object.Register(static_cast<uint32_t>(objects.size()), pipe);
            objects.push_back(object.impl());
            object.impl()->SetGroup(group);
            object.InitHere(tiling, pipe, where);
          },
          first, rest...);
      if constexpr (First::kDualMaster) return false;
      if (!core.IsCube()) {
        serves_ = HasCubeCore(core);
        return false;
      }
      while (ServeCall(core, objects, where)) continue;
      return true;
    }
  }
  MatmulScope() = default;
  MatmulScope(const MatmulScope &) = delete;
  MatmulScope &operator=(const MatmulScope &) = delete;
  ~MatmulScope() {
    if (serves_ && std::uncaught_exceptions() == 0) LeaveService(Core::Current());
  }

 private:
  bool serves_ = false;  // the cube core waits for calls of this core
};

}  // namespace sim

#define REGIST_MATMUL_OBJ(tpipe, workspace, ...) \
  static_cast<void>(workspace);                  \
  sim::MatmulScope sim_matmul_scope;             \
  if (sim_matmul_scope.Enter(sim::Where{__FILE__, __LINE__}, tpipe, __VA_ARGS__)) return
#define REGIST_MATMUL_OBJ_STATIC REGIST_MATMUL_OBJ
