// SPDX-License-Identifier: Apache-2.0
// sim_judgements KERNEL…: launches each of the kernels, and ignores what the stream returns, as many programs
// do. After each launch it prints the last element of the results: 7 where the kernel reached its end, else
// 0.
#include <cstdio>
#include <cstring>
#include <iostream>
#include <iterator>
#include <vector>

#include "acl/acl.h"
#include "aclnn/aclnn_base.h"
#include "engine/launch.h"
#include "kernel_operator.h"
#include "sim/op_plan.h"

using namespace AscendC;

namespace {

constexpr uint32_t kElements = 1024;
constexpr uint32_t kHalf = kElements / 2;

// Tensors in GM that know of half of their allocations, and two in UB, the first of which holds sevens.
struct Setup {
  Setup(GM_ADDR self_address, GM_ADDR out_address) {
    self.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(self_address), kHalf);
    out.SetGlobalBuffer(reinterpret_cast<__gm__ float *>(out_address), kElements);
    pipe.InitBuffer(buffer, 2 * kElements * sizeof(float));
    sevens = buffer.Get<float>(kElements);
    x = buffer.GetWithOffset<float>(kElements, kElements * sizeof(float));
    Duplicate(sevens, 7.0f, kElements);
    Duplicate(x, 1.0f, kElements);
    Order<HardEvent::V_MTE2>();
  }
  template <HardEvent event>
  static void Order() {
    SetFlag<event>(EVENT_ID0);
    WaitFlag<event>(EVENT_ID0);
  }
  void Finish() {
    Order<HardEvent::V_MTE3>();
    DataCopy(out[kElements - 8], sevens, 8);
  }

  TPipe pipe;
  TBuf<TPosition::VECCALC> buffer;
  LocalTensor<float> sevens, x;
  GlobalTensor<float> self, out;
};

void Right(GM_ADDR self, GM_ADDR out) { Setup(self, out).Finish(); }

void BeyondTensor(GM_ADDR self, GM_ADDR out) {
  Setup s(self, out);
  DataCopy(s.x, s.self[kHalf], kHalf);
  s.Finish();
}

void RoundedCopy(GM_ADDR self, GM_ADDR out) {
  Setup s(self, out);
  DataCopy(s.x, s.self, 15);
  s.Finish();
}

// 32 bytes behind a tensor belong to its memory.
void BehindTensor(GM_ADDR self, GM_ADDR out, uint32_t to, uint32_t from) {
  Setup s(self, out);
  GlobalTensor<float> all, result;
  all.SetGlobalBuffer((__gm__ float *)self);
  result.SetGlobalBuffer((__gm__ float *)out);
  DataCopy(s.x, all[kElements - 8], 16);
  Setup::Order<HardEvent::MTE2_MTE3>();
  DataCopy(result[to], s.x[from], 16 - from);
  PipeBarrier<PIPE_MTE3>();
  s.Finish();
}
void PaddingToPadding(GM_ADDR self, GM_ADDR out) { BehindTensor(self, out, kElements - 8, 0); }
void PaddingToTensor(GM_ADDR self, GM_ADDR out) { BehindTensor(self, out, 0, 8); }

// Reads `count` bytes from the end of a tensor of `bytes` on.
template <uint32_t bytes, uint32_t count>
void ReadBehind(GM_ADDR self, GM_ADDR out) {
  Setup s(self, out);
  GlobalTensor<uint8_t> behind;
  behind.SetGlobalBuffer((__gm__ uint8_t *)self + bytes);
  DataCopyPad(s.x.ReinterpretCast<uint8_t>(), behind, {1, count, 0, 0, 0}, {false, 0, 0, 0});
  s.Finish();
}

// The result of Compare has 64 bits; 32 of them come from values.
template <typename Word>
void ReadMask(GM_ADDR self, GM_ADDR out, uint32_t word) {
  Setup s(self, out);
  TBuf<TPosition::VECCALC> values, bits;
  s.pipe.InitBuffer(values, 256);
  s.pipe.InitBuffer(bits, 32);
  const LocalTensor<float> x = values.Get<float>();
  const LocalTensor<uint8_t> mask = bits.Get<uint8_t>();
  Duplicate(x, 1.0f, 32);
  CompareScalar(mask, x, 0.0f, CMPMODE::GT, 64);
  Setup::Order<HardEvent::V_S>();
  const Word got = mask.ReinterpretCast<Word>().GetValue(word);
  if (word != 0 || (got & 0xFFFFFFFFU) == 0xFFFFFFFFU) s.Finish();
}
void PartlyWritten(GM_ADDR self, GM_ADDR out) { ReadMask<uint64_t>(self, out, 0); }
void WhollyWritten(GM_ADDR self, GM_ADDR out) { ReadMask<uint32_t>(self, out, 0); }
void NotWritten(GM_ADDR self, GM_ADDR out) { ReadMask<uint32_t>(self, out, 1); }

// CompareScalar takes all lanes of its repeats and leaves the mask registers as they are.
void MaskBehindCompare(GM_ADDR self, GM_ADDR out) {
  Setup s(self, out);
  const LocalTensor<half> values = s.x.ReinterpretCast<half>();
  Duplicate(values, static_cast<half>(1.0f), 128);
  SetVectorMask<half>(FULL_MASK, FULL_MASK);
  CompareScalar<float, uint8_t, false>(s.x[256].ReinterpretCast<uint8_t>(), s.sevens, 0.0f, CMPMODE::GT,
                                       MASK_PLACEHOLDER, 1, {1, 1, 8, 8});
  Adds<half, false>(values, values, static_cast<half>(6.0f), MASK_PLACEHOLDER, 1, {1, 1, 8, 8});
  if (static_cast<float>(values.GetValue(100)) == 7.0f) s.Finish();
}

// The scalar unit reads what V computed from a copy: the next copy comes after both.
template <bool reads>
void CopyAgain(GM_ADDR self, GM_ADDR out) {
  Setup s(self, out);
  const LocalTensor<uint8_t> mask = s.x[256].ReinterpretCast<uint8_t>();
  for (int i = 0; i < 2; ++i) {
    DataCopy(s.x, s.self, 64);
    Setup::Order<HardEvent::MTE2_V>();
    CompareScalar(mask, s.x, 0.0f, CMPMODE::GE, 64);
    if (reads && mask.GetValue(0) != 255) return;
  }
  s.Finish();
}

// More buffers than there are event ids: no flag belongs to queues at VECCALC.
void QueuesOfVeccalc(GM_ADDR self, GM_ADDR out) {
  Setup s(self, out);
  TQue<TPosition::VECCALC, 1> queues[9];
  for (auto &queue : queues) s.pipe.InitBuffer(queue, 1, 32);
  for (auto &queue : queues) {
    LocalTensor<float> tensor = queue.AllocTensor<float>();
    queue.FreeTensor(tensor);
  }
  s.Finish();
}

template <TPosition position>
void OtherQueuesTensor(GM_ADDR self, GM_ADDR out) {
  Setup s(self, out);
  TQue<TPosition::VECIN, 1> other;
  TQue<position, 1> one;
  s.pipe.InitBuffer(one, 1, 32);
  s.pipe.InitBuffer(other, 1, 32);
  auto tensor = other.AllocTensor<float>();
  one.FreeTensor(tensor);
  s.Finish();
}

void OutOfBounds(GM_ADDR self, GM_ADDR out) {
  Setup s(self, out);
  DataCopy(s.x, s.self[2 * kElements], 64);
  s.Finish();
}

void BeyondMemory(GM_ADDR self, GM_ADDR out) {
  Setup s(self, out);
  const LocalTensor<float> end(TPosition::VECCALC, 192 * 1024 - 256, 128);
  Duplicate(end, 7.0f, 128);
  s.Finish();
}

void Misaligned(GM_ADDR self, GM_ADDR out) {
  Setup s(self, out);
  Adds(s.x[1], s.sevens, 1.0f, 64);
  s.Finish();
}

// Two faults of two kinds that end no block: the copy out is not ordered after the copy in.
void MissingSync(GM_ADDR self, GM_ADDR out) {
  Setup s(self, out);
  DataCopy(s.x, s.self, 64);
  DataCopy(s.out, s.x, 64);
  s.Finish();
}

void FlagAlone(GM_ADDR self, GM_ADDR out) {
  Setup s(self, out);
  WaitFlag<HardEvent::MTE2_V>(EVENT_ID3);
  s.Finish();
}

void NoSuchMask(GM_ADDR self, GM_ADDR out) {
  Setup s(self, out);
  Add(s.x, s.x, s.sevens, uint64_t{65}, 1, {1, 1, 1, 8, 8, 8});
  s.Finish();
}

template <void (*kernel)(GM_ADDR, GM_ADDR)>
void Invoke(void *const *args) {
  kernel(static_cast<GM_ADDR>(args[0]), static_cast<GM_ADDR>(args[1]));
}

const sim::Kernel kKernels[] = {
    {"right", Invoke<Right>},
    {"beyond_tensor", Invoke<BeyondTensor>},
    {"rounded_copy", Invoke<RoundedCopy>},
    {"padding_to_padding", Invoke<PaddingToPadding>},
    {"padding_to_tensor", Invoke<PaddingToTensor>},
    {"partly_written", Invoke<PartlyWritten>},
    {"wholly_written", Invoke<WhollyWritten>},
    {"not_written", Invoke<NotWritten>},
    {"mask_behind_compare", Invoke<MaskBehindCompare>},
    {"copy_again_behind_a_read", Invoke<CopyAgain<true>>},
    {"copy_again", Invoke<CopyAgain<false>>},
    {"queues_of_veccalc", Invoke<QueuesOfVeccalc>},
    {"other_queues_tensor", Invoke<OtherQueuesTensor<TPosition::VECOUT>>},
    {"like_queues_tensor", Invoke<OtherQueuesTensor<TPosition::VECIN>>},
    {"out_of_bounds", Invoke<OutOfBounds>},
    {"beyond_memory", Invoke<BeyondMemory>},
    {"misaligned", Invoke<Misaligned>},
    {"missing_sync", Invoke<MissingSync>},
    {"flag_alone", Invoke<FlagAlone>},
    {"no_such_mask", Invoke<NoSuchMask>},
};

// Kernels whose first tensor has another size, or memory of aclrtMallocAlign32.
struct SizedKernel {
  sim::Kernel kernel;
  int64_t elements;
  bool align32;
};
const SizedKernel kSizedKernels[] = {
    {{"padding_of_4096", Invoke<ReadBehind<4096, 32>>}, 1024, false},
    {{"behind_padding_of_4096", Invoke<ReadBehind<4096, 33>>}, 1024, false},
    {{"padding_of_4088", Invoke<ReadBehind<4088, 40>>}, 1022, false},
    {{"behind_padding_of_4088", Invoke<ReadBehind<4088, 41>>}, 1022, false},
    {{"behind_4096_align32", Invoke<ReadBehind<4096, 1>>}, 1024, true},
    {{"padding_of_4088_align32", Invoke<ReadBehind<4088, 8>>}, 1022, true},
    {{"behind_padding_of_4088_align32", Invoke<ReadBehind<4088, 9>>}, 1022, true},
};

// Memory of the device that holds zeros.
struct Zeros {
  explicit Zeros(int64_t elements = kElements, bool align32 = false) {
    const size_t bytes = elements * sizeof(float);
    (align32 ? aclrtMallocAlign32 : aclrtMalloc)(&data, bytes, ACL_MEM_MALLOC_NORMAL_ONLY);
    aclrtMemset(data, bytes, 0, bytes);
    const int64_t shape[] = {elements};
    tensor = aclCreateTensor(shape, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, shape, 1, data);
  }
  static constexpr size_t kBytes = kElements * sizeof(float);
  void *data = nullptr;
  aclTensor *tensor = nullptr;
};

void Launch(const sim::Kernel &kernel, const Zeros &self = Zeros()) {
  const Zeros out;
  aclrtStream stream = nullptr;
  aclrtCreateStream(&stream);
  sim::OpPlan plan;
  plan.Launch(kernel, 1, 0, nullptr, 0, {plan.Input(self.tensor), plan.Output(out.tensor)});
  uint64_t size = 0;
  aclOpExecutor *executor = nullptr;
  plan.Finish(&size, &executor);
  void *workspace = nullptr;
  if (size != 0) aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_NORMAL_ONLY);
  sim::RunPlan(workspace, size, executor, stream);
  aclrtSynchronizeStream(stream);
  std::vector<float> results(kElements);
  aclrtMemcpy(results.data(), Zeros::kBytes, out.data, Zeros::kBytes, ACL_MEMCPY_DEVICE_TO_HOST);
  std::cout << kernel.name << " " << results.back() << "\n";
}

}  // namespace

int main(int argc, char **argv) {
  std::ios::sync_with_stdio(false);  // what std::cout holds is written when the process ends
  aclInit(nullptr);
  aclrtSetDevice(0);
  for (int i = 1; i < argc; ++i) {
    for (const sim::Kernel &kernel : kKernels) {
      if (std::strcmp(kernel.name, argv[i]) == 0) Launch(kernel);
    }
    for (const auto &[kernel, elements, align32] : kSizedKernels) {
      if (std::strcmp(kernel.name, argv[i]) == 0) Launch(kernel, Zeros(elements, align32));
    }
  }
  aclFinalize();
  return 3;
}
