// SPDX-License-Identifier: Apache-2.0
// Constants of the cycle model, and times that know how far off they may be: 348 us (310..395).
//
// A time carries for each group of constants the cycles by which it may be off. Adding up times adds these
// up. Of two times that something waits for, the later one hands on its own:
//
//     MTE2  ▓▓▓▓▓▓▓ read ▓▓▓▓▓▓▓│ 100, HBM 5          starts at 100, HBM 5
//     V     ▓▓▓ Exp ▓▓▓│ 60, vector 3    ────────▶ V  ▓▓▓ Add ▓▓▓│ 140, HBM 5, vector 2
//
// This is the derivative of the model at its values, so that a replay gives time and range at once. It does
// not see that something else may be the last where the constants are others.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

namespace sim {

// The constants of a group are taken to be wrong together, and those of two groups by themselves.
enum class ConstantGroup : uint8_t { kLaunch, kStart, kScalar, kVector, kCube, kCopy, kL2, kHbm, kCount };
constexpr int kGroups = static_cast<int>(ConstantGroup::kCount);
constexpr int Index(ConstantGroup group) { return static_cast<int>(group); }
constexpr const char *kGroupNames[kGroups] = {"launch", "start", "scalar", "vector",
                                              "cube",   "copy",  "L2",     "HBM"};

struct Constant {
  double value = 0;
  double doubt = 0;  // the part by which it may be off; of a time of 10 with .2: 2

  constexpr operator double() const { return value; }
  constexpr double off() const { return value * doubt; }
};

// Cycles, and by how many they may be more or less.
struct Cycles {
  double count = 0;
  double off = 0;

  static constexpr Cycles Of(const Constant &cycles) { return {cycles.value, cycles.off()}; }
  static constexpr Cycles At(const Constant &rate, double amount) {
    return {amount / rate, amount / rate * rate.doubt};
  }
  Cycles &operator+=(const Cycles &other) {
    count += other.count;
    off += other.off;
    return *this;
  }
};

inline Cycles operator+(const Cycles &a, const Cycles &b) { return {a.count + b.count, a.off + b.off}; }
inline Cycles operator*(double factor, const Cycles &cycles) {
  return {factor * cycles.count, factor * cycles.off};
}

using Doubts = std::array<float, kGroups>;

struct Moment {
  double time = 0;  // cycles
  Doubts doubts{};

  // Goes on by so many cycles.
  void Pass(const Cycles &cycles, ConstantGroup group) {
    time += cycles.count;
    doubts[Index(group)] += static_cast<float>(cycles.off);
  }
  // How far off the time may be, as a part of it: groups of constants are independent.
  double Doubt() const {
    double squares = 0;
    for (const float cycles : doubts) squares += static_cast<double>(cycles) * cycles;
    return time > 0 ? std::sqrt(squares) / time : 0;
  }
};

inline const Moment &Later(const Moment &a, const Moment &b) { return b.time > a.time ? b : a; }

}  // namespace sim
