/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * An instruction line:
 *   [line number] PC mask destinations [registers] opcode sources [registers] width
 *   [encoding addresses] [immediate]
 * PC and mask are hexadecimal. Three encodings of addresses: 0 lists that of each thread, 1 has a
 * base and a stride, 2 a base and the difference of each further thread to the one before.
 */
#include "predict/trace/accelsim.h"
#include "predict/trace/scan.h"

#define MOST_REGISTERS 16

enum encoding { LIST, STRIDE, DELTAS };

/* A number of registers, and their names. */
static bool skip_registers(const char **at)
{
  uint64_t count;
  const char *word;
  size_t length;

  if (!scan_decimal(at, &count) || count > MOST_REGISTERS)
    return false;
  while (count--)
    if (**at != 'R' || !scan_word(at, &word, &length))
      return false;
  return true;
}

static const char *read_list(const char **at, struct gc_accelsim_line *line)
{
  for (uint32_t left = line->mask; left; left &= left - 1)
    if (!scan_hex(at, &line->addresses[__builtin_ctz(left)]))
      return "there is no address for each thread of the mask";
  return NULL;
}

static const char *read_stride(const char **at, struct gc_accelsim_line *line)
{
  uint64_t address, ones;
  int64_t stride;
  unsigned first;

  if (!scan_hex(at, &address) || !scan_signed(at, &stride))
    return "there is no base address with a stride";
  if (!line->mask)
    return NULL; /* the tracer writes a base address of 0 and any stride */
  first = (unsigned)__builtin_ctz(line->mask);
  ones = line->mask >> first;
  if (ones & (ones + 1))
    return "a base address with a stride needs a mask without gaps";
  for (unsigned i = first; i < GC_ACCELSIM_LANES; i++) {
    line->addresses[i] = address;
    address += (uint64_t)stride;
  }
  return NULL;
}

static const char *read_deltas(const char **at, struct gc_accelsim_line *line)
{
  uint64_t address;
  int64_t delta = 0;
  uint32_t left = line->mask;

  if (!scan_hex(at, &address))
    return "there is no base address";
  for (; left; left &= left - 1) {
    if (left != line->mask && !scan_signed(at, &delta))
      return "there is no address difference for each thread of the mask";
    address += (uint64_t)delta;
    line->addresses[__builtin_ctz(left)] = address;
  }
  return NULL;
}

static const char *read_addresses(const char **at, struct gc_accelsim_line *line)
{
  uint64_t encoding;

  if (!scan_decimal(at, &encoding))
    return "the width is not followed by an encoding of addresses";
  switch (encoding) {
  case LIST:
    return read_list(at, line);
  case STRIDE:
    return read_stride(at, line);
  case DELTAS:
    return read_deltas(at, line);
  default:
    return "the encoding of the addresses is none of 0, 1 and 2";
  }
}

const char *gc_accelsim_read_line(const struct gc_accelsim_header *header, const char *text,
                                  struct gc_accelsim_line *line)
{
  uint64_t pc, mask, width, source_line;
  int64_t immediate;
  const char *why;

  scan_blanks(&text);
  if (header->lineinfo && !scan_decimal(&text, &source_line))
    return "there is no source line number, although the header says -enable lineinfo = 1";
  if (!scan_hex(&text, &pc) || pc > UINT32_MAX)
    return "there is no hexadecimal PC";
  if (!scan_hex(&text, &mask) || mask > UINT32_MAX)
    return "there is no hexadecimal mask of 32 bits";
  if (!skip_registers(&text))
    return "there is no list of destination registers";
  if (*text < 'A' || *text > 'Z' || !scan_word(&text, &line->opcode, &line->opcode_length))
    return "there is no opcode";
  if (!skip_registers(&text))
    return "there is no list of source registers";
  if (!scan_decimal(&text, &width) || width > 1024)
    return "there is no width of a memory access";
  line->pc = (uint32_t)pc;
  line->mask = (uint32_t)mask;
  line->width = (unsigned)width;
  why = width ? read_addresses(&text, line) : NULL;
  if (!why && *text && (header->version < 5 || !scan_signed(&text, &immediate) || *text))
    why = "there is more text than an instruction has";
  return why;
}
