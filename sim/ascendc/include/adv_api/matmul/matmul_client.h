// SPDX-License-Identifier: Apache-2.0
// The Matmul object of a mixed kernel. On a vector core it sends its calls to the cube core of the block,
// which computes them with a MatmulImpl (engine/cube_service.h); a result for UB takes the way through GM.
//
//   vector core                                     cube core
//   Iterate      keeps the operands of the tile
//   GetTensorC   sends them ───────────────────────▶ Iterate, GetTensorC to GM
//                waits ◀───────────────────────────  answers
//                copies the tile from GM to UB
//
// Iterate<false> sends all tiles at once, and the cube core answers after each of them.
#pragma once

#include "../../sim/tscm.h"
#include "matmul.h"

namespace AscendC {

template <class A_TYPE, class B_TYPE, class C_TYPE, class BIAS_TYPE = C_TYPE, const auto &MM_CFG = CFG_NORM,
          class MM_CB = MatmulCallBackFunc<>,
          template <const auto &, typename...> class MATMUL_POLICY = Impl::Detail::MatmulPolicy>
class MatmulClient : public sim::MatmulSetters<A_TYPE, B_TYPE, BIAS_TYPE> {
 public:
  using Impl = MatmulImpl<A_TYPE, B_TYPE, C_TYPE, BIAS_TYPE, MM_CFG, MM_CB, MATMUL_POLICY>;
  using DstT = typename C_TYPE::T;
  static constexpr MatmulConfig kConfig = sim::ConfigOf(MM_CFG);
  // Both cores run the kernel, and the calls of the cube core compute.
  static constexpr bool kDualMaster = kConfig.enableMixDualMaster;
  // The vector cores of a block share one product, which the first of them asks for.
  static constexpr bool kShared = A_TYPE::ibShare && B_TYPE::ibShare;
  static_assert(!sim::kNineBlocks<MM_CFG, MATMUL_POLICY>,
                "Matmul: NBuffer33MatmulPolicy is for kernels of cube cores alone (ASCENDC_CUBE_ONLY)");

  void Init(const TCubeTiling *cubeTiling, TPipe *tpipe = nullptr, sim::Where where = sim::Where::Here()) {
    const TCubeTiling tiling = sim::TilingOf(MM_CFG, cubeTiling);
    this->SetTiling(tiling);
    if (sim::Core::Current().IsCube()) {
      impl_.Init(&tiling, tpipe, where);
    } else if (!kDualMaster) {
      Send(
          "Init",
          [tiling](Impl &impl, sim::CubeCall &) {
            if (!impl.initialised()) impl.Init(&tiling);
          },
          where);
    }
  }

  template <class T>
  void SetWorkspace(const GlobalTensor<T> &addr) {
    workspace_.SetGlobalBuffer(reinterpret_cast<__gm__ DstT *>(addr.GetPhyAddr(0)));
    has_workspace_ = true;
  }
  template <class T>
  void SetWorkspace(__gm__ const T *addr, int) {
    workspace_.SetGlobalBuffer(reinterpret_cast<__gm__ DstT *>(const_cast<T *>(addr)));
    has_workspace_ = true;
  }

  using Setters = sim::MatmulSetters<A_TYPE, B_TYPE, BIAS_TYPE>;
  using Setters::ClearBias;
  using Setters::DisableBias;
  using Setters::GetSubBlockIdx;
  using Setters::SetBatchNum;
  using Setters::SetBias;
  using Setters::SetHF32;
  using Setters::SetOrgShape;
  using Setters::SetQuantScalar;
  using Setters::SetQuantVector;
  using Setters::SetSelfDefineData;
  using Setters::SetSingleShape;
  using Setters::SetSubBlockIdx;
  using Setters::SetTail;
  using Setters::SetUserDefInfo;
  template <typename T>
  void SetTensorA(const GlobalTensor<T> &gm, bool isTransposeA = false) {
    Setters::SetTensorA(gm, isTransposeA);
  }
  template <typename T>
  void SetTensorB(const GlobalTensor<T> &gm, bool isTransposeB = false) {
    Setters::SetTensorB(gm, isTransposeB);
  }
  void SetTensorA(typename A_TYPE::T aScalar) { Setters::SetTensorA(aScalar); }
  void SetTensorB(typename B_TYPE::T bScalar) { Setters::SetTensorB(bScalar); }
  // Operands in UB go to GM first; those in TSCM lie in L1 of the cube core.
  void SetTensorA(const LocalTensor<typename A_TYPE::T> &leftMatrix, bool isTransposeA = false,
                  sim::Where where = sim::Where::Here()) {
    if constexpr (sim::kInL1<A_TYPE>) {
      Setters::SetTensorA(sim::OnCubeCore(leftMatrix, "Matmul::SetTensorA", where), isTransposeA);
    } else {
      SetTensorA(ToGlobal("SetTensorA", leftMatrix, &in_ub_[0], where), isTransposeA);
    }
  }
  void SetTensorB(const LocalTensor<typename B_TYPE::T> &rightMatrix, bool isTransposeB = false,
                  sim::Where where = sim::Where::Here()) {
    if constexpr (sim::kInL1<B_TYPE>) {
      Setters::SetTensorB(sim::OnCubeCore(rightMatrix, "Matmul::SetTensorB", where), isTransposeB);
    } else {
      SetTensorB(ToGlobal("SetTensorB", rightMatrix, &in_ub_[1], where), isTransposeB);
    }
  }
  void SetBias(const LocalTensor<typename BIAS_TYPE::T> &inputBias, sim::Where where = sim::Where::Here()) {
    SetBias(ToGlobal("SetBias", inputBias, &in_ub_[2], where));
  }

  // Goes on to the next tile; returns false where there is none. enPartialSum: its product is added to the
  // one of the Iterate before.
  template <bool sync = true>
  bool Iterate(bool enPartialSum = false, sim::Where where = sim::Where::Here()) {
    static_assert(sim::TriangleOf<MM_CFG, MATMUL_POLICY>() == sim::MatmulTriangle::kNone,
                  "Matmul: a policy of a triangle takes IterateAll here, and no Iterate of a vector core");
    CheckVector("Iterate", where);
    this->CheckSizes(where);
    const uint32_t tiles = this->Tiles(kConfig.isPartialOutput);
    if (this->tile_ >= tiles) return false;
    if (!enPartialSum && !products_.empty() && sync) {
      sim::FailMatmul("Iterate", where, "the tile of the Iterate before is still there: missing GetTensorC");
    }
    products_.push_back({this->with_, this->tile_++});
    synchronous_ = sync;
    if (sync || this->tile_ != 1) return true;
    if (!has_workspace_) sim::FailMatmul("Iterate", where, "asynchronous calls need SetWorkspace before");
    received_ = 0;
    pending_ = Send(
        "Iterate",
        [=, with = this->with_, gm = workspace_, step = TileSize()](Impl &impl, sim::CubeCall &call) {
          impl.Take(with, 0);
          for (uint32_t tile = 0; tile < tiles; ++tile) {
            impl.Iterate(false, where);
            impl.GetTensorC(gm[uint64_t{tile} * step], 0, true, where);
            sim::Reply(sim::Core::Current(), call, "Iterate", where);
          }
        },
        where);
    return true;
  }

  template <bool sync = true>
  void GetTensorC(const GlobalTensor<DstT> &gm, uint8_t enAtomic = 0, bool enSequentialWrite = false,
                  sim::Where where = sim::Where::Here()) {
    const sim::CubeCallPtr call = SendTile(gm, enAtomic, enSequentialWrite, where);
    if (sync) Await(call, 0, "GetTensorC", where);
  }
  template <bool sync = true, bool doPad = false>
  void GetTensorC(const LocalTensor<DstT> &c, uint8_t enAtomic = 0, bool enSequentialWrite = false,
                  uint32_t height = 0, uint32_t width = 0, uint32_t srcGap = 0, uint32_t dstGap = 0,
                  sim::Where where = sim::Where::Here()) {
    if (enAtomic != 0) sim::FailMatmul("GetTensorC", where, "enAtomic must be 0 where the result goes to UB");
    const GlobalTensor<DstT> from =
        synchronous_ ? Tile(c.GetSize(), enSequentialWrite, where) : NextTile(where);
    if constexpr (doPad) {
      CopyRows(c, from, height, width, srcGap, dstGap, where);
    } else {
      CopyToUb(c, from, where);
    }
    WaitGetTensorC(where);
  }
  template <bool sync = true>
  void GetTensorC(const GlobalTensor<DstT> &gm, const LocalTensor<DstT> &co2Local, uint8_t enAtomic = 0,
                  bool enSequentialWrite = false, sim::Where where = sim::Where::Here()) {
    GetTensorC<true>(gm, enAtomic, enSequentialWrite, where);
    CopyToUb(co2Local, gm, where);
    WaitGetTensorC(where);
  }
  // After Iterate<false>: the next tile in the workspace.
  template <bool sync = true>
  GlobalTensor<DstT> GetTensorC(uint8_t = 0, bool = false, sim::Where where = sim::Where::Here()) {
    return NextTile(where);
  }
  void AsyncGetTensorC(const LocalTensor<DstT> &c, sim::Where where = sim::Where::Here()) {
    CopyToUb(c, NextTile(where), where);
  }
  void WaitGetTensorC(sim::Where where = sim::Where::Here()) {
    sim::Core &core = sim::Core::Current();
    const int32_t id = core.FetchEventId(sim::Pipe::MTE2, sim::Pipe::V, where);
    core.SetFlag(sim::Pipe::MTE2, sim::Pipe::V, id, where);
    core.WaitFlag(sim::Pipe::MTE2, sim::Pipe::V, id, where);
  }

  template <bool sync = true>
  void IterateAll(const GlobalTensor<DstT> &gm, uint8_t enAtomic = 0, bool enSequentialWrite = false,
                  bool waitIterateAll = false, bool fakeMsg = false, sim::Where where = sim::Where::Here()) {
    if constexpr (kDualMaster)
      return IterateOnCube<sync>(gm, enAtomic, enSequentialWrite, waitIterateAll, where);
    CheckVector("IterateAll", where);
    // The flag reaches all vector cores of the block, the answer the one that called.
    const bool tells_all = kShared && (sync || waitIterateAll);
    const auto body = [=, with = this->with_](Impl &impl, sim::CubeCall &call) {
      impl.Take(with, 0);
      if (!fakeMsg) impl.IterateAll(gm, enAtomic, enSequentialWrite, false, false, where);
      sim::Reply(sim::Core::Current(), call, "IterateAll", where);
      if (tells_all) sim::Core::Current().CrossCoreSet(2, sim::Pipe::FIX, kDone, where);
    };
    if constexpr (kShared) {
      if (sim::Core::Current().SubBlockIdx() == 0) Send("IterateAll", body, where);
      if (tells_all) waited_.push_back(last_);
      if (sync) AwaitCube(where);
      return;
    }
    const sim::CubeCallPtr call = Send("IterateAll", body, where);
    if (sync) Await(call, 0, "IterateAll", where);
    if (!sync && waitIterateAll) waited_.push_back(call);
  }
  template <bool sync = true, bool waitIterateBatch = false>
  void IterateBatch(const GlobalTensor<DstT> &gm, uint32_t batchA, uint32_t batchB, bool enSequentialWrite,
                    const uint32_t matrixStrideA = 0, const uint32_t matrixStrideB = 0,
                    const uint32_t matrixStrideC = 0, const bool enPartialSum = false,
                    const uint8_t enAtomic = 0, sim::Where where = sim::Where::Here()) {
    CheckVector("IterateBatch", where);
    const sim::CubeCallPtr call = Send(
        "IterateBatch",
        [=, with = this->with_](Impl &impl, sim::CubeCall &call) {
          impl.Take(with, 0);
          impl.IterateBatch(gm, batchA, batchB, enSequentialWrite, matrixStrideA, matrixStrideB,
                            matrixStrideC, enPartialSum, enAtomic, where);
          sim::Reply(sim::Core::Current(), call, "IterateBatch", where);
        },
        where);
    if (sync) Await(call, 0, "IterateBatch", where);
    if (!sync && waitIterateBatch) waited_.push_back(call);
  }
  // Computes batches into the workspace; with sync false GetBatchTensorC waits for each of them.
  template <bool sync = true, bool waitIterateBatch = false>
  void IterateNBatch(const uint32_t batchLoop, uint32_t batchA, uint32_t batchB, bool,
                     const uint32_t matrixStrideA = 0, const uint32_t matrixStrideB = 0, const uint32_t = 0,
                     sim::Where where = sim::Where::Here()) {
    static_assert(kConfig.isNBatch, "Matmul: IterateNBatch needs a MatmulConfig with isNBatch");
    CheckVector("IterateNBatch", where);
    if (!has_workspace_) sim::FailMatmul("IterateNBatch", where, "the results need SetWorkspace before");
    constexpr bool kEach = !sync && !waitIterateBatch;  // answers after each batch
    const sim::CubeCallPtr call = Send(
        "IterateNBatch",
        [=, with = this->with_, gm = workspace_](Impl &impl, sim::CubeCall &call) {
          impl.Take(with, 0);
          impl.IterateBatches(gm, batchLoop, batchA, batchB, matrixStrideA, matrixStrideB, where,
                              [&](uint32_t i) {
                                if (!kEach && i + 1 != batchLoop) return;
                                sim::Reply(sim::Core::Current(), call, "IterateNBatch", where);
                              });
        },
        where);
    if (sync) Await(call, 0, "IterateNBatch", where);
    if (!sync && waitIterateBatch) waited_.push_back(call);
    if (!kEach) return;
    batches_ = call;
    batch_ = 0;
    batch_count_ = batchLoop;
  }
  template <bool sync = true>
  GlobalTensor<DstT> GetBatchTensorC(uint32_t batchA, uint32_t batchB, bool = false,
                                     sim::Where where = sim::Where::Here()) {
    static_assert(!sync, "Matmul: GetBatchTensorC is for IterateNBatch<false>, so that its sync is false");
    if (batches_ == nullptr || batch_ == batch_count_) {
      sim::FailMatmul("GetBatchTensorC", where, "there is no batch left of IterateNBatch<false>");
    }
    Await(batches_, batch_, "GetBatchTensorC", where, batch_ + 1 == batch_count_);
    const uint64_t size = uint64_t{std::max(batchA, batchB)} * this->t_.singleCoreM * this->t_.singleCoreN;
    GlobalTensor<DstT> batch;
    batch.SetGlobalBuffer(workspace_.GetPhyAddr(size * batch_++), size);
    return batch;
  }
  template <bool sync = true>
  void GetBatchTensorC(const LocalTensor<DstT> &c, uint32_t batchA, uint32_t batchB, bool = false,
                       sim::Where where = sim::Where::Here()) {
    const auto from = GetBatchTensorC<sync>(batchA, batchB, false, where);
    DataCopy(c, from, static_cast<uint32_t>(from.GetSize()), where);
    WaitGetTensorC(where);
  }
  template <bool sync = true>
  GlobalTensor<DstT> GetBatchC(uint32_t batchA, uint32_t batchB, bool = false,
                               sim::Where where = sim::Where::Here()) {
    return GetBatchTensorC<sync>(batchA, batchB, false, where);
  }
  template <bool sync = true>
  void GetBatchC(const LocalTensor<DstT> &c, uint32_t batchA, uint32_t batchB, bool = false,
                 sim::Where where = sim::Where::Here()) {
    GetBatchTensorC<sync>(c, batchA, batchB, false, where);
  }
  void WaitIterateBatch(sim::Where where = sim::Where::Here()) { WaitIterateAll(where); }
  void WaitIterateAll(sim::Where where = sim::Where::Here()) {
    if (kDualMaster && sim::Core::Current().IsCube()) return;
    if (waited_.empty()) {
      sim::FailMatmul(
          "WaitIterateAll", where,
          "there is no call of IterateAll<false> with waitIterateAll, so that the device would hang here");
    }
    if constexpr (kDualMaster || kShared) return AwaitCube(where);
    Await(waited_.front(), 0, "WaitIterateAll", where);
    waited_.erase(waited_.begin());
  }

  void End() {}

  // For REGIST_MATMUL_OBJ.
  void Register(uint32_t number, TPipe *pipe) {
    number_ = number;
    impl_.SetPipe(pipe);
  }
  // The cube core makes the buffers; a vector core takes the sizes.
  void InitHere(const TCubeTiling *tiling, TPipe *pipe, sim::Where where) {
    if (tiling == nullptr && !Impl::kHasTiling) return;
    this->SetTiling(sim::TilingOf(MM_CFG, tiling));
    if (sim::Core::Current().IsCube()) impl_.Init(tiling, pipe, where);
  }
  Impl *impl() { return &impl_; }

 private:
  struct Product {
    typename Impl::Operands with;
    uint32_t tile = 0;
  };
  static constexpr uint32_t kNoNumber = ~0U;
  static constexpr uint16_t kStarted = 9, kDone = 8;  // cross-core flags of shared products and dual masters

  static void CheckVector(const char *name, sim::Where where) {
    if (!sim::Core::Current().IsCube()) return;
    sim::FailMatmul(
        name, where,
        "a cube core serves the calls of its vector cores in REGIST_MATMUL_OBJ and makes none; a kernel "
        "for cube cores alone defines ASCENDC_CUBE_ONLY before it includes lib/matmul_intf.h");
  }

  template <class Body>
  sim::CubeCallPtr Send(const char *name, Body body, sim::Where where) {
    if (number_ == kNoNumber)
      sim::FailMatmul(name, where, "the object is not registered: missing REGIST_MATMUL_OBJ");
    last_ = sim::SendOrdered(
        number_, [body](void *object, sim::CubeCall &call) { body(*static_cast<Impl *>(object), call); },
        name, where);
    return last_;
  }
  // `last`: no reply to the call follows.
  void Await(const sim::CubeCallPtr &call, uint32_t number, const char *name, sim::Where where,
             bool last = true) {
    sim::AwaitReply(sim::Core::Current(), *call, number, name, where);
    if (last) awaited_ = call;
  }

  uint32_t TileSize() const { return static_cast<uint32_t>(this->t_.baseM * this->t_.baseN); }

  sim::CubeCallPtr SendTile(const GlobalTensor<DstT> &gm, uint8_t enAtomic, bool enSequentialWrite,
                            sim::Where where) {
    CheckVector("GetTensorC", where);
    if (products_.empty()) sim::FailMatmul("GetTensorC", where, "there is no tile: missing Iterate");
    const std::vector<Product> products = std::move(products_);
    products_.clear();
    return Send(
        "GetTensorC",
        [=](Impl &impl, sim::CubeCall &call) {
          for (const Product &product : products) {
            impl.Take(product.with, product.tile);
            impl.Iterate(true, where);
          }
          impl.GetTensorC(gm, enAtomic, enSequentialWrite, where);
          sim::Reply(sim::Core::Current(), call, "GetTensorC", where);
        },
        where);
  }
  // Computes the tile into memory of the library.
  GlobalTensor<DstT> Tile(uint32_t elements, bool enSequentialWrite, sim::Where where) {
    const GlobalTensor<DstT> gm = Scratch<DstT>(std::max(elements, TileSize()), &result_);
    Await(SendTile(gm, 0, enSequentialWrite, where), 0, "GetTensorC", where);
    return gm;
  }
  // Waits for the next tile of Iterate<false>.
  GlobalTensor<DstT> NextTile(sim::Where where) {
    if (pending_ == nullptr || products_.empty()) {
      sim::FailMatmul("GetTensorC", where, "there is no tile: missing Iterate<false>");
    }
    Await(pending_, received_, "GetTensorC", where, false);
    GlobalTensor<DstT> tile;
    tile.SetGlobalBuffer(workspace_.GetPhyAddr(uint64_t{received_} * TileSize()), TileSize());
    ++received_;
    return tile;
  }

  void CopyToUb(const LocalTensor<DstT> &c, const GlobalTensor<DstT> &from, sim::Where where) {
    if constexpr (C_TYPE::format == CubeFormat::ND_ALIGN) {
      CopyRows(c, from, this->t_.singleCoreM, this->t_.singleCoreN, 0, 0, where);
    } else {
      constexpr uint32_t kUnit = sim::kBlockBytes / sizeof(DstT);
      const auto blocks = static_cast<uint16_t>(std::min(c.GetSize(), TileSize()) / kUnit);
      DataCopy(c, from, DataCopyParams(1, blocks, 0, 0), where);
    }
  }
  // Gaps count bytes in GM and data blocks in UB.
  static void CopyRows(const LocalTensor<DstT> &c, const GlobalTensor<DstT> &from, uint32_t height,
                       uint32_t width, uint32_t srcGap, uint32_t dstGap, sim::Where where) {
    constexpr uint32_t kUnit = sim::kBlockBytes / sizeof(DstT);
    const auto right = static_cast<uint8_t>(sim::AlignUp(width, kUnit) - width);
    DataCopyPad(c, from,
                DataCopyParams(static_cast<uint16_t>(height), static_cast<uint16_t>(width * sizeof(DstT)),
                               static_cast<uint16_t>(srcGap), static_cast<uint16_t>(dstGap)),
                DataCopyPadParams(true, 0, right, 0), where);
  }

  template <typename T>
  GlobalTensor<T> Scratch(uint32_t elements, std::pair<uint64_t, uint64_t> *memory) {
    const uint64_t bytes = sim::AlignUp(uint64_t{elements} * sizeof(T), sim::kBlockBytes);
    if (memory->second < bytes) *memory = {sim::LibraryMemory(sim::Core::Current(), bytes), bytes};
    GlobalTensor<T> gm;
    gm.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(memory->first), bytes / sizeof(T));
    return gm;
  }
  // Copies an operand from UB to memory of the library. It is used again when no call reads it any more.
  template <typename T>
  GlobalTensor<T> ToGlobal(const char *name, const LocalTensor<T> &tensor,
                           std::pair<uint64_t, uint64_t> *memory, sim::Where where) {
    CheckVector(name, where);
    if (tensor.space != sim::Space::UB) {
      sim::FailMatmul(name, where,
                      "the tensor must lie in UB, or in TSCM where the type of the matrix says so");
    }
    // No call of its own orders what the second of two vector cores that share a product copies.
    const bool second = kShared && sim::Core::Current().SubBlockIdx() != 0;
    if (last_ != awaited_ || !products_.empty() || second) *memory = {};
    const GlobalTensor<T> gm = Scratch<T>(tensor.GetSize(), memory);
    sim::CopyFromUb(gm, tensor, where);
    return gm;
  }

  template <bool sync>
  void IterateOnCube(const GlobalTensor<DstT> &gm, uint8_t enAtomic, bool enSequentialWrite,
                     bool waitIterateAll, sim::Where where) {
    sim::Core &core = sim::Core::Current();
    if (core.IsCube()) {
      core.CrossCoreWait(kStarted, where);
      impl_.Take(this->with_, 0);
      impl_.IterateAll(gm, enAtomic, enSequentialWrite, false, false, where);
      if (sync || waitIterateAll) core.CrossCoreSet(2, sim::Pipe::FIX, kDone, where);
    } else {
      core.CrossCoreSet(2, sim::Pipe::MTE3, kStarted, where);
      if (sync || waitIterateAll) waited_.push_back(nullptr);
      if (sync) AwaitCube(where);
    }
  }
  // Each flag of the cube core says that one more call is complete.
  void AwaitCube(sim::Where where) {
    sim::Core::Current().CrossCoreWait(kDone, where);
    awaited_ = waited_.front();
    waited_.erase(waited_.begin());
  }

  Impl impl_;  // on a cube core
  uint32_t number_ = kNoNumber;
  std::vector<Product> products_;  // of Iterate, until GetTensorC takes them
  bool synchronous_ = true;
  sim::CubeCallPtr pending_;              // of Iterate<false>
  uint32_t received_ = 0;                 // answers to it
  std::vector<sim::CubeCallPtr> waited_;  // calls that a vector core still waits for, in their order
  GlobalTensor<DstT> workspace_;
  bool has_workspace_ = false;
  sim::CubeCallPtr last_, awaited_;  // the last call that was sent, and the last one that is complete
  sim::CubeCallPtr batches_;         // of IterateNBatch<false>
  uint32_t batch_ = 0, batch_count_ = 0;
  // Memories of the library, address and bytes: for results, and for A, B and the bias from UB.
  std::pair<uint64_t, uint64_t> result_{}, in_ub_[3]{};
};

#ifdef ASCENDC_CUBE_ONLY
template <class A_TYPE, class B_TYPE, class C_TYPE, class BIAS_TYPE = C_TYPE, const auto &MM_CFG = CFG_NORM,
          class MM_CB = MatmulCallBackFunc<>,
          template <const auto &, typename...> class MATMUL_POLICY = Impl::Detail::MatmulPolicy>
using Matmul = MatmulImpl<A_TYPE, B_TYPE, C_TYPE, BIAS_TYPE, MM_CFG, MM_CB, MATMUL_POLICY>;
#else
template <class A_TYPE, class B_TYPE, class C_TYPE, class BIAS_TYPE = C_TYPE, const auto &MM_CFG = CFG_NORM,
          class MM_CB = MatmulCallBackFunc<>,
          template <const auto &, typename...> class MATMUL_POLICY = Impl::Detail::MatmulPolicy>
using Matmul = MatmulClient<A_TYPE, B_TYPE, C_TYPE, BIAS_TYPE, MM_CFG, MM_CB, MATMUL_POLICY>;
#endif

}  // namespace AscendC
