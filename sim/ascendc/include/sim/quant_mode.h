// SPDX-License-Identifier: Apache-2.0
// What Fixpipe does to each value. Names and values are those of CANN's compiler, which has them built in.
// Modes with V take a factor for each column, the same ones without V one factor for all.
#pragma once

enum QuantMode_t {
  NoQuant = 0,
  F322F16 = 1,
  AttachF16Mul = 6,
  VREQ8 = 8,
  REQ8 = 9,
  VDEQF16 = 10,
  DEQF16 = 11,
  VSHIFTS322S16 = 12,
  SHIFTS322S16 = 13,
  F322BF16 = 16,
  VQF162B8_PRE = 17,
  QF162B8_PRE = 18,
  VQF162S4_PRE = 19,
  QF162S4_PRE = 20,
  VREQ4 = 21,
  REQ4 = 22,
  VQF322B8_PRE = 23,
  QF322B8_PRE = 24,
  VQF322S4_PRE = 25,
  QF322S4_PRE = 26,
  VDEQS16 = 27,
  DEQS16 = 28,
  VQF162S16_PRE = 29,
  QF162S16_PRE = 30,
};
