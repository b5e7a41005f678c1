// SPDX-License-Identifier: Apache-2.0
// Copies, gathers, transpositions and broadcasts.
#include "case.h"

using namespace AscendC;

namespace {

template <typename F>
void ForWidth(Case &c, F function) {
  ForType<half, float, int16_t, uint16_t, int32_t, uint32_t>(c.dtype, function);
}

const Register table{
    {"DataCopy",
     [](Case &c) {
       // GM -> UB by blocks, UB -> UB, UB -> GM by count.
       const DataCopyParams params(c.Int(0), c.Int(1), c.Int(2), c.Int(3));
       DataCopy(c.Tensor<float>(1), c.Global<float>(0), params);
       PipeBarrier<PIPE_ALL>();
       DataCopy(c.Tensor<float>(2), c.Tensor<float>(1), DataCopyParams(1, c.Int(4), 0, 0));
       PipeBarrier<PIPE_ALL>();
       DataCopy(c.Global<float>(3), c.Tensor<float>(2), (uint32_t)(c.Int(4) * 8));
     }},
    {"DataCopyOut",
     [](Case &c) {
       DataCopy(c.Global<float>(1), c.Tensor<float>(0),
                DataCopyParams(c.Int(0), c.Int(1), c.Int(2), c.Int(3)));
     }},
    {"DataCopyCount", [](Case &c) { DataCopy(c.Tensor<float>(1), c.Global<float>(0), (uint32_t)c.Int(0)); }},
    {"DataCopyPadIn",
     [](Case &c) {
       ForWidth(c, [&](auto type) {
         using T = decltype(type);
         DataCopyPad(c.Tensor<T>(1), c.Global<T>(0),
                     DataCopyExtParams(c.Int(0), c.Int(1), c.Int(2), c.Int(3), 0),
                     DataCopyPadExtParams<T>(c.Int(4) != 0, c.Int(5), c.Int(6), static_cast<T>(c.Float(0))));
       });
     }},
    {"DataCopyPadOut",
     [](Case &c) {
       ForWidth(c, [&](auto type) {
         using T = decltype(type);
         DataCopyPad(c.Global<T>(1), c.Tensor<T>(0),
                     DataCopyExtParams(c.Int(0), c.Int(1), c.Int(2), c.Int(3), 0));
       });
     }},
    {"PadAndUse",
     [](Case &c) {
       // Five elements land, eight are read.
       auto rows = LocalAt<float>(TPosition::VECCALC, 4096, 8);
       DataCopyPad(rows, c.Global<float>(0), DataCopyExtParams(1, 20, 0, 0, 0),
                   DataCopyPadExtParams<float>(false, 0, static_cast<uint8_t>(c.Int(0)), 0));
       PipeBarrier<PIPE_ALL>();
       Abs(c.Tensor<float>(1), rows, 8);
     }},
    {"SetPadValue",
     [](Case &c) {
       SetPadValue(static_cast<float>(c.Float(0)));
       DataCopyPad(c.Tensor<float>(1), c.Global<float>(0), DataCopyParams(1, 20, 0, 0),
                   DataCopyPadParams(false, 0, 3, 0));
     }},
    {"AtomicAdd",
     [](Case &c) {
       ForType<float, half, bfloat16_t, int32_t, int16_t>(c.dtype, [&](auto type) {
         using T = decltype(type);
         SetAtomicAdd<T>();
         DataCopy(c.Global<T>(1), c.Tensor<T>(0), (uint32_t)c.Int(0));
         SetAtomicNone();
       });
     }},
    {"AtomicMax",
     [](Case &c) {
       SetAtomicMax<float>();
       DataCopy(c.Global<float>(1), c.Tensor<float>(0), (uint32_t)c.Int(0));
       SetAtomicMin<float>();
       DataCopy(c.Global<float>(2), c.Tensor<float>(0), (uint32_t)c.Int(0));
       SetAtomicNone();
     }},
    {"Nd2Nz",
     [](Case &c) {
       auto l1 = LocalAt<half>(TPosition::A1, 0, c.Int(0));
       DataCopy(l1, c.Global<half>(0), Nd2NzParams(1, c.Int(1), c.Int(2), 0, c.Int(2), c.Int(3), 1, 0));
       PipeBarrier<PIPE_ALL>();
       DataCopy(c.Global<half>(1), l1, (uint32_t)c.Int(0));
     },
     sim::KernelType::kCube},
    {"Copy",
     [](Case &c) {
       ForWidth(c, [&](auto type) {
         using T = decltype(type);
         uint64_t bits[2] = {(uint64_t)c.Int(0), (uint64_t)c.Int(1)};
         const CopyRepeatParams params(c.Int(3), c.Int(4), c.Int(5), c.Int(6));
         if (c.form == 0) {
           Copy(c.Tensor<T>(0), c.Tensor<T>(1), (uint64_t)c.Int(0), (uint8_t)c.Int(2), params);
         } else {
           Copy(c.Tensor<T>(0), c.Tensor<T>(1), bits, (uint8_t)c.Int(2), params);
         }
       });
     }},
    {"Gather",
     [](Case &c) {
       ForWidth(c, [&](auto type) {
         using T = decltype(type);
         auto dst = c.Tensor<T>(0), src = c.Tensor<T>(1);
         auto offsets = c.Tensor<uint32_t>(2);
         uint64_t bits[2] = {(uint64_t)c.Int(0), (uint64_t)c.Int(1)};
         const uint32_t base = c.Int(4);
         if (c.form == 2) {
           Gather(dst, src, offsets, base, (uint32_t)c.Int(0));
         } else if (c.form == 0) {
           Gather(dst, src, offsets, base, (uint64_t)c.Int(0), (uint8_t)c.Int(2), (uint16_t)c.Int(3));
         } else {
           Gather(dst, src, offsets, base, bits, (uint8_t)c.Int(2), (uint16_t)c.Int(3));
         }
       });
     }},
    {"Gatherb",
     [](Case &c) {
       Gatherb(c.Tensor<uint32_t>(0), c.Tensor<uint32_t>(1), c.Tensor<uint32_t>(2), (uint8_t)c.Int(0),
               GatherRepeatParams(c.Int(1), c.Int(2)));
     }},
    {"GatherMask",
     [](Case &c) {
       ForWidth(c, [&](auto type) {
         using T = decltype(type);
         using U = std::conditional_t<sizeof(T) == 2, uint16_t, uint32_t>;
         uint64_t kept = 0;
         const GatherMaskParams params(c.Int(3), c.Int(2), c.Int(4), c.Int(5));
         if (c.form == 0) {
           GatherMask(c.Tensor<T>(0), c.Tensor<T>(1), (uint8_t)c.Int(0), c.Int(6) != 0, (uint32_t)c.Int(1),
                      params, kept);
         } else {
           GatherMask(c.Tensor<T>(0), c.Tensor<T>(1), c.Tensor<U>(3), c.Int(6) != 0, (uint32_t)c.Int(1),
                      params, kept);
         }
         c.Tensor<int32_t>(2).SetValue(0, static_cast<int32_t>(kept));
       });
     }},
    {"Brcb",
     [](Case &c) {
       ForWidth(c, [&](auto type) {
         using T = decltype(type);
         Brcb(c.Tensor<T>(0), c.Tensor<T>(1), (uint8_t)c.Int(0), BrcbRepeatParams(c.Int(1), c.Int(2)));
       });
     }},
    {"BroadCast",
     [](Case &c) {
       const uint32_t to[2] = {(uint32_t)c.Int(0), (uint32_t)c.Int(1)};
       const uint32_t column[2] = {to[0], 1}, row[2] = {1, to[1]};
       LocalTensor<uint8_t> work = c.Tensor<uint8_t>(4);
       TPipe pipe;  // the second work tensor lies behind its buffer, which covers those of the case
       TBuf<TPosition::VECCALC> used;
       pipe.InitBuffer(used, 16 * 1024);
       BroadCast<float, 2, 1>(c.Tensor<float>(0), c.Tensor<float>(2), to, column, work);
       Broadcast<float, 2, 0>(c.Tensor<float>(1), c.Tensor<float>(3), to, row);
       pipe.Destroy();
     }},
    {"Transpose", [](Case &c) { Transpose(c.Tensor<half>(0), c.Tensor<half>(1)); }},
    {"TransposeNchw",
     [](Case &c) {
       LocalTensor<uint8_t> work = c.Tensor<uint8_t>(3);
       Transpose(
           c.Tensor<float>(0), c.Tensor<float>(1), work,
           TransposeParamsExt(c.Int(0), c.Int(1), c.Int(2), c.Int(3), TransposeType::TRANSPOSE_NCHW2NHWC));
       Transpose(
           c.Tensor<float>(2), c.Tensor<float>(0), work,
           TransposeParamsExt(c.Int(0), c.Int(1), c.Int(2), c.Int(3), TransposeType::TRANSPOSE_NHWC2NCHW));
     }},
    {"TransDataTo5HD",
     [](Case &c) {
       ForType<half, float, int8_t>(c.dtype, [&](auto type) {
         using T = decltype(type);
         uint64_t dst[16], src[16];
         for (int i = 0; i < 16; ++i) {
           dst[i] = c.Tensor<T>(0).GetPhyAddr(i * c.Int(0));
           src[i] = c.Tensor<T>(1).GetPhyAddr(i * c.Int(1));
         }
         TransDataTo5HD<T>(dst, src, TransDataTo5HDParams(c.Int(2), c.Int(3), c.Int(4), c.Int(5), c.Int(6)));
       });
     }},
#if !SIM_OLDER_API
    {"Fill",
     [](Case &c) {
       TPipe pipe;
       TBuf<TPosition::VECCALC> used;
       pipe.InitBuffer(used, 4096);
       GlobalTensor<float> gm = c.Global<float>(0);
       Fill(gm, (uint64_t)c.Int(0), static_cast<float>(c.Float(0)));
       pipe.Destroy();
     }},
#endif
};

}  // namespace
