/* SPDX-License-Identifier: BSD-3-Clause */
#include "predict/trace/opcode.h"

#include <stdbool.h>
#include <string.h>

/* The part of the opcode before the first '.'. */
static const struct {
  const char *name;
  enum gc_opcode_space space;
  enum gc_trace_operation operation;
} opcodes[] = {
    {"LDG", GC_OPCODE_GLOBAL, GC_TRACE_LOAD},
    {"STG", GC_OPCODE_GLOBAL, GC_TRACE_STORE},
    {"ATOMG", GC_OPCODE_GLOBAL, GC_TRACE_ATOMIC},
    {"REDG", GC_OPCODE_GLOBAL, GC_TRACE_ATOMIC},
    {"LD", GC_OPCODE_GENERIC, GC_TRACE_LOAD},
    {"ST", GC_OPCODE_GENERIC, GC_TRACE_STORE},
    {"ATOM", GC_OPCODE_GENERIC, GC_TRACE_ATOMIC},
    {"RED", GC_OPCODE_GENERIC, GC_TRACE_ATOMIC},
    {"LDL", GC_OPCODE_LOCAL, GC_TRACE_LOAD},
    {"STL", GC_OPCODE_LOCAL, GC_TRACE_STORE},
    {"LDGSTS", GC_OPCODE_ASYNC, GC_TRACE_LOAD},
    {"BAR", GC_OPCODE_NONE, GC_TRACE_BARRIER},
    {"UCGABAR_WAIT", GC_OPCODE_NONE, GC_TRACE_BARRIER}, /* of a cluster: also of this block */

    /* Textures and surfaces. */
    {"TEX", GC_OPCODE_TEXTURE, GC_TRACE_OTHER},
    {"TEXS", GC_OPCODE_TEXTURE, GC_TRACE_OTHER},
    {"TLD", GC_OPCODE_TEXTURE, GC_TRACE_OTHER},
    {"TLDS", GC_OPCODE_TEXTURE, GC_TRACE_OTHER},
    {"TLD4", GC_OPCODE_TEXTURE, GC_TRACE_OTHER},
    {"TLD4S", GC_OPCODE_TEXTURE, GC_TRACE_OTHER},
    {"TXD", GC_OPCODE_TEXTURE, GC_TRACE_OTHER},
    {"SULD", GC_OPCODE_TEXTURE, GC_TRACE_OTHER},
    {"SUST", GC_OPCODE_TEXTURE, GC_TRACE_OTHER},
    {"SUATOM", GC_OPCODE_TEXTURE, GC_TRACE_OTHER},
    {"SURED", GC_OPCODE_TEXTURE, GC_TRACE_OTHER},

    /* Bulk and tensor copies of Hopper and newer, and prefetches into L2 of that kind. The suffix
       of UBLKCP has the direction. */
    {"UBLKCP", GC_OPCODE_BULK, GC_TRACE_LOAD},
    {"UBLKPF", GC_OPCODE_BULK, GC_TRACE_LOAD},
    {"UBLKRED", GC_OPCODE_BULK, GC_TRACE_ATOMIC},
    {"UTMALDG", GC_OPCODE_BULK, GC_TRACE_LOAD},
    {"UTMAPF", GC_OPCODE_BULK, GC_TRACE_LOAD},
    {"UTMAREDG", GC_OPCODE_BULK, GC_TRACE_ATOMIC},
    {"UTMASTG", GC_OPCODE_BULK, GC_TRACE_STORE},

    /* These have an address, but not one that reads or writes global memory. */
    {"LDS", GC_OPCODE_NONE, GC_TRACE_OTHER},
    {"STS", GC_OPCODE_NONE, GC_TRACE_OTHER},
    {"ATOMS", GC_OPCODE_NONE, GC_TRACE_OTHER},
    {"LDSM", GC_OPCODE_NONE, GC_TRACE_OTHER},
    {"STSM", GC_OPCODE_NONE, GC_TRACE_OTHER},
    {"LDSLK", GC_OPCODE_NONE, GC_TRACE_OTHER},
    {"STSCUL", GC_OPCODE_NONE, GC_TRACE_OTHER},
    {"STAS", GC_OPCODE_NONE, GC_TRACE_OTHER},
    {"REDAS", GC_OPCODE_NONE, GC_TRACE_OTHER},
    {"SYNCS", GC_OPCODE_NONE, GC_TRACE_OTHER},
    {"ARRIVES", GC_OPCODE_NONE, GC_TRACE_OTHER},
    {"LDC", GC_OPCODE_NONE, GC_TRACE_OTHER},
    {"LDCU", GC_OPCODE_NONE, GC_TRACE_OTHER},
    {"ULDC", GC_OPCODE_NONE, GC_TRACE_OTHER},
    {"CCTL", GC_OPCODE_NONE, GC_TRACE_OTHER},
    {"CCTLL", GC_OPCODE_NONE, GC_TRACE_OTHER},
    {"CCTLT", GC_OPCODE_NONE, GC_TRACE_OTHER},
    {"QSPC", GC_OPCODE_NONE, GC_TRACE_OTHER},
    {"LDTM", GC_OPCODE_NONE, GC_TRACE_OTHER},
    {"STTM", GC_OPCODE_NONE, GC_TRACE_OTHER},

    /* Groups of LDGSTS. */
    {"LDGDEPBAR", GC_OPCODE_NONE, GC_TRACE_OTHER},
    {"DEPBAR", GC_OPCODE_NONE, GC_TRACE_OTHER},
};

struct word {
  const char *text;
  size_t length;
};

static bool is(struct word word, const char *text)
{
  return strlen(text) == word.length && !memcmp(word.text, text, word.length);
}

/* The first letters of the opcodes above. Most instructions are found to be none of them at once.
 */
static bool can_be_listed(char first)
{
  return memchr("LSARBUTCQD", first, 10) != NULL;
}

static enum gc_opcode_async async_of(struct word name)
{
  return is(name, "LDGDEPBAR") ? GC_OPCODE_ENDS_GROUP
         : is(name, "DEPBAR")  ? GC_OPCODE_WAITS_GROUPS
         : is(name, "SYNCS")   ? GC_OPCODE_WAITS_BARRIER
                               : GC_OPCODE_NO_ASYNC;
}

static void find_name(struct word name, struct gc_opcode *found)
{
  *found = (struct gc_opcode){GC_OPCODE_UNKNOWN, GC_TRACE_OTHER, GC_TRACE_CACHED, 0, 0};
  if (!name.length || !can_be_listed(*name.text))
    return;
  for (size_t i = 0; i < sizeof(opcodes) / sizeof(*opcodes); i++)
    if (is(name, opcodes[i].name)) {
      found->space = opcodes[i].space;
      found->operation = opcodes[i].operation;
      found->async = async_of(name);
      return;
    }
}

/* The bytes of a suffix such as 64, U8, S16, F32 or F16x2; 0 if it gives none. */
static unsigned bytes_of(struct word word)
{
  static const struct {
    const char *bits;
    unsigned bytes;
  } sizes[] = {{"8", 1}, {"16", 2}, {"32", 4}, {"64", 8}, {"128", 16}, {"256", 32}};

  if (is(word, "F16x2") || is(word, "BF16x2") || is(word, "BF16_V2") || is(word, "F16_V2"))
    return 4;
  if (word.length && memchr("USF", *word.text, 3)) {
    word.text++;
    word.length--;
  }
  for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
    if (is(word, sizes[i].bits))
      return sizes[i].bytes;
  return 0;
}

/* Takes the word up to the next '.' from *rest. */
static struct word take(const char **rest, const char *end)
{
  const char *dot = memchr(*rest, '.', (size_t)(end - *rest));
  const struct word word = {*rest, (size_t)((dot ? dot : end) - *rest)};

  *rest = dot ? dot + 1 : end;
  return word;
}

/* STRONG.SM (ld.global.ca) and STRONG.CTA may use L1; STRONG.GPU (.cg) and STRONG.SYS (volatile)
 * may not. SYS alone is in every load of Volta. CG and CV are from Maxwell and Pascal, as is CI,
 * which became CONSTANT. NA: L1::no_allocate. */
static void read_suffixes(const char *rest, const char *end, struct gc_opcode *found)
{
  bool strong = false, checks = false;

  while (rest < end) {
    const struct word word = take(&rest, end);
    const unsigned bytes = bytes_of(word);

    if (bytes)
      found->bytes = bytes;
    else if (is(word, "STRONG"))
      strong = true;
    else if ((strong && (is(word, "GPU") || is(word, "SYS") || is(word, "VC"))) ||
             is(word, "MMIO") || is(word, "CG") || is(word, "CV") || is(word, "BYPASS") ||
             is(word, "NA"))
      found->hint = GC_TRACE_NO_L1;
    else if ((is(word, "CONSTANT") || is(word, "CI")) && found->hint == GC_TRACE_CACHED)
      found->hint = GC_TRACE_READ_ONLY;
    else if (is(word, "PHASECHK"))
      checks = true;
    else if (is(word, "ARV") && found->operation == GC_TRACE_BARRIER)
      found->operation = GC_TRACE_OTHER; /* bar.arrive does not wait */
  }
  if (found->async == GC_OPCODE_WAITS_BARRIER && !checks)
    found->async = GC_OPCODE_NO_ASYNC; /* it initializes a barrier, or arrives there */
}

/* Bulk copies pass L1. UBLKCP.S.G loads, UBLKCP.G.S stores, UBLKCP.S.S stays in shared memory. */
static void read_bulk(struct word name, const char *rest, const char *end, struct gc_opcode *found)
{
  found->hint = GC_TRACE_NO_L1;
  if (!is(name, "UBLKCP") || rest == end)
    return;
  if (is(take(&rest, end), "G"))
    found->operation = GC_TRACE_STORE;
  else if (is(take(&rest, end), "S"))
    *found = (struct gc_opcode){GC_OPCODE_NONE, GC_TRACE_OTHER, GC_TRACE_CACHED, 0, 0};
}

void gc_opcode_find(const char *opcode, size_t length, struct gc_opcode *found)
{
  const char *rest = opcode, *end = opcode + length;
  const struct word name = take(&rest, end);

  find_name(name, found);
  if (found->space == GC_OPCODE_BULK)
    read_bulk(name, rest, end, found);
  else if (found->space != GC_OPCODE_UNKNOWN)
    read_suffixes(rest, end, found);
}

const struct gc_opcode *gc_opcode_recall(struct gc_opcode_memo *memo, uint32_t pc,
                                         const char *opcode, size_t length)
{
  const size_t i = (pc / 8) % (sizeof(memo->entries) / sizeof(*memo->entries));

  if (memo->entries[i].length != length || memcmp(memo->entries[i].text, opcode, length)) {
    gc_opcode_find(opcode, length, &memo->entries[i].opcode);
    memo->entries[i].length = length <= sizeof(memo->entries[i].text) ? length : 0;
    memcpy(memo->entries[i].text, opcode, memo->entries[i].length);
  }
  return &memo->entries[i].opcode;
}
