// SPDX-License-Identifier: Apache-2.0
// One instruction of a simulated AI core, as an API function describes it to Core::Issue.
#pragma once

#include <array>
#include <cstdint>

namespace sim {

// The pipes of an AI core; each starts its instructions in order. S is the scalar unit, which issues to all
// others.
enum class Pipe : uint8_t { S, V, M, MTE1, MTE2, MTE3, FIX, kCount };
constexpr int kPipes = static_cast<int>(Pipe::kCount);
const char *PipeName(Pipe pipe);

// Where an operand lives.
enum class Space : uint8_t { GM, UB, L1, L0A, L0B, L0C, BT, FB, kCount };
constexpr int kSpaces = static_cast<int>(Space::kCount);
const char *SpaceName(Space space);

// The source line of an API call. API functions take it by a default argument: `Where where = Where::Here()`.
// It is made of two values, so that `{}` as the last argument of a call stands for a parameter of the API.
struct Where {
  constexpr Where(const char *of_file, int at_line) : file(of_file), line(at_line) {}
  const char *file;
  int line;
  static constexpr Where Here(const char *file = __builtin_FILE(), int line = __builtin_LINE()) {
    return {file, line};
  }
};

// How the results of a vector instruction may share bytes with one of its sources (overlaps.cpp). Every other
// overlap is a fault. A "later" repeat is one with a higher number.
enum class Sharing : uint8_t {
  kInPlace,     // a repeat of results lies exactly on its source, and on no source of a later repeat
  kAccumulate,  // as kInPlace; with a repeat stride of 0 it may lie on the sources of later repeats too
  kShrink,      // as kInPlace; within a repeat results may begin where the source begins, or before it
  kPack,        // results that begin where all sources begin, or before
  kNone,
  kWiden,  // as kInPlace; within a repeat results may end where the source ends, or before it
};

// What an instruction does with a source (values.h).
enum class Use : uint8_t {
  kValue,    // results depend on it
  kAddress,  // it says which bytes the instruction touches
  kPadding,  // a value, but bytes of it that nobody wrote may reach global memory
};

// How the results of an instruction depend on its sources, bit by bit. It decides which results are undefined
// where a source holds bytes that nobody wrote.
enum class ValueFlow : uint8_t {
  kAll,    // each result on all sources
  kLanes,  // a lane of the result on the same lane of each source; lanes have Operand::lane_bytes
  kBits,   // a bit on the same bit of each source: copies
  kAnd,    // as kBits; but a defined 0 decides the result
  kOr,     // as kBits; but a defined 1 decides the result
};
class FlowMap;  // flow.h

// The bytes that one operand touches: `groups` x `rows` runs of `row_bytes`. For a vector instruction these
// are its repeats and their data blocks; for a DataCopy one group of blockCount rows. A stride is the number
// of bytes from the start of one run to the start of the next.
struct Operand {
  const char *name = "";  // the parameter's name in the AscendC documentation: "dst", "src0", …
  Space space = Space::UB;
  bool write = false;
  uint64_t address = 0;  // byte offset in an on-chip buffer, device address in GM
  uint32_t row_bytes = 0;
  uint32_t rows = 1;
  int64_t row_stride = 0;
  uint32_t groups = 1;
  int64_t group_stride = 0;
  // The lanes of a group that are touched, a bit for each, counted through its rows. A lane has
  // `element_bytes`; with 0 all lanes are touched.
  uint8_t element_bytes = 0;
  std::array<uint64_t, 4> lanes{};
  // For gathers: bit i says that element i from the start of a group on is touched, of the row_bytes /
  // element_bytes elements of its one row. Null: no map. The map must live until Issue returns.
  const uint64_t *elements = nullptr;
  // Of a vector instruction: the repeat that the first group belongs to. Where several repeats follow each
  // other in one row, `repeat_bytes` is the length of each; otherwise a group is a repeat.
  uint32_t first_repeat = 0;
  uint32_t repeat_bytes = 0;
  Sharing sharing = Sharing::kInPlace;  // of a source
  uint32_t alignment = 32;              // required of `address`, in bytes; 1: none (GM)
  uint8_t lane_bytes = 0;               // of ValueFlow::kLanes: the bytes of a lane; 0: none are known
  Use use = Use::kValue;                // of a source
  int32_t buffer_id = -1;  // LocalTensorBase::buffer_id and generation: a stale one is a use after FreeTensor
  uint32_t generation = 0;
};

// The kind of work, by which the device description gives its cost.
enum class Work : uint8_t {
  kScalar,     // one scalar access (GetValue / SetValue) or scalar arithmetic
  kVector,     // 256 B repeats, at the rate of the instruction (vector_rates.h)
  kCopy,       // bytes between GM and on-chip memory, in `rows` of the GM operand
  kLocalCopy,  // bytes between on-chip memories, at the rate of the memory written
  kCube,       // `steps` of the cube unit
  kSync,       // flags and barriers: issue cost only
};

constexpr int kMaxOperands = 8;

// Places for operands, undefined until Instruction::Add: to clear all of them takes as long as to judge a
// short instruction.
class OperandPlaces {
 public:
  OperandPlaces() {}
  Operand &operator[](int i) { return places_[i]; }
  const Operand &operator[](int i) const { return places_[i]; }

 private:
  union {
    Operand places_[kMaxOperands];
  };
};

struct Instruction {
  const char *name = "";  // AscendC name: "Add", "DataCopyPad"
  Pipe pipe = Pipe::S;
  Where where = Where::Here();
  OperandPlaces operands;
  int operand_count = 0;
  Work work = Work::kScalar;
  uint32_t repeats = 1;        // kVector: 256 B repeats, one by one on the pipe; legality limits it to 255
  uint64_t elements = 0;       // elements computed
  uint32_t element_bytes = 4;  // kVector: of the widest operand; a conversion works at the pace of that side
  uint64_t steps = 0;  // kCube: 16 x 16 results each, over 16 k of half, 4 of float, 8 of HF32, 32 of int8_t
  bool uncached = false;   // kScalar: the access to GM goes past the data cache
  bool l2_bypass = false;  // kCopy: the GlobalTensor's L2 cache hint is CACHE_MODE_DISABLE
  bool converts = false;   // kCopy to L1: rows of a matrix become fractals on their way
  // kCopy to GM: 0, or a number for the operation and the type that SetAtomicAdd & co have set. The memory
  // orders copies of one number, so that they are no conflict.
  uint8_t atomic = 0;
  bool by_address = false;  // the operands are no tensors, so that the compiler adds no synchronisation
  bool chained = false;     // the unit orders this instruction after earlier ones of its pipe by itself
  ValueFlow flow = ValueFlow::kAll;
  const FlowMap *flow_map = nullptr;  // where no ValueFlow fits; it must live until Issue returns
  bool leaves_holes = false;          // flow_map is asked even where all sources are defined

  Operand &Add(const Operand &operand) { return operands[operand_count++] = operand; }
};

}  // namespace sim
