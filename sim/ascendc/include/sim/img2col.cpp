// SPDX-License-Identifier: Apache-2.0
#include "img2col.h"

#include <vector>

namespace sim {
namespace {

constexpr const char *kName = "LoadData";
constexpr uint32_t kSide = 16;  // rows of a fractal

// The image in L1 and the windows on it.
struct Image {
  uint32_t width, height;
  int32_t left, right, top, bottom;  // padding
  uint32_t element;                  // bytes
  uint32_t c0;                       // channels of a data block
  uint32_t result_w, result_h;
  Img2Col params;

  uint32_t Taps() const { return uint32_t{params.filter_w} * params.filter_h; }
  uint32_t Rows() const { return result_w * result_h; }
  uint32_t Columns() const { return Taps() * params.channels; }

  // The byte of L1 (from the image's start) that element (m, k) of the matrix comes from; -1: padding.
  int64_t Offset(uint32_t m, uint32_t k) const {
    // The last block may have fewer channels; those of its pixels lie without a gap.
    const uint32_t full = params.channels / c0 * c0;
    const bool last = k >= full * Taps();
    const uint32_t block = last ? params.channels - full : c0;
    const uint32_t in_block = last ? k - full * Taps() : k % (c0 * Taps());
    const uint32_t first_channel = last ? full : k / (c0 * Taps()) * c0;
    const uint32_t tap = in_block / block, channel = in_block % block;
    const int64_t y =
        int64_t{m / result_w} * params.stride_h + tap / params.filter_w * params.dilation_h - top;
    const int64_t x =
        int64_t{m % result_w} * params.stride_w + tap % params.filter_w * params.dilation_w - left;
    if (y < 0 || y >= height || x < 0 || x >= width) return -1;
    return ((uint64_t{first_channel} * height * width) + (y * width + x) * block + channel) * element;
  }
};

// What one instruction loads of the matrix: `m` x `k` elements, and where they come from.
struct Part {
  uint32_t m, k;
  uint32_t m_start, k_start;
  // The instruction repeats along m (0) or k (1): so many elements of a repeat, and from the start of one to
  // the next.
  uint32_t along, of_repeat, step;

  uint32_t SourceM(uint32_t i) const {
    return m_start + (along == 0 ? i / of_repeat * step + i % of_repeat : i);
  }
  uint32_t SourceK(uint32_t i) const {
    return k_start + (along == 1 ? i / of_repeat * step + i % of_repeat : i);
  }
};

uint32_t Positions(uint32_t size, int32_t padding, uint32_t filter, uint32_t dilation, uint32_t stride) {
  const int64_t room = int64_t{size} + padding - (int64_t{filter} - 1) * dilation - 1;
  return room < 0 || stride == 0 ? 0 : static_cast<uint32_t>(room / stride + 1);
}

Image ImageOf(const Registers &registers, const Img2Col &params, uint32_t element) {
  const uint64_t word = registers.image[params.right ? 1 : 0];
  Image image{};
  image.width = word & 0xFFFF;
  image.height = word >> 16 & 0xFFFF;
  image.left = word >> 32 & 0xFF;
  image.right = word >> 40 & 0xFF;
  image.top = word >> 48 & 0xFF;
  image.bottom = word >> 56 & 0xFF;
  image.element = element;
  image.c0 = kBlockBytes / element;
  image.params = params;
  image.result_w =
      Positions(image.width, image.left + image.right, params.filter_w, params.dilation_w, params.stride_w);
  image.result_h =
      Positions(image.height, image.top + image.bottom, params.filter_h, params.dilation_h, params.stride_h);
  return image;
}

Part PartOf(const Registers &registers, const Img2Col &params, uint32_t c0) {
  const auto stride = static_cast<uint32_t>(registers.image_repeats & 0xFFFF);
  const auto times = static_cast<uint32_t>(registers.image_repeats >> 16 & 0xFF);
  Part part{params.m_count, params.k_count, params.m_start, params.k_start, 0, 0, 0};
  part.along = registers.image_repeats >> 24 & 1;
  uint32_t &count = part.along == 0 ? part.m : part.k;
  part.of_repeat = count;
  part.step = stride * (part.along == 0 ? kSide : c0);
  count *= times;
  return part;
}

// The byte of L0 that element (m, k) of the loaded part goes to. L0A holds rows of fractals of the matrix or
// of its transpose, and rows in a fractal; L0B rows of fractals of the matrix, and columns in a fractal.
uint64_t Target(const Part &part, bool transposed, bool to_b, uint32_t element, uint32_t m, uint32_t k) {
  const uint32_t c0 = kBlockBytes / element;
  const uint32_t row = transposed ? k : m, column = transposed ? m : k;
  if (to_b) {
    const auto across = static_cast<uint32_t>(CeilDivide(part.k, kSide));
    return (uint64_t{m / c0} * across + k / kSide) * kFractalBytes + k % kSide * kBlockBytes +
           m % c0 * element;
  }
  const auto across =
      static_cast<uint32_t>(transposed ? CeilDivide(AlignUp(part.m, kSide), c0) : CeilDivide(part.k, c0));
  return (uint64_t{row / kSide} * across + column / c0) * kFractalBytes + row % kSide * kBlockBytes +
         column % c0 * element;
}

void CheckSpace(Core &core, const char *parameter, const CopySide &side, std::initializer_list<Space> spaces,
                const char *expected, Where where) {
  LocalTensorBase tensor;
  tensor.space = side.operand.space;
  CheckMemory(core, kName, where, parameter, tensor, spaces, expected);
}

void CheckImage(Core &core, const Image &image, const Part &part, bool to_b, Where where) {
  if (image.element == 1 && (to_b || image.params.transpose)) {
    core.Fail(FaultKind::kType, kName, where, "one-byte types are neither transposed nor loaded to L0B");
  }
  const uint32_t tail = image.params.channels % image.c0;
  if (tail != 0 && tail != 4 && tail != 8 && tail != 16) {
    FailRange(core, FaultKind::kCount_, kName, where, "channelSize",
              "a multiple of " + std::to_string(image.c0) + ", or 4, 8 or 16 more, below the next multiple",
              image.params.channels);
  }
  CheckRange(core, FaultKind::kStride, kName, where, "strideW", image.params.stride_w, 1, 63);
  CheckRange(core, FaultKind::kStride, kName, where, "strideH", image.params.stride_h, 1, 63);
  if (part.k_start % image.c0 != 0) {
    FailRange(core, FaultKind::kAlignment, kName, where, "kStartPt",
              "a multiple of " + std::to_string(image.c0), part.k_start);
  }
  if (image.Rows() == 0) {
    core.Fail(FaultKind::kCount_, kName, where, "the window is larger than the image with its padding");
  }
}

// The operands: whole fractals of L0, and the elements of the image that are read.
class Loader {
 public:
  Loader(Core &core, const CopySide &dst, const CopySide &src, const Image &image, const Part &part)
      : core_(core),
        dst_(dst),
        src_(src),
        image_(image),
        part_(part),
        begin_(src.operand.address),
        end_(core.registers.image_boundary) {
    to_b_ = dst.operand.space == Space::L0B;
    transposed_ = to_b_ || image.params.transpose;
  }

  void Issue(Where where) {
    const uint64_t m = AlignUp(part_.m, kSide), k = AlignUp(part_.k, transposed_ ? kSide : image_.c0);
    dst_.operand.alignment = kFractalBytes;
    dst_.operand.row_bytes = static_cast<uint32_t>(m * k * image_.element);
    uint64_t bytes = uint64_t{image_.height} * image_.width * image_.params.channels * image_.element;
    if (end_ != 0 && begin_ + bytes > end_) {  // the instruction may read all bytes below the boundary
      src_.operand.address = 0;
      src_.view_bytes = bytes = end_;
    }
    std::vector<uint64_t> read(CeilDivide(bytes / image_.element, 64), 0);
    uint64_t elements = 0;
    ForElements([&](uint64_t, int64_t from) {
      ++elements;
      if (from < 0) return;
      const uint64_t element = (AddressOf(from) - src_.operand.address) / image_.element;
      read[element / 64] |= uint64_t{1} << (element % 64);
    });
    src_.operand.row_bytes = static_cast<uint32_t>(bytes);
    src_.operand.element_bytes = static_cast<uint8_t>(image_.element);
    src_.operand.elements = read.data();
    const FlowBy flow([&](Flows &flows) { Describe(flows); });
    const bool whole = elements == dst_.operand.row_bytes / image_.element;
    IssueCopy(core_, kName, dst_, src_, where, &flow, !whole);
  }

  void Move() {
    const uint32_t width = image_.element;
    ForElements([&](uint64_t to, int64_t from) {
      std::byte *target = core_.Memory(dst_.operand.space, dst_.operand.address + to);
      if (from < 0) {
        std::memcpy(target, &core_.registers.image_padding, width);
      } else {
        std::memcpy(target, core_.Memory(Space::L1, AddressOf(from)), width);
      }
    });
  }

 private:
  uint64_t AddressOf(int64_t from) const {
    const uint64_t address = begin_ + static_cast<uint64_t>(from);
    return end_ == 0 ? address : address % end_;
  }

  // Elements of the fractals that are not part of the matrix count as not written.
  void Describe(Flows &flows) const {
    const uint32_t width = image_.element;
    std::vector<bool> filled(dst_.operand.row_bytes / width);
    ForElements([&](uint64_t to, int64_t from) {
      filled[to / width] = true;
      if (from >= 0) flows.Move(BitsOf(dst_, to, width), {Space::L1, AddressOf(from), width});
    });
    for (size_t i = 0; i < filled.size(); ++i) {
      if (!filled[i]) flows.Undefine(BitsOf(dst_, i * width, width));
    }
  }

  template <typename Function>
  void ForElements(Function &&function) const {
    for (uint32_t i = 0; i < part_.m; ++i) {
      const uint32_t m = part_.SourceM(i);
      if (m >= image_.Rows()) continue;
      for (uint32_t j = 0; j < part_.k; ++j) {
        const uint32_t k = part_.SourceK(j);
        if (k >= image_.Columns()) continue;
        function(Target(part_, transposed_, to_b_, image_.element, i, j), image_.Offset(m, k));
      }
    }
  }

  Core &core_;
  CopySide dst_, src_;
  const Image &image_;
  const Part &part_;
  const uint64_t begin_, end_;  // of the image, and of L1 for images (0: it does not wrap)
  bool to_b_, transposed_;
};

}  // namespace

uint64_t ImageWord(uint16_t height, uint16_t width, const uint8_t padding[4]) {
  uint64_t word = uint64_t{width} | uint64_t{height} << 16;
  for (int i = 0; i < 4; ++i) word |= uint64_t{padding[i]} << (32 + 8 * i);
  return word;
}

void SetImageBoundary(uint64_t bytes, Where where) {
  constexpr uint64_t kLeast = 1024;
  Core &core = Core::Current();
  if (bytes != 0 && bytes < kLeast) {
    FailRange(core, FaultKind::kCount_, "SetLoadDataBoundary", where, "boundaryValue", "0, or at least 1024",
              static_cast<int64_t>(bytes));
  }
  core.registers.image_boundary = bytes;
}

void LoadImage(const CopySide &dst, const CopySide &src, const Img2Col &params, Where where) {
  Core &core = Core::Current();
  CheckSpace(core, "dst", dst, {Space::L0A, Space::L0B}, "L0A (A2) or L0B (B2)", where);
  CheckSpace(core, "src", src, {Space::L1}, "L1 (A1, B1)", where);
  const uint64_t boundary = core.registers.image_boundary;
  if (boundary != 0 && src.operand.address >= boundary) {
    core.Fail(FaultKind::kUbBounds, kName, where,
              "src starts at byte " + std::to_string(src.operand.address) +
                  " of L1, which is not below the boundary of SetLoadDataBoundary, " +
                  std::to_string(boundary));
  }
  const Image image = ImageOf(core.registers, params, src.element_bytes);
  const Part part = PartOf(core.registers, params, image.c0);
  if (image.width == 0 || image.height == 0 || params.channels == 0 || image.Taps() == 0) return;
  if (part.m == 0 || part.k == 0) return;
  CheckImage(core, image, part, dst.operand.space == Space::L0B, where);
  Loader loader(core, dst, src, image, part);
  loader.Issue(where);
  loader.Move();
}

}  // namespace sim
