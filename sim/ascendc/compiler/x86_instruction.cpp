// SPDX-License-Identifier: Apache-2.0
// Source: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, chapter 2 (instruction
// format) and appendix A (opcode maps).
#include "x86_instruction.h"

namespace sim {
namespace {

struct Prefixes {
  bool word = false;    // 66: 16-bit operands
  bool repeat = false;  // F3
  bool repne = false;   // F2
  bool gs = false;
  bool wide = false;  // REX.W
};

// Returns the bytes of ModRM, SIB and displacement; 0 where the operand is a register or counts from the
// instruction.
uint32_t MemoryOperandLength(const uint8_t *modrm) {
  const uint32_t mode = modrm[0] >> 6;
  const uint32_t rm = modrm[0] & 7;
  if (mode == 3 || (mode == 0 && rm == 5)) return 0;
  uint32_t length = 1;
  bool base_is_absent = false;
  if (rm == 4) {
    base_is_absent = mode == 0 && (modrm[1] & 7) == 5;
    ++length;
  }
  if (mode == 1) return length + 1;
  return length + (mode == 2 || base_is_absent ? 4 : 0);
}

// The instructions of the one-byte map whose operand is memory. Returns false for others.
bool ReadOneByte(uint8_t opcode, uint8_t reg, const Prefixes &prefixes, MemoryInstruction *out,
                 uint32_t *immediate) {
  const uint32_t full = prefixes.wide ? 8 : (prefixes.word ? 2 : 4);
  const bool byte = (opcode & 1) == 0;
  out->bytes = byte ? 1 : full;
  const uint32_t constant = byte ? 1 : (prefixes.word ? 2 : 4);
  if (opcode < 0x40 && (opcode & 7) < 4) {  // add, or, adc, sbb, and, sub, xor, cmp
    const bool compare = opcode >> 3 == 7;
    out->reads = true;
    out->writes = (opcode & 2) == 0 && !compare;
    return true;
  }
  switch (opcode) {
    case 0x63:  // movslq
      out->bytes = 4;
      out->reads = true;
      return true;
    case 0x69:
    case 0x6B:  // imul
      out->bytes = full;
      out->reads = true;
      *immediate = opcode == 0x6B ? 1 : (prefixes.word ? 2 : 4);
      return true;
    case 0x80:
    case 0x81:
    case 0x83:
      *immediate = opcode == 0x83 ? 1 : constant;
      out->reads = true;
      out->writes = reg != 7;
      return true;
    case 0x84:
    case 0x85:  // test
      out->reads = true;
      return true;
    case 0x86:
    case 0x87:  // xchg
      out->reads = out->writes = true;
      return true;
    case 0x88:
    case 0x89:
      out->writes = true;
      return true;
    case 0x8A:
    case 0x8B:
      out->reads = true;
      return true;
    case 0xC0:
    case 0xC1:  // shifts
      *immediate = 1;
      out->reads = out->writes = true;
      return true;
    case 0xC6:
    case 0xC7:
      *immediate = constant;
      out->writes = true;
      return true;
    case 0xD0:
    case 0xD1:
    case 0xD2:
    case 0xD3:
      out->reads = out->writes = true;
      return true;
    case 0xF6:
    case 0xF7:  // test, not, neg, mul, imul, div, idiv
      *immediate = reg < 2 ? constant : 0;
      out->reads = true;
      out->writes = reg == 2 || reg == 3;
      return true;
    case 0xFE:
    case 0xFF:  // inc, dec; others jump
      out->reads = out->writes = true;
      return reg < 2;
    default:
      return false;
  }
}

// The bytes that an SSE instruction accesses, by its prefix: ps and pd, ss, sd.
uint32_t SseBytes(const Prefixes &prefixes) { return prefixes.repeat ? 4 : (prefixes.repne ? 8 : 16); }

bool ReadTwoBytes(uint8_t opcode, uint8_t reg, const Prefixes &prefixes, MemoryInstruction *out,
                  uint32_t *immediate) {
  const uint32_t full = prefixes.wide ? 8 : (prefixes.word ? 2 : 4);
  out->reads = true;
  if (opcode >= 0x40 && opcode <= 0x4F) {  // cmov
    out->bytes = full;
    return true;
  }
  if (opcode >= 0x90 && opcode <= 0x9F) {  // setcc
    out->bytes = 1;
    out->reads = false;
    out->writes = true;
    return true;
  }
  if (opcode >= 0x51 && opcode <= 0x5F && opcode != 0x5B) {  // arithmetic and conversions of floats
    out->bytes =
        opcode == 0x5A && !prefixes.word && !prefixes.repeat && !prefixes.repne ? 8 : SseBytes(prefixes);
    return true;
  }
  if (opcode >= 0x60 && opcode <= 0x6D) {  // unpack, pack, compare of integers
    out->bytes = 16;
    return true;
  }
  if (opcode >= 0xD0 && opcode != 0xD6 && opcode != 0xD7 && opcode != 0xE7) {  // arithmetic of integers
    const bool doubles = opcode == 0xE6 && prefixes.repeat;                    // two integers to two doubles
    out->bytes = !doubles && (prefixes.word || prefixes.repne) ? 16 : 8;
    return true;
  }
  switch (opcode) {
    case 0x10:
    case 0x14:
    case 0x15:
    case 0x28:
    case 0x6F:
      out->bytes = opcode == 0x10 ? SseBytes(prefixes) : 16;
      return true;
    case 0x11:
    case 0x29:
    case 0x2B:
    case 0x7F:
    case 0xE7:
      out->bytes = opcode == 0x11 ? SseBytes(prefixes) : 16;
      out->reads = false;
      out->writes = true;
      return true;
    case 0x12:
    case 0x16:
      out->bytes = 8;
      return true;
    case 0x13:
    case 0x17:
      out->bytes = 8;
      out->reads = false;
      out->writes = true;
      return true;
    case 0x2A:  // integer to float
      out->bytes = prefixes.wide ? 8 : 4;
      return true;
    case 0x2C:
    case 0x2D:  // float to integer
      out->bytes = prefixes.repeat ? 4 : 8;
      return true;
    case 0x2E:
    case 0x2F:  // compare
      out->bytes = prefixes.word ? 8 : 4;
      return true;
    case 0x5B:
      out->bytes = 16;
      return true;
    case 0xC3:  // movnti
      out->bytes = full;
      out->reads = false;
      out->writes = true;
      return true;
    case 0x6E:
      out->bytes = prefixes.wide ? 8 : 4;
      return true;
    case 0x7E:  // movd, and with F3 a load of 8 bytes
      out->bytes = prefixes.repeat || prefixes.wide ? 8 : 4;
      out->reads = prefixes.repeat;
      out->writes = !prefixes.repeat;
      return true;
    case 0xD6:
      out->bytes = 8;
      out->reads = false;
      out->writes = true;
      return true;
    case 0xA3:
      out->bytes = full;
      return true;
    case 0xAB:
    case 0xB3:
    case 0xBB:
      out->bytes = full;
      out->writes = true;
      return true;
    case 0xBA:  // bt, and bts, btr, btc, which write
      *immediate = 1;
      out->bytes = full;
      out->writes = reg != 4;
      return reg >= 4;
    case 0xAF:
    case 0xB8:
    case 0xBC:
    case 0xBD:
      out->bytes = full;
      return true;
    case 0xB6:
    case 0xBE:
      out->bytes = 1;
      return true;
    case 0xB7:
    case 0xBF:
      out->bytes = 2;
      return true;
    case 0x70:
    case 0xC2:
    case 0xC6:
      *immediate = 1;
      out->bytes = opcode == 0xC2 ? SseBytes(prefixes) : 16;
      return true;
    case 0xC4:
      *immediate = 1;
      out->bytes = 2;
      return true;
    default:
      return false;
  }
}

}  // namespace

MemoryInstruction ReadInstruction(const uint8_t *code) {
  const uint8_t *at = code;
  Prefixes prefixes;
  for (;; ++at) {
    if (*at == 0x66) {
      prefixes.word = true;
    } else if (*at == 0xF3) {
      prefixes.repeat = true;
    } else if (*at == 0xF2) {
      prefixes.repne = true;
    } else if (*at == 0x65) {
      prefixes.gs = true;
    } else if (*at != 0x67) {  // an address of 32 bits has the same bytes
      break;
    }
  }
  if ((*at & 0xF0) == 0x40) prefixes.wide = (*at++ & 8) != 0;
  MemoryInstruction out;
  out.gs = prefixes.gs;
  uint32_t immediate = 0;
  bool known = false;
  if (*at == 0x0F) {
    known = ReadTwoBytes(at[1], at[2] >> 3 & 7, prefixes, &out, &immediate);
    at += 2;
  } else {
    known = ReadOneByte(at[0], at[1] >> 3 & 7, prefixes, &out, &immediate);
    at += 1;
  }
  const uint32_t operand = known ? MemoryOperandLength(at) : 0;
  out.length = operand == 0 ? 0 : static_cast<uint32_t>(at - code) + operand + immediate;
  return out;
}

}  // namespace sim
