// SPDX-License-Identifier: Apache-2.0
#include "aipp.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace sim {
namespace {

using Format = AscendC::AippInputFormat;
constexpr const char *kName = "LoadImageToLocal";
constexpr int kMostChannels = 3;  // that leave the unit; the others are padding
enum PaddingMode : uint8_t { kConstant, kNearest, kAgain, kMirror };

int64_t Field(uint64_t word, int first, int bits) {
  return static_cast<int64_t>(word >> first & ((uint64_t{1} << bits) - 1));
}
float HalfAt(uint64_t word, int channel) {
  const auto bits = static_cast<uint16_t>(word >> 16 * channel);
  half value;
  std::memcpy(&value, &bits, sizeof(bits));
  return static_cast<float>(value);
}

const char *NameOf(Format format) {
  switch (format) {
    case Format::YUV420SP_U8:
      return "YUV420SP";
    case Format::XRGB8888_U8:
      return "XRGB8888";
    case Format::RGB888_U8:
      return "RGB888";
    case Format::YUV400_U8:
      return "YUV400";
  }
  return nullptr;
}

// What the registers say.
struct Settings {
  explicit Settings(const std::array<uint64_t, 10> &words)
      : words(words),
        format(static_cast<Format>(Field(words[9], 19, 5))),
        padding(static_cast<PaddingMode>(Field(words[9], 27, 2))),
        colours(Field(words[1], 63, 1) != 0),
        channels(format == Format::YUV400_U8 ? 1 : kMostChannels) {}

  bool Has(int bit) const { return Field(words[9], bit, 1) != 0; }
  int Bytes() const {  // of a pixel in GM; of YUV420SP in its plane of Y
    return format == Format::XRGB8888_U8 ? 4 : format == Format::RGB888_U8 ? 3 : 1;
  }
  int16_t Matrix(int row, int column) const {
    const int at = 3 * row + column;
    return static_cast<int16_t>(words[2 + at / 4] >> 16 * (at % 4));
  }

  const std::array<uint64_t, 10> &words;
  Format format;
  PaddingMode padding;
  bool colours;
  int channels;
};

void CheckSize(Core &core, const char *parameter, int64_t value, int64_t low, int64_t high, bool even,
               const Settings &settings, Where where) {
  CheckRange(core, FaultKind::kCount_, kName, where, parameter, value, low, high);
  if (even && value % 2 != 0) {
    FailRange(core, FaultKind::kCount_, kName, where, parameter,
              std::string("even for pictures of ") + NameOf(settings.format), value);
  }
}

void Check(Core &core, const Settings &settings, const AscendC::LoadImageToLocalParams &p, Where where) {
  if (NameOf(settings.format) == nullptr) {
    FailRange(core, FaultKind::kType, kName, where, "format", "one of AippInputFormat",
              static_cast<int64_t>(settings.format));
  }
  constexpr int64_t kMost = 4095, kMostPadding = 32;
  const bool planes = settings.format == Format::YUV420SP_U8;
  const auto size = [&](const char *parameter, int64_t value, int64_t low, int64_t high, bool even) {
    CheckSize(core, parameter, value, low, high, even, settings, where);
  };
  size("horizSize", p.horizSize, 2, kMost, false);
  if (!settings.Has(24)) size("vertSize", p.vertSize, 2, kMost, false);
  size("horizStartPos", p.horizStartPos, 0, kMost, true);
  size("vertStartPos", p.vertStartPos, 0, kMost, planes);
  size("srcHorizSize", p.srcHorizSize, 2, kMost, planes);
  if (p.horizStartPos + p.horizSize > p.srcHorizSize) {
    core.Fail(FaultKind::kCount_, kName, where,
              "the part from pixel " + std::to_string(p.horizStartPos) + " on with horizSize " +
                  std::to_string(p.horizSize) + " leaves the picture, whose srcHorizSize is " +
                  std::to_string(p.srcHorizSize));
  }
  const bool block = settings.padding == kAgain || settings.padding == kMirror;
  const int64_t height = settings.Has(24) ? 1 : p.vertSize;
  const int64_t across = block ? std::min<int64_t>(p.horizSize, kMostPadding) : kMostPadding;
  const int64_t along = settings.padding == kConstant ? 0
                        : block                       ? std::min(height, kMostPadding)
                                                      : kMostPadding;
  size("leftPadSize", p.leftPadSize, 0, across, false);
  size("rightPadSize", p.rightPadSize, 0, across, false);
  size("topPadSize", p.topPadSize, 0, along, false);
  size("botPadSize", p.botPadSize, 0, along, false);
  if (settings.colours && settings.channels == 1) {
    core.Fail(FaultKind::kType, kName, where,
              "a picture of YUV400 has one channel, and colours are of three");
  }
}

class Loader {
 public:
  Loader(Core &core, const CopySide &dst, const AscendC::LoadImageToLocalParams &params, Where where)
      : core_(core), settings_(core.registers.aipp), dst_(dst), params_(params), where_(where) {
    Check(core, settings_, params, where);
    height_ = settings_.Has(24) ? 1 : params.vertSize;
    rows_ = params.topPadSize + height_ + params.botPadSize;
    columns_ = params.leftPadSize + params.horizSize + params.rightPadSize;
    pixel_channels_ = settings_.Has(40) ? 4 : static_cast<int>(kBlockBytes / dst.element_bytes);
  }

  void Issue() {
    Instruction instruction;
    instruction.name = kName;
    instruction.where = where_;
    instruction.pipe = Pipe::MTE2;
    instruction.work = Work::kCopy;
    instruction.converts = true;
    dst_.operand.row_bytes = static_cast<uint32_t>(rows_ * columns_ * pixel_channels_) * dst_.element_bytes;
    instruction.elements = dst_.operand.row_bytes / dst_.element_bytes;
    CheckSide(core_, kName, dst_, where_);
    instruction.Add(dst_.operand);
    instruction.Add(Plane("src0", FirstByte(), settings_.Bytes(), height_, settings_.Bytes()));
    if (settings_.format == Format::YUV420SP_U8) {
      // Two bytes for each square of 2 x 2 pixels.
      instruction.Add(Plane("src1", FirstOfColours(), 1, (height_ + 1) / 2, 1, params_.horizSize % 2));
    }
    core_.Issue(instruction);
  }

  void Move() {
    std::byte *to = core_.Memory(Space::L1, dst_.operand.address);
    for (int row = 0; row < rows_; ++row) {
      for (int column = 0; column < columns_; ++column) {
        for (int channel = 0; channel < pixel_channels_; ++channel) {
          const uint16_t bits = Value(row - params_.topPadSize, column - params_.leftPadSize, channel);
          std::memcpy(to, &bits, dst_.element_bytes);
          to += dst_.element_bytes;
        }
      }
    }
  }

 private:
  uint64_t FirstByte() const {
    const uint64_t pixel = uint64_t{params_.vertStartPos} * params_.srcHorizSize + params_.horizStartPos;
    return settings_.words[0] + pixel * settings_.Bytes();
  }
  uint64_t FirstOfColours() const {
    const uint64_t address = settings_.words[1] & ~(uint64_t{1} << 63);
    return address + uint64_t{params_.vertStartPos} / 2 * params_.srcHorizSize + params_.horizStartPos;
  }
  Operand Plane(const char *name, uint64_t address, int bytes, int rows, int stride, int more = 0) const {
    Operand operand;
    operand.name = name;
    operand.space = Space::GM;
    operand.address = address;
    operand.row_bytes = static_cast<uint32_t>(params_.horizSize * bytes + more);
    operand.rows = static_cast<uint32_t>(rows);
    operand.row_stride = int64_t{params_.srcHorizSize} * stride;
    operand.alignment = 1;
    return operand;
  }

  // A channel of a pixel of the picture, before colours are converted.
  int Source(int row, int column, int channel) const {
    const auto byte = [&](uint64_t address) {
      return std::to_integer<int>(*core_.Memory(Space::GM, address));
    };
    const int width = params_.srcHorizSize;
    if (settings_.format == Format::YUV420SP_U8 && channel > 0) {
      const int of_pair = settings_.Has(17) ? 2 - channel : channel - 1;
      return byte(FirstOfColours() + row / 2 * width + column / 2 * 2 + of_pair);
    }
    if (settings_.format == Format::YUV420SP_U8 || settings_.format == Format::YUV400_U8) {
      return byte(FirstByte() + row * width + column);
    }
    const int swapped = settings_.Has(16) ? 2 - channel : channel;
    const bool skips = settings_.format == Format::XRGB8888_U8 && settings_.Has(18);
    return byte(FirstByte() + (row * width + column) * settings_.Bytes() + swapped + (skips ? 1 : 0));
  }

  int Converted(int row, int column, int channel) const {
    if (!settings_.colours) return Source(row, column, channel);
    int sum = 0;
    for (int i = 0; i < kMostChannels; ++i) {
      const auto bias = static_cast<int>(Field(settings_.words[4], 40 + 8 * i, 8));
      sum += settings_.Matrix(channel, i) * (Source(row, column, i) - bias);
    }
    const auto bias = static_cast<int>(Field(settings_.words[4], 16 + 8 * channel, 8));
    return std::clamp((sum >> 8) + bias, 0, 255);
  }

  // The bits of an element in L1; places outside of the picture are padding.
  uint16_t Value(int row, int column, int channel) const {
    if (channel >= settings_.channels) return static_cast<uint16_t>(settings_.words[9]);
    if (settings_.padding == kConstant && (column < 0 || column >= params_.horizSize)) {
      return static_cast<uint16_t>(settings_.words[8] >> 16 * channel);
    }
    const int from_row = Inside(row, height_, params_.topPadSize, params_.botPadSize);
    const int from_column = Inside(column, params_.horizSize, params_.leftPadSize, params_.rightPadSize);
    const int value = Converted(from_row, from_column, channel);
    const int centred = value - static_cast<int>(Field(settings_.words[5], 16 * channel, 8));
    uint16_t bits = 0;
    if (dst_.element_bytes == 1) {
      bits = static_cast<uint8_t>(std::clamp(centred, -128, 127));
    } else {
      const half scaled((static_cast<float>(centred) - HalfAt(settings_.words[6], channel)) *
                        HalfAt(settings_.words[7], channel));
      std::memcpy(&bits, &scaled, sizeof(bits));
    }
    return bits;
  }

  // The row or column of the picture for one that may lie in its padding. A block at the edge, as wide as the
  // padding, is what kAgain repeats beside it and kMirror mirrors.
  int Inside(int at, int size, int before, int behind) const {
    if (at >= 0 && at < size) return at;
    switch (settings_.padding) {
      case kAgain:
        return at < 0 ? at + before : at - behind;
      case kMirror:
        return at < 0 ? -1 - at : 2 * size - 1 - at;
      default:
        return std::clamp(at, 0, size - 1);
    }
  }

  Core &core_;
  const Settings settings_;
  CopySide dst_;
  const AscendC::LoadImageToLocalParams &params_;
  Where where_;
  int height_ = 0, rows_ = 0, columns_ = 0;
  int pixel_channels_ = 0;
};

}  // namespace

void CheckAippSource(const char *parameter, uint64_t address, Format format, Where where) {
  const int bytes = format == Format::YUV420SP_U8 ? 2 : format == Format::XRGB8888_U8 ? 4 : 1;
  if (address % bytes == 0) return;
  Core::Current().Fail(FaultKind::kAlignment, "SetAippFunctions", where,
                       std::string(parameter) + " of a picture of " + NameOf(format) +
                           " must start on a multiple of " + std::to_string(bytes) + " bytes");
}

void LoadPicture(const CopySide &dst, const AscendC::LoadImageToLocalParams &params, Where where) {
  Core &core = Core::Current();
  if (dst.operand.space != Space::L1) {
    core.Fail(FaultKind::kType, kName, where, "dst must lie in L1 (A1, B1)");
  }
  Loader loader(core, dst, params, where);
  loader.Issue();
  loader.Move();
}

}  // namespace sim
