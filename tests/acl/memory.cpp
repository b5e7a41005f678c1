// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <fstream>
#include <limits>
#include <thread>

#include "acl_test.h"

using namespace acl_test;

static bool HoldsOnly(const std::vector<uint8_t> &bytes, uint8_t wanted) {
  return std::all_of(bytes.begin(), bytes.end(), [&](uint8_t byte) { return byte == wanted; });
}

ACL_TEST(fresh_memory_is_poisoned) {
  Session session;
  Buffer buffer(1000);
  CHECK(HoldsOnly(buffer.Download<uint8_t>(), 0xA5));
  buffer.Upload(std::vector<uint8_t>(1000, 1));
  CHECK(buffer.Download<uint8_t>() == std::vector<uint8_t>(1000, 1));
}

// Returns the bytes of host memory that this process has.
static size_t ResidentBytes() {
  std::ifstream statm("/proc/self/statm");
  size_t all = 0;
  size_t resident = 0;
  statm >> all >> resident;
  return resident * static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

ACL_TEST(most_of_the_device_costs_little_of_the_host) {
  Session session;
  const size_t before = ResidentBytes();
  void *pool = nullptr;
  CHECK_OK(aclrtMalloc(&pool, size_t{48} << 30, ACL_MEM_MALLOC_HUGE_FIRST));
  CHECK(ResidentBytes() < before + (size_t{512} << 20));
  CHECK_OK(aclrtFree(pool));
}

ACL_TEST(memory_that_was_freed_is_poisoned_again) {
  Session session;
  constexpr size_t kBytes = 16 << 20;
  for (const size_t before : {size_t{0}, size_t{100}, size_t{5000}, size_t{1} << 20}) {
    // The next one begins elsewhere in the pages of the last one, and ends behind them.
    Buffer other(before + 1);
    Buffer buffer(kBytes + before);
    CHECK(HoldsOnly(buffer.Download<uint8_t>(), 0xA5));
    buffer.Upload(std::vector<uint8_t>(kBytes + before, 1));
    other.Upload(std::vector<uint8_t>(before + 1, 2));
  }
}

ACL_TEST(memory_beyond_the_poison_reads_as_zero_after_it_was_freed) {
  Session session;
  constexpr size_t kPoisoned = size_t{256} << 20, kBytes = 16 << 20;
  {
    Buffer first(kPoisoned);
    Buffer second(kBytes);
    second.Upload(std::vector<uint8_t>(kBytes, 1));
  }
  void *both = nullptr;
  CHECK_OK(aclrtMalloc(&both, kPoisoned + 2 * kBytes, ACL_MEM_MALLOC_HUGE_FIRST));
  std::vector<uint8_t> behind(2 * kBytes);
  CHECK_OK(aclrtMemcpy(behind.data(), behind.size(), static_cast<char *>(both) + kPoisoned, behind.size(),
                       ACL_MEMCPY_DEVICE_TO_HOST));
  CHECK(HoldsOnly(behind, 0));
  CHECK_OK(aclrtFree(both));
}

ACL_TEST(the_host_keeps_32_MB_of_freed_memory) {
  Session session;
  const size_t before = ResidentBytes();
  for (int round = 0; round < 3; ++round) {
    Buffer large(size_t{64} << 20), a(size_t{32} << 20), b(size_t{24} << 20);
    CHECK(ResidentBytes() > before + (size_t{119} << 20));
  }
  const size_t kept = ResidentBytes() - before;
  CHECK(kept > (size_t{31} << 20));
  CHECK(kept < (size_t{40} << 20));
}

ACL_TEST(memory_statistics_return_to_the_start) {
  Session session;
  const size_t start = UsedBytes();
  {
    Buffer a(1 << 20);
    Buffer b(3);
    CHECK(UsedBytes() >= start + (1 << 20) + 3);
  }
  CHECK(UsedBytes() == start);
}

ACL_TEST(out_of_memory_is_an_error_that_says_so) {
  Session session;
  size_t free = 0;
  size_t total = 0;
  CHECK_OK(aclrtGetMemInfo(ACL_HBM_MEM, &free, &total));
  void *device = &free;
  CHECK_FAILS(aclrtMalloc(&device, total + 1, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_RT_MEMORY_ALLOCATION,
              "out of memory on device 0");
  CHECK(device == nullptr);
  Buffer some(4096);
  CHECK_FAILS(aclrtMalloc(&device, total, ACL_MEM_MALLOC_HUGE_FIRST), ACL_ERROR_RT_MEMORY_ALLOCATION, "free");
}

ACL_TEST(wrong_frees_are_errors) {
  Session session;
  Buffer buffer(64);
  void *device = nullptr;
  CHECK_OK(aclrtMalloc(&device, 64, ACL_MEM_MALLOC_HUGE_FIRST));
  CHECK_OK(aclrtFree(device));
  CHECK_FAILS(aclrtFree(device), ACL_ERROR_RT_PARAM_INVALID, "freed already");
  CHECK_FAILS(aclrtFree(static_cast<char *>(buffer.data) + 32), ACL_ERROR_RT_PARAM_INVALID, "not the start");
  int local = 0;
  CHECK_FAILS(aclrtFree(&local), ACL_ERROR_RT_PARAM_INVALID, "host address");
  CHECK_FAILS(aclrtFree(nullptr), ACL_ERROR_INVALID_PARAM, "devPtr must not be null");
  void *host = nullptr;
  CHECK_OK(aclrtMallocHost(&host, 64));
  CHECK_OK(aclrtFreeHost(host));
  CHECK_FAILS(aclrtFreeHost(host), ACL_ERROR_RT_PARAM_INVALID, "aclrtMallocHost");
}

ACL_TEST(copies_are_checked) {
  Session session;
  Buffer buffer(64);
  std::vector<char> host(128);
  CHECK_FAILS(aclrtMemcpy(nullptr, 64, host.data(), 64, ACL_MEMCPY_HOST_TO_DEVICE), ACL_ERROR_INVALID_PARAM,
              "dst must not be null");
  CHECK_FAILS(aclrtMemcpy(buffer.data, 64, nullptr, 64, ACL_MEMCPY_HOST_TO_DEVICE), ACL_ERROR_INVALID_PARAM,
              "src must not be null");
  CHECK_FAILS(aclrtMemcpy(buffer.data, 63, host.data(), 64, ACL_MEMCPY_HOST_TO_DEVICE),
              ACL_ERROR_RT_PARAM_INVALID, "destMax");
  CHECK_FAILS(aclrtMemcpy(buffer.data, 128, host.data(), 65, ACL_MEMCPY_HOST_TO_DEVICE),
              ACL_ERROR_RT_PARAM_INVALID, "dst needs 65 bytes, but the allocation of 64 bytes has 64 left");
  CHECK_FAILS(
      aclrtMemcpy(host.data(), 128, static_cast<char *>(buffer.data) + 60, 8, ACL_MEMCPY_DEVICE_TO_HOST),
      ACL_ERROR_RT_PARAM_INVALID, "src needs 8 bytes, but the allocation of 64 bytes has 4 left");
  CHECK_FAILS(aclrtMemcpy(host.data(), 64, host.data() + 64, 64, ACL_MEMCPY_DEVICE_TO_HOST),
              ACL_ERROR_RT_PARAM_INVALID, "src must be device memory, got host address");
  CHECK_FAILS(aclrtMemcpy(buffer.data, 64, buffer.data, 64, ACL_MEMCPY_HOST_TO_DEVICE),
              ACL_ERROR_RT_PARAM_INVALID, "src must be host memory");
  CHECK_FAILS(aclrtMemcpy(buffer.data, 64, host.data(), 64, static_cast<aclrtMemcpyKind>(77)),
              ACL_ERROR_INVALID_PARAM, "kind");
  CHECK_FAILS(aclrtMemset(buffer.data, 64, 0, 65), ACL_ERROR_RT_PARAM_INVALID, "maxCount");
  CHECK_FAILS(aclrtMemset(buffer.data, 65, 0, 65), ACL_ERROR_RT_PARAM_INVALID, "devPtr needs 65 bytes");
  CHECK_OK(aclrtMemcpy(buffer.data, 64, host.data(), 64, ACL_MEMCPY_DEFAULT));
  CHECK_OK(aclrtMemcpy(host.data(), 64, buffer.data, 64, ACL_MEMCPY_DEFAULT));
}

ACL_TEST(rows_are_copied_with_their_pitches) {
  Session session;
  Buffer buffer(3 * 8);
  buffer.Upload(std::vector<uint8_t>(24, 9));
  const std::vector<uint8_t> rows = {1, 2, 3, 0, 4, 5, 6, 0, 7, 8, 9};
  CHECK_OK(aclrtMemcpy2d(buffer.data, 8, rows.data(), 4, 3, 3, ACL_MEMCPY_HOST_TO_DEVICE));
  const std::vector<uint8_t> expected = {1, 2, 3, 9, 9, 9, 9, 9, 4, 5, 6, 9,
                                         9, 9, 9, 9, 7, 8, 9, 9, 9, 9, 9, 9};
  CHECK(buffer.Download<uint8_t>() == expected);
  std::vector<uint8_t> back(9);
  CHECK_OK(aclrtMemcpy2dAsync(back.data(), 3, buffer.data, 8, 3, 3, ACL_MEMCPY_DEVICE_TO_HOST, nullptr));
  CHECK_OK(aclrtSynchronizeStream(nullptr));
  CHECK(back == (std::vector<uint8_t>{1, 2, 3, 4, 5, 6, 7, 8, 9}));
  CHECK_FAILS(aclrtMemcpy2d(buffer.data, 2, rows.data(), 4, 3, 3, ACL_MEMCPY_HOST_TO_DEVICE),
              ACL_ERROR_RT_PARAM_INVALID, "width must not exceed the pitches");
}

// Pageable memory is read when the copy is called, pinned memory when the stream comes to it.
ACL_TEST(asynchronous_copies_read_pinned_memory_late) {
  Session session;
  Stream stream;
  std::atomic<bool> open{false};
  const auto wait = [](void *flag) {
    while (!*static_cast<std::atomic<bool> *>(flag)) std::this_thread::yield();
  };
  void *pinned = nullptr;
  CHECK_OK(aclrtMallocHost(&pinned, 4));
  auto *late = static_cast<int32_t *>(pinned);
  *late = 1;
  int32_t early = 1;
  Buffer a(4);
  Buffer b(4);
  CHECK_OK(aclrtLaunchHostFunc(stream.handle, wait, &open));
  CHECK_OK(aclrtMemcpyAsync(a.data, 4, late, 4, ACL_MEMCPY_HOST_TO_DEVICE, stream.handle));
  CHECK_OK(aclrtMemcpyAsync(b.data, 4, &early, 4, ACL_MEMCPY_HOST_TO_DEVICE, stream.handle));
  *late = 2;
  early = 2;
  open = true;
  CHECK_OK(aclrtSynchronizeStream(stream.handle));
  CHECK(a.Download<int32_t>()[0] == 2);
  CHECK(b.Download<int32_t>()[0] == 1);
  CHECK_OK(aclrtFreeHost(pinned));
}

ACL_TEST(addresses_tell_where_they_lie) {
  Session session;
  Buffer buffer(64);
  void *host = nullptr;
  int local = 0;
  CHECK_OK(aclrtMallocHost(&host, 64));
  aclrtPtrAttributes attributes{};
  CHECK_OK(aclrtPointerGetAttributes(static_cast<char *>(buffer.data) + 5, &attributes));
  CHECK(attributes.location.type == ACL_MEM_LOCATION_TYPE_DEVICE && attributes.location.id == 0);
  CHECK_OK(aclrtPointerGetAttributes(static_cast<char *>(host) + 63, &attributes));
  CHECK(attributes.location.type == ACL_MEM_LOCATION_TYPE_HOST);
  CHECK_OK(aclrtPointerGetAttributes(&local, &attributes));
  CHECK(attributes.location.type == ACL_MEM_LOCATION_TYPE_UNREGISTERED);
  CHECK_OK(aclrtHostRegister(&local, sizeof(local), ACL_HOST_REGISTER_MAPPED, nullptr));
  CHECK_OK(aclrtPointerGetAttributes(&local, &attributes));
  CHECK(attributes.location.type == ACL_MEM_LOCATION_TYPE_HOST);
  CHECK_OK(aclrtHostUnregister(&local));
  CHECK_OK(aclrtFreeHost(host));
}

// Runs in a process of its own, which must end with SIGSEGV.
ACL_TEST(crash_host_read_of_device_memory) {
  Session session;
  Buffer buffer(64);
  std::printf("%d\n", *static_cast<volatile int *>(buffer.data));
}

ACL_TEST(crash_host_write_to_device_memory) {
  Session session;
  Buffer buffer(64);
  *static_cast<volatile int *>(buffer.data) = 1;
}

ACL_TEST(half_precision_conversions_are_exact) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const float value = aclFloat16ToFloat(static_cast<aclFloat16>(bits));
    const uint32_t exponent = bits >> 10 & 31;
    const uint32_t mantissa = bits & 1023;
    const float sign = (bits & 0x8000) != 0 ? -1.0f : 1.0f;
    if (exponent == 31 && mantissa != 0) {
      CHECK(std::isnan(value));
      continue;
    }
    const float expected =
        exponent == 31  ? std::numeric_limits<float>::infinity()
        : exponent == 0 ? std::ldexp(static_cast<float>(mantissa), -24)
                        : std::ldexp(static_cast<float>(mantissa + 1024), static_cast<int>(exponent) - 25);
    CHECK(value == sign * expected);
    CHECK(aclFloatToFloat16(value) == bits);
    // Halfway to the next value: ties go to the even one.
    if (exponent == 31 || (bits & 0x7FFF) == 0x7BFF) continue;
    const float next = aclFloat16ToFloat(static_cast<aclFloat16>(bits + 1));
    CHECK(aclFloatToFloat16((value + next) / 2) == (bits % 2 == 0 ? bits : bits + 1));
  }
  CHECK(aclFloatToFloat16(65519.996f) == 0x7BFF);
  CHECK(aclFloatToFloat16(65520.0f) == 0x7C00);
  CHECK(std::isnan(aclFloat16ToFloat(aclFloatToFloat16(std::numeric_limits<float>::quiet_NaN()))));
}

namespace {

constexpr size_t kPiece = size_t{2} << 20;

aclrtDrvMemHandle Physical(size_t bytes) {
  aclrtPhysicalMemProp prop = {};
  prop.memAttr = ACL_HBM_MEM_HUGE;
  prop.location.type = ACL_MEM_LOCATION_TYPE_DEVICE;
  aclrtDrvMemHandle handle = nullptr;
  CHECK_OK(aclrtMallocPhysical(&handle, bytes, &prop, 0));
  return handle;
}

}  // namespace

ACL_TEST(mapped_memory_is_one_allocation_and_keeps_its_bytes) {
  Session session;
  const size_t start = UsedBytes();
  void *range = nullptr;
  CHECK_OK(aclrtReserveMemAddress(&range, size_t{72} << 30, 0, nullptr, 1));
  char *const base = static_cast<char *>(range);
  CHECK(UsedBytes() == start);
  const aclrtDrvMemHandle first = Physical(kPiece), second = Physical(kPiece);
  CHECK(UsedBytes() == start + 2 * kPiece);
  CHECK_OK(aclrtMapMem(base, kPiece, 0, first, 0));
  CHECK_OK(aclrtMapMem(base + kPiece, kPiece, 0, second, 0));

  // Across the border of the two mappings.
  const std::vector<char> sent(1000, 7);
  std::vector<char> got(1000);
  CHECK_OK(aclrtMemcpy(base + kPiece - 500, 1000, sent.data(), 1000, ACL_MEMCPY_HOST_TO_DEVICE));
  CHECK_OK(aclrtMemcpy(got.data(), 1000, base + kPiece - 500, 1000, ACL_MEMCPY_DEVICE_TO_HOST));
  CHECK(got == sent);
  CHECK_FAILS(aclrtMemset(base, 3 * kPiece, 0, 2 * kPiece + 1), ACL_ERROR_RT_PARAM_INVALID,
              "the allocation of 4194304 bytes has 4194304 left");

  // The first piece is mapped after the second one. Its bytes move with it, and its old addresses have no
  // memory.
  CHECK_OK(aclrtUnmapMem(base));
  CHECK_FAILS(aclrtMemcpy(got.data(), 1, base, 1, ACL_MEMCPY_DEVICE_TO_HOST), ACL_ERROR_RT_PARAM_INVALID,
              "lies in no allocation");
  CHECK_OK(aclrtMapMem(base + 2 * kPiece, kPiece, 0, first, 0));
  std::fill(got.begin(), got.end(), 0);
  CHECK_OK(aclrtMemcpy(got.data(), 500, base + 3 * kPiece - 500, 500, ACL_MEMCPY_DEVICE_TO_HOST));
  CHECK(std::equal(got.begin(), got.begin() + 500, sent.begin()));
  CHECK_OK(aclrtMemset(base + kPiece, 2 * kPiece, 0, 2 * kPiece));

  CHECK_OK(aclrtUnmapMem(base + kPiece));
  CHECK_OK(aclrtUnmapMem(base + 2 * kPiece));
  CHECK_OK(aclrtFreePhysical(first));
  CHECK_OK(aclrtFreePhysical(second));
  CHECK_OK(aclrtReleaseMemAddress(range));
  CHECK(UsedBytes() == start);
}

ACL_TEST(wrong_mappings_are_errors) {
  Session session;
  void *range = nullptr;
  void *other = nullptr;
  CHECK_OK(aclrtReserveMemAddress(&range, 2 * kPiece, 0, nullptr, 0));
  CHECK_OK(aclrtReserveMemAddress(&other, kPiece, 0, nullptr, 0));
  CHECK(other != range);
  char *const base = static_cast<char *>(range);
  const aclrtDrvMemHandle handle = Physical(kPiece);
  CHECK_FAILS(aclrtMapMem(base, 2 * kPiece, 0, handle, 0), ACL_ERROR_RT_PARAM_INVALID,
              "size must be that of the physical memory, 2097152, got 4194304");
  CHECK_FAILS(aclrtMapMem(base + 2 * kPiece, kPiece, 0, handle, 0), ACL_ERROR_RT_PARAM_INVALID,
              "virPtr must lie in reserved addresses");
  CHECK_FAILS(aclrtMapMem(base, kPiece, 0, &range, 0), ACL_ERROR_RT_PARAM_INVALID, "is no physical memory");
  CHECK_OK(aclrtMapMem(base, kPiece, 0, handle, 0));
  CHECK_FAILS(aclrtMapMem(base + kPiece, kPiece, 0, handle, 0), ACL_ERROR_RT_PARAM_INVALID, "mapped already");
  const aclrtDrvMemHandle second = Physical(kPiece);
  CHECK_FAILS(aclrtMapMem(base, kPiece, 0, second, 0), ACL_ERROR_RT_PARAM_INVALID, "mapped within size");
  CHECK_FAILS(aclrtFree(base), ACL_ERROR_RT_PARAM_INVALID, "not the start of a live allocation");
  CHECK_FAILS(aclrtFreePhysical(handle), ACL_ERROR_RT_PARAM_INVALID, "still mapped");
  CHECK_FAILS(aclrtReleaseMemAddress(range), ACL_ERROR_RT_PARAM_INVALID, "still has memory mapped into it");
  CHECK_OK(aclrtUnmapMem(base));
  CHECK_FAILS(aclrtUnmapMem(base), ACL_ERROR_RT_PARAM_INVALID, "unmapped already");
  CHECK_OK(aclrtFreePhysical(handle));
  CHECK_FAILS(aclrtFreePhysical(handle), ACL_ERROR_RT_PARAM_INVALID, "freed already");
  CHECK_OK(aclrtFreePhysical(second));
  CHECK_OK(aclrtReleaseMemAddress(range));
  CHECK_FAILS(aclrtReleaseMemAddress(range), ACL_ERROR_RT_PARAM_INVALID, "released already");
  CHECK_OK(aclrtReleaseMemAddress(other));
  aclrtPhysicalMemProp prop = {};
  aclrtDrvMemHandle none = nullptr;
  CHECK_FAILS(aclrtMallocPhysical(&none, 4096, &prop, 0), ACL_ERROR_INVALID_PARAM, "multiple of 2097152");
  CHECK_FAILS(aclrtMallocPhysical(&none, kPiece, &prop, 0), ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
              "ACL_MEM_LOCATION_TYPE_DEVICE");
}
