/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * An instruction line:
 *   [line number] PC mask destinations [registers] opcode sources [registers] [commit] width
 *   [encoding addresses] [immediates] [values]
 * PC and mask are hexadecimal. Three encodings of addresses: 0 lists that of each thread, 1 has a
 * base and a stride, 2 a base and the difference of each further thread to the one before.
 *
 * From version 6 on, the instructions of tensor cores with GMMA in their name have the field
 * commit, there can be a second immediate and the values of registers, and after the width, bulk
 * copies have
 *   barrier multicast [mask] bytes bytes-beyond encoding addresses
 * with the encodings 3: a number and so many addresses; 4: a base, a number, and the difference of
 * each further address to the one before. Barrier, mask and addresses are hexadecimal.
 */
#include "predict/trace/accelsim.h"
#include "predict/trace/scan.h"

#define FIRST_WITH_BULK 6 /* version */

enum encoding { LIST, STRIDE, DELTAS, BULK_LIST, BULK_DELTAS };

/* A number of registers, and their names: R7, UR7, P7 or UP7. Those of threads (R) are kept. */
static bool read_registers(const char **at, uint8_t kept[GC_OPERANDS], unsigned *kept_count)
{
  uint64_t count, number;

  *kept_count = 0;
  if (!scan_decimal(at, &count) || count > GC_OPERANDS)
    return false;
  while (count--) {
    const bool of_thread = **at == 'R';

    *at += **at == 'U';
    if (**at != 'R' && **at != 'P')
      return false;
    ++*at;
    if (!scan_decimal(at, &number) || number > UINT8_MAX)
      return false;
    if (of_thread)
      kept[(*kept_count)++] = (uint8_t)number;
  }
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

/* The immediates and the values of registers behind the addresses. *first is the first immediate.
 */
static bool is_tail(unsigned version, const char *at, uint64_t *first)
{
  uint64_t immediate;

  for (unsigned i = 0; *at && i < (version < FIRST_WITH_BULK ? 1 : 2); i++) {
    const char *digits = at + (*at == '-');

    if (version < 5 || !scan_decimal(&digits, &immediate))
      break;
    if (!i && *at != '-')
      *first = immediate;
    at = digits;
  }
  if (version >= FIRST_WITH_BULK && (scan_text(&at, "NoVal") || scan_text(&at, "Val")))
    return scan_gap(&at);
  return !*at;
}

/* Is this one of the opcodes that have the fields of bulk copies? */
static bool is_bulk(const struct gc_accelsim_line *line)
{
  struct gc_opcode opcode;

  if (strncmp(line->opcode, "UTMA", 4) && strncmp(line->opcode, "UBLK", 4))
    return false;
  gc_opcode_find(line->opcode, line->opcode_length, &opcode);
  return opcode.space == GC_OPCODE_BULK || !strncmp(line->opcode, "UBLKCP", 6);
}

static bool skip_bulk_fields(const char **at)
{
  uint64_t barrier, multicast, mask, bytes;

  return scan_hex(at, &barrier) && scan_decimal(at, &multicast) &&
         (!multicast || scan_hex(at, &mask)) && scan_decimal(at, &bytes) &&
         scan_decimal(at, &bytes);
}

const char *gc_accelsim_read_bulk(const struct gc_accelsim_line *line,
                                  gc_accelsim_take_address *take, void *data, int *status)
{
  const char *at = line->bulk;
  uint64_t encoding, address = 0, count, immediate;
  int64_t delta;

  *status = 0;
  if (!scan_decimal(&at, &encoding) || (encoding != BULK_LIST && encoding != BULK_DELTAS))
    return "the encoding of the addresses is none of 3 and 4";
  if ((encoding == BULK_DELTAS && !scan_hex(&at, &address)) || !scan_decimal(&at, &count))
    return "there is no number of addresses";
  for (uint64_t i = 0; i < count && !*status; i++) {
    if (encoding == BULK_LIST) {
      if (!scan_hex(&at, &address))
        return "there are fewer addresses than their number";
    } else if (i) {
      if (!scan_signed(&at, &delta))
        return "there are fewer address differences than their number";
      address += (uint64_t)delta;
    }
    *status = take(address, data);
  }
  return *status || is_tail(FIRST_WITH_BULK, at, &immediate)
             ? NULL
             : "there is more text than an instruction has";
}

const char *gc_accelsim_read_line(const struct gc_accelsim_header *header, const char *text,
                                  struct gc_accelsim_line *line)
{
  uint64_t pc, mask, width, source_line, commit;
  const char *why;

  scan_blanks(&text);
  if (header->lineinfo && !scan_decimal(&text, &source_line))
    return "there is no source line number, although the header says -enable lineinfo = 1";
  if (!scan_hex(&text, &pc) || pc > UINT32_MAX)
    return "there is no hexadecimal PC";
  if (!scan_hex(&text, &mask) || mask > UINT32_MAX)
    return "there is no hexadecimal mask of 32 bits";
  if (!read_registers(&text, line->operands.writes, &line->operands.write_count))
    return "there is no list of destination registers";
  if (*text < 'A' || *text > 'Z' || !scan_word(&text, &line->opcode, &line->opcode_length))
    return "there is no opcode";
  if (!read_registers(&text, line->operands.reads, &line->operands.read_count))
    return "there is no list of source registers";
  if (header->version >= FIRST_WITH_BULK && memmem(line->opcode, line->opcode_length, "GMMA", 4) &&
      !scan_decimal(&text, &commit))
    return "there is no number after the registers of a GMMA instruction";
  if (!scan_decimal(&text, &width) || width > 1024)
    return "there is no width of a memory access";
  line->pc = (uint32_t)pc;
  line->mask = (uint32_t)mask;
  line->width = (unsigned)width;
  line->bulk = NULL;
  line->operands.immediate = 0;
  if (header->version >= FIRST_WITH_BULK && is_bulk(line)) {
    if (!skip_bulk_fields(&text))
      return "there are no fields of a bulk copy";
    line->bulk = text;
    return NULL;
  }
  why = width ? read_addresses(&text, line) : NULL;
  if (!why && !is_tail(header->version, text, &line->operands.immediate))
    why = "there is more text than an instruction has";
  return why;
}
