/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Which instructions wait for loads. A warp executes in order, and goes on after a load until an
 * instruction reads or writes a register that the load will write: the hardware has a scoreboard
 * for this. The trace names the first register of each operand; how many belong to it follows from
 * the bytes of the access. An address takes two registers.
 *
 * LDGSTS writes no register: DEPBAR waits for groups of them. A bulk copy ends at the barrier in
 * shared memory that SYNCS.PHASECHK checks. All loads of a warp count as one here: the instruction
 * that waits for one of them waits for all that are under way.
 */
#include "predict/trace/accelsim.h"

#define NO_REGISTER 255 /* RZ */
#define REGISTER_BYTES 4
#define ADDRESS_REGISTERS 2

static unsigned registers_of(const struct gc_accelsim_line *line, const struct gc_opcode *opcode)
{
  const unsigned bytes = opcode->bytes ? opcode->bytes : line->width;

  return bytes <= REGISTER_BYTES ? 1 : bytes <= 32 ? bytes / REGISTER_BYTES : 8;
}

static bool accesses_memory(const struct gc_opcode *opcode)
{
  return opcode->space == GC_OPCODE_GLOBAL || opcode->space == GC_OPCODE_GENERIC ||
         opcode->space == GC_OPCODE_LOCAL;
}

static bool is_pending(const struct gc_accelsim_pending *pending, unsigned first, unsigned count)
{
  for (unsigned i = first; first != NO_REGISTER && i < first + count && i < NO_REGISTER; i++)
    if (pending->registers[i / 64] >> i % 64 & 1)
      return true;
  return false;
}

static bool needs_register(const struct gc_accelsim_pending *pending,
                           const struct gc_accelsim_line *line, const struct gc_opcode *opcode)
{
  const bool memory = accesses_memory(opcode);
  const unsigned data = memory ? registers_of(line, opcode) : 1;

  for (unsigned i = 0; i < line->read_count; i++)
    if (is_pending(pending, line->reads[i], memory && !i ? ADDRESS_REGISTERS : data))
      return true;
  for (unsigned i = 0; i < line->write_count; i++)
    if (is_pending(pending, line->writes[i], data))
      return true;
  return false;
}

bool gc_accelsim_waits(struct gc_accelsim_pending *pending, const struct gc_accelsim_line *line,
                       const struct gc_opcode *opcode)
{
  bool waits = needs_register(pending, line, opcode);

  if (opcode->async == GC_OPCODE_WAITS_GROUPS)
    waits |= pending->groups > line->immediate;
  else if (opcode->async == GC_OPCODE_WAITS_BARRIER)
    waits |= pending->bulk;
  if (waits)
    *pending = (struct gc_accelsim_pending){.group = pending->group};
  return waits;
}

void gc_accelsim_start(struct gc_accelsim_pending *pending, const struct gc_accelsim_line *line,
                       const struct gc_opcode *opcode)
{
  const bool loads = opcode->operation == GC_TRACE_LOAD || opcode->operation == GC_TRACE_ATOMIC;

  if (opcode->async == GC_OPCODE_ENDS_GROUP && pending->group) {
    pending->groups++;
    pending->group = false;
  }
  if (!line->mask || !loads)
    return;
  if (opcode->space == GC_OPCODE_ASYNC)
    pending->group = true;
  else if (opcode->space == GC_OPCODE_BULK)
    pending->bulk = true;
  for (unsigned i = 0; accesses_memory(opcode) && i < line->write_count; i++)
    for (unsigned k = 0; k < registers_of(line, opcode); k++)
      if (line->writes[i] + k < NO_REGISTER)
        pending->registers[(line->writes[i] + k) / 64] |= UINT64_C(1) << (line->writes[i] + k) % 64;
}
