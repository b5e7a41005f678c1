// SPDX-License-Identifier: Apache-2.0
// Copies and fills. They are checked when they are called, and again when a stream runs them.
#include <cstring>
#include <vector>

#include "context.h"
#include "memory.h"

using namespace sim::runtime;

namespace {

struct Copy {
  Range dst;
  Range src;
  size_t width = 0;  // bytes of a row
  size_t height = 1;
  size_t dst_pitch = 0;
  size_t src_pitch = 0;
  std::vector<std::byte> staged;  // the rows of a source in pageable memory, without gaps
};

size_t Extent(size_t width, size_t height, size_t pitch) {
  return height == 0 || width == 0 ? 0 : (height - 1) * pitch + width;
}

// Bytes that are copied from memory which nothing wrote count as not written.
void CopyWrittenMap(const Copy &copy, const void *dst, const void *src) {
  sim::DeviceMemory &to = copy.dst.device->memory();
  if (copy.src.device == nullptr) {
    to.MarkWritten(dst, copy.width);
    return;
  }
  const sim::DeviceMemory &from = copy.src.device->memory();
  const auto at = [](const void *base, size_t offset) { return static_cast<const char *>(base) + offset; };
  for (size_t done = 0; done < copy.width;) {
    const size_t written = from.FirstUnwritten(at(src, done), copy.width - done);
    if (written > 0) to.MarkWritten(at(dst, done), written);
    done += written;
    const size_t unwritten = from.FirstWritten(at(src, done), copy.width - done);
    if (unwritten > 0) to.MarkUnwritten(at(dst, done), unwritten);
    done += unwritten;
  }
}

Status Run(const Copy &copy) {
  for (const Range *range : {&copy.dst, &copy.src}) {
    if (range->Alive()) continue;
    return {ACL_ERROR_RT_SYS_DMA, Text(range == &copy.dst ? "dst " : "src ", range->address,
                                       " of an asynchronous copy was freed before the copy ran")};
  }
  std::byte *const dst = copy.dst.bytes();
  const std::byte *const src = copy.staged.empty() ? copy.src.bytes() : copy.staged.data();
  const size_t src_pitch = copy.staged.empty() ? copy.src_pitch : copy.width;
  for (size_t row = 0; row < copy.height; ++row) {
    std::memmove(dst + row * copy.dst_pitch, src + row * src_pitch, copy.width);
    if (copy.dst.device == nullptr) continue;
    CopyWrittenMap(copy, static_cast<char *>(copy.dst.address) + row * copy.dst_pitch,
                   static_cast<char *>(copy.src.address) + row * copy.src_pitch);
  }
  return {};
}

Status CheckKind(aclrtMemcpyKind kind, Side *dst, Side *src) {
  switch (kind) {
    case ACL_MEMCPY_HOST_TO_HOST:
      *dst = *src = Side::kHost;
      return {};
    case ACL_MEMCPY_HOST_TO_DEVICE:
    case ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE:
      *dst = Side::kDevice;
      *src = Side::kHost;
      return {};
    case ACL_MEMCPY_DEVICE_TO_HOST:
      *dst = Side::kHost;
      *src = Side::kDevice;
      return {};
    case ACL_MEMCPY_DEVICE_TO_DEVICE:
    case ACL_MEMCPY_INNER_DEVICE_TO_DEVICE:
    case ACL_MEMCPY_INTER_DEVICE_TO_DEVICE:
      *dst = *src = Side::kDevice;
      return {};
    case ACL_MEMCPY_DEFAULT:
      *dst = *src = Side::kEither;
      return {};
  }
  return {ACL_ERROR_INVALID_PARAM, Text("kind must be an aclrtMemcpyKind, got ", static_cast<int>(kind))};
}

// Fills in both ranges of a copy whose sizes are set.
Status Check(aclrtMemcpyKind kind, void *dst, const void *src, Copy *copy) {
  Side dst_side = Side::kEither;
  Side src_side = Side::kEither;
  Status status = CheckKind(kind, &dst_side, &src_side);
  if (!status.ok()) return status;
  status = CheckRange("dst", dst, Extent(copy->width, copy->height, copy->dst_pitch), dst_side, &copy->dst);
  if (!status.ok()) return status;
  return CheckRange("src", src, Extent(copy->width, copy->height, copy->src_pitch), src_side, &copy->src);
}

Status CheckFlat(void *dst, size_t dest_max, const void *src, size_t count, aclrtMemcpyKind kind,
                 Copy *copy) {
  if (count > dest_max) {
    return {ACL_ERROR_RT_PARAM_INVALID, Text("count must not exceed destMax, got ", count, " > ", dest_max)};
  }
  copy->width = copy->dst_pitch = copy->src_pitch = count;
  return Check(kind, dst, src, copy);
}

Status CheckRows(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
                 aclrtMemcpyKind kind, Copy *copy) {
  if (width > dpitch || width > spitch) {
    return {ACL_ERROR_RT_PARAM_INVALID, Text("width must not exceed the pitches, got width ", width,
                                             ", dpitch ", dpitch, ", spitch ", spitch)};
  }
  copy->width = width;
  copy->height = height;
  copy->dst_pitch = dpitch;
  copy->src_pitch = spitch;
  return Check(kind, dst, src, copy);
}

aclError RunNow(const char *call, Status status, const Copy &copy) {
  return ReturnStatus(call, status.ok() ? Run(copy) : status);
}

aclError Queue(const char *call, const Status &status, Copy copy, aclrtStream handle) {
  if (!status.ok()) return ReturnStatus(call, status);
  aclError code = ACL_SUCCESS;
  const std::shared_ptr<Stream> stream = UseStream(call, handle, &code);
  if (stream == nullptr) return code;
  // Pageable memory is read at once, as its owner may free it after the call. The stream reads pinned memory
  // only.
  if (copy.dst.device != nullptr && copy.src.device == nullptr && !copy.src.pinned) {
    copy.staged.resize(copy.width * copy.height);
    for (size_t row = 0; row < copy.height && copy.width > 0; ++row) {
      std::memcpy(copy.staged.data() + row * copy.width, copy.src.bytes() + row * copy.src_pitch, copy.width);
    }
  }
  auto kept = std::make_shared<const Copy>(std::move(copy));
  stream->Push({[kept] { return Run(*kept); }});
  return ACL_SUCCESS;
}

Status CheckFill(void *pointer, size_t max_count, size_t count, Range *range) {
  if (count > max_count) {
    return {ACL_ERROR_RT_PARAM_INVALID,
            Text("count must not exceed maxCount, got ", count, " > ", max_count)};
  }
  return CheckRange("devPtr", pointer, count, Side::kEither, range);
}

Status Fill(const Range &range, int32_t value) {
  if (!range.Alive()) {
    return {ACL_ERROR_RT_SYS_DMA, Text("devPtr ", range.address, " of a fill was freed before the fill ran")};
  }
  std::memset(range.bytes(), value, range.size);
  if (range.device != nullptr) range.device->memory().MarkWritten(range.address, range.size);
  return {};
}

}  // namespace

extern "C" {

aclError aclrtMemcpy(void *dst, size_t destMax, const void *src, size_t count, aclrtMemcpyKind kind) try {
  SIM_REQUIRE_POINTER(dst);
  SIM_REQUIRE_POINTER(src);
  Copy copy;
  Status status = CheckFlat(dst, destMax, src, count, kind, &copy);
  return RunNow(__func__, std::move(status), copy);
}
SIM_CATCH

aclError aclrtMemcpyAsync(void *dst, size_t destMax, const void *src, size_t count, aclrtMemcpyKind kind,
                          aclrtStream stream) try {
  SIM_REQUIRE_POINTER(dst);
  SIM_REQUIRE_POINTER(src);
  Copy copy;
  const Status status = CheckFlat(dst, destMax, src, count, kind, &copy);
  return Queue(__func__, status, std::move(copy), stream);
}
SIM_CATCH

aclError aclrtMemcpy2d(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
                       aclrtMemcpyKind kind) try {
  SIM_REQUIRE_POINTER(dst);
  SIM_REQUIRE_POINTER(src);
  Copy copy;
  Status status = CheckRows(dst, dpitch, src, spitch, width, height, kind, &copy);
  return RunNow(__func__, std::move(status), copy);
}
SIM_CATCH

aclError aclrtMemcpy2dAsync(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
                            size_t height, aclrtMemcpyKind kind, aclrtStream stream) try {
  SIM_REQUIRE_POINTER(dst);
  SIM_REQUIRE_POINTER(src);
  Copy copy;
  const Status status = CheckRows(dst, dpitch, src, spitch, width, height, kind, &copy);
  return Queue(__func__, status, std::move(copy), stream);
}
SIM_CATCH

aclError aclrtMemset(void *devPtr, size_t maxCount, int32_t value, size_t count) try {
  SIM_REQUIRE_POINTER(devPtr);
  Range range;
  const Status status = CheckFill(devPtr, maxCount, count, &range);
  return ReturnStatus(__func__, status.ok() ? Fill(range, value) : status);
}
SIM_CATCH

aclError aclrtMemsetAsync(void *devPtr, size_t maxCount, int32_t value, size_t count,
                          aclrtStream stream) try {
  SIM_REQUIRE_POINTER(devPtr);
  Range range;
  const Status status = CheckFill(devPtr, maxCount, count, &range);
  if (!status.ok()) return ReturnStatus(__func__, status);
  aclError code = ACL_SUCCESS;
  const std::shared_ptr<Stream> target = UseStream(__func__, stream, &code);
  if (target != nullptr) target->Push({[range, value] { return Fill(range, value); }});
  return code;
}
SIM_CATCH

}  // extern "C"
