// SPDX-License-Identifier: Apache-2.0
// Copies a tile of a Matmul object's result out of L0C, to its place in the matrix or to a tile of its own.
#pragma once

#include "matmul_settings.h"

namespace sim {

// A tile of C: its first element and its size.
struct MatmulTile {
  uint32_t row = 0, column = 0, m = 0, n = 0;
};

// Where a tile goes: the rows and columns of the matrix, or a matrix of its own.
struct MatmulTarget {
  MatmulTile tile;
  uint32_t rows = 0, columns = 0;
  bool own = false, relu = false, split = false;
};

template <class C_TYPE, typename L0C>
class MatmulResult {
  using T = typename C_TYPE::T;

 public:
  static_assert(C_TYPE::format == CubeFormat::ND || C_TYPE::format == CubeFormat::ND_ALIGN ||
                    C_TYPE::format == CubeFormat::NZ,
                "Matmul here leaves matrices in ND, ND_ALIGN or NZ");

  void Init(AscendC::TPipe *pipe, uint32_t base_n, Where where) {
    pipe->InitBuffer(factors1_, 1, base_n * sizeof(uint64_t), where);
    pipe->InitBuffer(factors2_, base_n * sizeof(uint64_t), where);
  }

  template <class Operands>
  void Copy(const AscendC::GlobalTensor<T> &gm, const AscendC::LocalTensor<L0C> &from,
            const MatmulTarget &target, const Operands &with, Where where) {
    const MatmulTile &tile = target.tile;
    const bool own = target.own;
    const uint32_t height = own ? tile.m : target.rows;
    const auto fractal_rows = static_cast<uint16_t>(AlignUp(tile.m, kFractalRows));
    AscendC::FixpipeParamsV220 out(tile.n, tile.m, fractal_rows, 0, target.relu);
    out.quantPre = Mode(with);
    out.deqScalar = with.quant_scalar;
    if (with.quant == MatmulQuant::kVector) LoadFactors(with.quant_vector, tile, where);
    if constexpr (C_TYPE::format == CubeFormat::NZ) {
      constexpr uint32_t kAll = sizeof(T) == 1 ? 32 : kFractalRows;
      const uint32_t width = target.split ? 8 : kAll;
      const uint64_t padded = AlignUp(height, kFractalRows);
      out.isChannelSplit = target.split;
      out.nSize = static_cast<uint16_t>(AlignUp(tile.n, width));
      out.dstStride = static_cast<uint32_t>(padded * width * sizeof(T) / kBlockBytes);
      const uint64_t offset = own ? 0 : tile.column * padded + uint64_t{tile.row} * width;
      AscendC::Fixpipe<T, L0C, AscendC::CFG_NZ>(gm[offset], from, out, where);
    } else {
      out.dstStride = Pitch(target);
      const uint64_t offset = own ? 0 : uint64_t{tile.row} * out.dstStride + tile.column;
      AscendC::Fixpipe(gm[offset], from, out, where);
    }
  }

  // Has the kernel's function copy the tile.
  template <auto copy, class Operands>
  void CopyBy(const AscendC::GlobalTensor<T> &gm, const AscendC::LocalTensor<L0C> &from,
              const MatmulTarget &target, const Operands &with, const TCubeTiling &t, Where where) {
    const MatmulTile &tile = target.tile;
    const auto rows = static_cast<uint32_t>(AlignUp(tile.m, kFractalRows));
    AscendC::DataCopyOutParams out;
    out.quantMode = static_cast<uint8_t>(Mode(with));
    out.quantScalar = with.quant_scalar;
    out.cBurstNum = static_cast<uint16_t>(CeilDivide(tile.n, kFractalRows));
    out.burstLen = static_cast<uint16_t>(tile.m * kFractalRows * sizeof(L0C) / kBlockBytes);
    out.curM = static_cast<int>(tile.row / t.baseM);
    out.curN = static_cast<int>(tile.column / t.baseN);
    uint64_t offset = 0;
    if constexpr (C_TYPE::format == CubeFormat::NZ) {
      const uint32_t height = target.own ? rows : target.rows;
      out.dstStride = height * kFractalRows * sizeof(T) / kBlockBytes;
      if (!target.own) offset = uint64_t{tile.column} * height + uint64_t{tile.row} * kFractalRows;
    } else {
      out.oriNSize = static_cast<uint16_t>(tile.n);
      out.dstStride = Pitch(target);
      if (!target.own) offset = uint64_t{tile.row} * out.dstStride + tile.column;
    }
    if (with.quant == MatmulQuant::kVector) {
      LoadFactors(with.quant_vector, tile, where);
      out.cbufWorkspaceAddr = in_l1_.GetPhyAddr();
    }
    copy(gm[offset].GetPhyAddr(), from.template ReinterpretCast<int8_t>(), &out, with.call.tiling,
         with.call.data);
  }

 private:
  static uint32_t Pitch(const MatmulTarget &target) {
    constexpr uint32_t kAlign = C_TYPE::format == CubeFormat::ND_ALIGN ? kBlockBytes / sizeof(T) : 1;
    return static_cast<uint32_t>(AlignUp(target.own ? target.tile.n : target.columns, kAlign));
  }

  template <class Operands>
  static QuantMode_t Mode(const Operands &with) {
    const bool table = with.quant == MatmulQuant::kVector;
    if (std::is_same_v<T, L0C>) return NoQuant;
    if (std::is_same_v<T, bfloat16_t>) return F322BF16;
    if (std::is_same_v<L0C, float>)
      return std::is_same_v<T, half> ? F322F16 : table ? VQF322B8_PRE : QF322B8_PRE;
    if (std::is_same_v<T, half>) return table ? VDEQF16 : DEQF16;
    return table ? VREQ8 : REQ8;
  }

  // Copies the factors of the tile's columns to the fix pipe's table.
  void LoadFactors(const AscendC::GlobalTensor<uint64_t> &factors, const MatmulTile &tile, Where where) {
    auto in_l1 = factors1_.template AllocTensor<uint64_t>(where);
    const auto bytes = static_cast<uint32_t>(tile.n * sizeof(uint64_t));
    const auto blocks = static_cast<uint16_t>(CeilDivide(bytes, kBlockBytes));
    AscendC::DataCopy(in_l1, factors[tile.column], AscendC::DataCopyParams(1, blocks, 0, 0), where);
    factors1_.EnQue(in_l1, where);
    in_l1 = factors1_.template DeQue<uint64_t>(where);
    auto table = factors2_.template Get<uint64_t>(where);
    constexpr uint32_t kUnit = 128;
    AscendC::PipeBarrier<PIPE_FIX>(where);
    AscendC::DataCopy(table, in_l1,
                      AscendC::DataCopyParams(1, static_cast<uint16_t>(CeilDivide(bytes, kUnit)), 0, 0),
                      where);
    AscendC::PipeBarrier<PIPE_FIX>(where);
    in_l1_ = in_l1;
    factors1_.FreeTensor(in_l1, where);
    Core::Current().registers.factor_table = table.address / kUnit << 8;
  }

  AscendC::TQueBind<AscendC::TPosition::A1, AscendC::TPosition::C2PIPE2GM, 1> factors1_;
  AscendC::TBuf<AscendC::TPosition::C2PIPE2GM> factors2_;
  AscendC::LocalTensor<uint64_t> in_l1_;  // the factors of the last tile
};

}  // namespace sim
