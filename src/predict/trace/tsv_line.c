/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * An instruction line of our TSV:
 *   block warp pc load|store|atomic hint bytes mask addresses
 *   block warp pc barrier
 *   block warp pc other [count]
 */
#include "predict/trace/scan.h"
#include "predict/trace/tsv.h"

const char *const gc_tsv_operations[] = {"load", "store", "atomic", "barrier", "other"};
const char *const gc_tsv_hints[] = {"-", "no-l1", "read-only"};

struct word {
  const char *text;
  size_t length;
};

static bool take(const char **at, struct word *word)
{
  return scan_word(at, &word->text, &word->length);
}

/* The number of the word in the table, or -1. */
static int find(struct word word, const char *const *table, int count)
{
  for (int i = 0; i < count; i++)
    if (strlen(table[i]) == word.length && !memcmp(table[i], word.text, word.length))
      return i;
  return -1;
}

/* One address in hexadecimal for each thread of the mask, with commas between. */
static bool read_list(const char *at, struct gc_trace_instruction *instruction)
{
  for (uint64_t left = instruction->mask; left; left &= left - 1) {
    if (left != instruction->mask && *at++ != ',')
      return false;
    if (!scan_hex_digits(&at, &instruction->addresses[__builtin_ctzll(left)]))
      return false;
  }
  return !*at;
}

/* BASE+STRIDE or BASE-STRIDE: thread i of the warp accesses BASE + i * STRIDE, STRIDE decimal. */
static bool read_stride(const char *at, struct gc_trace_instruction *instruction)
{
  uint64_t base;
  int64_t stride;

  if (!scan_hex_digits(&at, &base) || (*at != '+' && *at != '-') || !scan_signed(&at, &stride) ||
      *at)
    return false;
  if (stride > INT32_MAX || stride < -INT32_MAX)
    return false;
  for (uint64_t left = instruction->mask; left; left &= left - 1)
    instruction->addresses[__builtin_ctzll(left)] =
        base + (uint64_t)stride * (unsigned)__builtin_ctzll(left);
  return true;
}

static const char *read_access(const char *at, unsigned warp_threads,
                               struct gc_trace_instruction *instruction)
{
  uint64_t bytes;
  struct word word;
  int hint;

  if (!take(&at, &word) || (hint = find(word, gc_tsv_hints, 3)) < 0)
    return "the hint is none of -, no-l1 and read-only";
  instruction->hint = (enum gc_trace_hint)hint;
  if (!scan_decimal(&at, &bytes) || !bytes || bytes > 16 || bytes & (bytes - 1))
    return "the bytes of each thread are none of 1, 2, 4, 8 and 16";
  instruction->bytes = (unsigned)bytes;
  if (!scan_hex(&at, &instruction->mask) ||
      (warp_threads < 64 && instruction->mask >> warp_threads))
    return "there is no hexadecimal mask with a bit for each thread of the warp";
  if (!instruction->mask)
    return NULL; /* whatever the addresses are */
  if (strpbrk(at, "+-") ? !read_stride(at, instruction) : !read_list(at, instruction))
    return "the addresses are neither a list with one for each thread of the mask, nor base and "
           "stride";
  for (uint64_t left = instruction->mask; left; left &= left - 1)
    if (!gc_trace_is_global(instruction->addresses[__builtin_ctzll(left)], instruction->bytes))
      return "an address is beyond the 57 bits of an address";
  return NULL;
}

static const char *read_other(const char *at, struct gc_trace_instruction *instruction)
{
  uint64_t count = 1;

  if (*at && (!scan_decimal(&at, &count) || *at || !count || count > UINT32_MAX))
    return "other is followed by the number of instructions, or by nothing";
  instruction->count = (unsigned)count;
  return NULL;
}

const char *gc_tsv_read_line(const char *text, unsigned warp_threads, struct gc_tsv_line *line)
{
  struct gc_trace_instruction *instruction = &line->instruction;
  struct word word;
  uint64_t pc;
  int operation;

  scan_blanks(&text);
  if (!scan_decimal(&text, &line->block) || !scan_decimal(&text, &line->warp))
    return "this must begin with the numbers of a block and of a warp";
  if (!scan_hex(&text, &pc) || pc > UINT32_MAX)
    return "there is no hexadecimal pc of 32 bits";
  if (!take(&text, &word) || (operation = find(word, gc_tsv_operations, 5)) < 0)
    return "the operation is none of load, store, atomic, barrier and other";
  instruction->operation = (enum gc_trace_operation)operation;
  instruction->hint = GC_TRACE_CACHED;
  instruction->pc = (uint32_t)pc;
  instruction->bytes = 0;
  instruction->count = 1;
  instruction->mask = 0;
  if (operation == GC_TRACE_OTHER)
    return read_other(text, instruction);
  if (operation != GC_TRACE_BARRIER)
    return read_access(text, warp_threads, instruction);
  instruction->mask = UINT64_MAX; /* of the threads that there are */
  return *text ? "nothing may follow barrier" : NULL;
}
