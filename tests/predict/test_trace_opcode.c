/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * What opcodes mean: a table of instructions as compilers make them, Maxwell to Blackwell.
 */
#include "trace_text.h"

#include "predict/trace/opcode.h"

#define LOAD GC_TRACE_LOAD
#define STORE GC_TRACE_STORE
#define ATOMIC GC_TRACE_ATOMIC
#define OTHER GC_TRACE_OTHER
#define BARRIER GC_TRACE_BARRIER

static const struct {
  const char *opcode;
  struct gc_opcode expected;
} table[] = {
    {"LDG.E", {GC_OPCODE_GLOBAL, LOAD, GC_TRACE_CACHED, 0, 0}},
    {"LDG.E.64.CONSTANT.SYS", {GC_OPCODE_GLOBAL, LOAD, GC_TRACE_READ_ONLY, 8, 0}},
    {"LDG.E.U8.STRONG.GPU", {GC_OPCODE_GLOBAL, LOAD, GC_TRACE_NO_L1, 1, 0}},
    {"LDG.E.128.STRONG.SM", {GC_OPCODE_GLOBAL, LOAD, GC_TRACE_CACHED, 16, 0}},
    {"LDG.E.SYS", {GC_OPCODE_GLOBAL, LOAD, GC_TRACE_CACHED, 0, 0}},
    {"LDG.E.CI.128", {GC_OPCODE_GLOBAL, LOAD, GC_TRACE_READ_ONLY, 16, 0}},
    {"LDG.E.LTC256B.64.CONSTANT", {GC_OPCODE_GLOBAL, LOAD, GC_TRACE_READ_ONLY, 8, 0}},
    {"LDG.E.MMIO.SYS", {GC_OPCODE_GLOBAL, LOAD, GC_TRACE_NO_L1, 0, 0}},
    {"LD.E.S16", {GC_OPCODE_GENERIC, LOAD, GC_TRACE_CACHED, 2, 0}},
    {"LD.CG.32", {GC_OPCODE_GENERIC, LOAD, GC_TRACE_NO_L1, 4, 0}},
    {"STG.E.EF.128", {GC_OPCODE_GLOBAL, STORE, GC_TRACE_CACHED, 16, 0}},
    {"ST.E.STRONG.SYS", {GC_OPCODE_GENERIC, STORE, GC_TRACE_NO_L1, 0, 0}},
    {"ATOM.E.MIN.S64.STRONG.SM", {GC_OPCODE_GENERIC, ATOMIC, GC_TRACE_CACHED, 8, 0}},
    {"ATOMG.E.CAS.STRONG.GPU", {GC_OPCODE_GLOBAL, ATOMIC, GC_TRACE_NO_L1, 0, 0}},
    {"REDG.E.ADD.BF16_V2.RN.STRONG.GPU", {GC_OPCODE_GLOBAL, ATOMIC, GC_TRACE_NO_L1, 4, 0}},
    {"RED.E.ADD.F32.FTZ.RN.STRONG.GPU", {GC_OPCODE_GENERIC, ATOMIC, GC_TRACE_NO_L1, 4, 0}},
    {"LDL.LU.64", {GC_OPCODE_LOCAL, LOAD, GC_TRACE_CACHED, 8, 0}},
    {"STL.128", {GC_OPCODE_LOCAL, STORE, GC_TRACE_CACHED, 16, 0}},
    {"LDGSTS.E.BYPASS.LTC128B.128.ZFILL", {GC_OPCODE_ASYNC, LOAD, GC_TRACE_NO_L1, 16, 0}},
    {"LDGSTS.E.64", {GC_OPCODE_ASYNC, LOAD, GC_TRACE_CACHED, 8, 0}},
    {"BAR.SYNC.DEFER_BLOCKING", {GC_OPCODE_NONE, BARRIER, GC_TRACE_CACHED, 0, 0}},
    {"BAR.ARV", {GC_OPCODE_NONE, OTHER, GC_TRACE_CACHED, 0, 0}},
    {"BAR.RED.POPC", {GC_OPCODE_NONE, BARRIER, GC_TRACE_CACHED, 0, 0}},
    {"TEX.SCR.LL", {GC_OPCODE_TEXTURE, OTHER, GC_TRACE_CACHED, 0, 0}},
    {"UTMALDG.2D", {GC_OPCODE_BULK, LOAD, GC_TRACE_NO_L1, 0, 0}},
    {"UTMASTG.5D", {GC_OPCODE_BULK, STORE, GC_TRACE_NO_L1, 0, 0}},
    {"UTMAREDG.1D.ADD", {GC_OPCODE_BULK, ATOMIC, GC_TRACE_NO_L1, 0, 0}},
    {"UTMACMDFLUSH", {GC_OPCODE_UNKNOWN, OTHER, GC_TRACE_CACHED, 0, 0}},
    {"UBLKCP", {GC_OPCODE_BULK, LOAD, GC_TRACE_NO_L1, 0, 0}},
    {"UBLKCP.S.G", {GC_OPCODE_BULK, LOAD, GC_TRACE_NO_L1, 0, 0}},
    {"UBLKCP.G.S", {GC_OPCODE_BULK, STORE, GC_TRACE_NO_L1, 0, 0}},
    {"UBLKCP.S.S", {GC_OPCODE_NONE, OTHER, GC_TRACE_CACHED, 0, 0}},
    {"LDS.U.64", {GC_OPCODE_NONE, OTHER, GC_TRACE_CACHED, 8, 0}},
    {"LDGDEPBAR", {GC_OPCODE_NONE, OTHER, GC_TRACE_CACHED, 0, GC_OPCODE_ENDS_GROUP}},
    {"DEPBAR.LE", {GC_OPCODE_NONE, OTHER, GC_TRACE_CACHED, 0, GC_OPCODE_WAITS_GROUPS}},
    {"SYNCS.PHASECHK.TRANS64.TRYWAIT",
     {GC_OPCODE_NONE, OTHER, GC_TRACE_CACHED, 0, GC_OPCODE_WAITS_BARRIER}},
    {"SYNCS.ARRIVE.TRANS64", {GC_OPCODE_NONE, OTHER, GC_TRACE_CACHED, 0, 0}},
    {"IMAD.MOV.U32", {GC_OPCODE_UNKNOWN, OTHER, GC_TRACE_CACHED, 0, 0}},
    {"LDGX.E.64", {GC_OPCODE_UNKNOWN, OTHER, GC_TRACE_CACHED, 0, 0}}, /* not LDG */
    {"L", {GC_OPCODE_UNKNOWN, OTHER, GC_TRACE_CACHED, 0, 0}},
    {"", {GC_OPCODE_UNKNOWN, OTHER, GC_TRACE_CACHED, 0, 0}},
    {".", {GC_OPCODE_UNKNOWN, OTHER, GC_TRACE_CACHED, 0, 0}},
    {"LDG..64.", {GC_OPCODE_GLOBAL, LOAD, GC_TRACE_CACHED, 8, 0}},
};
#define ROWS (sizeof(table) / sizeof(*table))

static void check(const char *opcode, const struct gc_opcode *found,
                  const struct gc_opcode *expected)
{
  if (found->space != expected->space || found->operation != expected->operation ||
      found->hint != expected->hint || found->bytes != expected->bytes ||
      found->async != expected->async)
    fail_msg("%s: space %d, operation %d, hint %d, %u bytes", opcode, found->space,
             found->operation, found->hint, found->bytes);
}

static void opcodes_of_all_generations(void **state)
{
  struct gc_opcode found;

  (void)state;
  for (size_t i = 0; i < ROWS; i++) {
    gc_opcode_find(table[i].opcode, strlen(table[i].opcode), &found);
    check(table[i].opcode, &found, &table[i].expected);
  }
}

/* Only the length counts: what follows in the line is not part of the opcode. */
static void end_of_an_opcode(void **state)
{
  struct gc_opcode found;

  (void)state;
  gc_opcode_find("LDG.E.64.STRONG.GPU", 8, &found);
  check("LDG.E.64", &found, &(struct gc_opcode){GC_OPCODE_GLOBAL, LOAD, GC_TRACE_CACHED, 8, 0});
}

/* Instructions whose offsets share an entry do not get each other's meaning. */
static void memo_keeps_opcodes_apart(void **state)
{
  static struct gc_opcode_memo memo;
  const char *long_one = "LDG.E.64.STRONG.GPU.AND.A.LONG.TAIL";

  (void)state;
  for (int round = 0; round < 3; round++)
    for (size_t i = 0; i < ROWS; i++) {
      const uint32_t pc = round ? (uint32_t)(i % 2 * 4096) : 8;

      check(table[i].opcode, gc_opcode_recall(&memo, pc, table[i].opcode, strlen(table[i].opcode)),
            &table[i].expected);
    }
  for (int round = 0; round < 2; round++)
    check(long_one, gc_opcode_recall(&memo, 16, long_one, strlen(long_one)),
          &(struct gc_opcode){GC_OPCODE_GLOBAL, LOAD, GC_TRACE_NO_L1, 8, 0});
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(opcodes_of_all_generations),
      cmocka_unit_test(end_of_an_opcode),
      cmocka_unit_test(memo_keeps_opcodes_apart),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
