/* SPDX-License-Identifier: BSD-3-Clause */
#include "predict/trace/registers.h"

#define NO_REGISTER 255 /* RZ */
#define REGISTER_BYTES 4
#define ADDRESS_REGISTERS 2

static bool accesses_memory(const struct gc_opcode *opcode)
{
  return opcode->space == GC_OPCODE_GLOBAL || opcode->space == GC_OPCODE_GENERIC ||
         opcode->space == GC_OPCODE_LOCAL;
}

static bool loads(const struct gc_opcode *opcode)
{
  return opcode->operation == GC_TRACE_LOAD || opcode->operation == GC_TRACE_ATOMIC;
}

static void add(struct gc_register_set *set, unsigned first, unsigned count)
{
  for (unsigned i = first; first != NO_REGISTER && i < first + count && i < NO_REGISTER; i++)
    set->bits[i / 64] |= UINT64_C(1) << i % 64;
}

void gc_uses_of(const struct gc_operands *operands, const struct gc_opcode *opcode, unsigned bytes,
                struct gc_uses *uses)
{
  const bool memory = accesses_memory(opcode);
  unsigned data = 1;

  *uses = (struct gc_uses){.async = opcode->async,
                           .groups = operands->immediate,
                           .group = opcode->space == GC_OPCODE_ASYNC && loads(opcode),
                           .bulk = opcode->space == GC_OPCODE_BULK && loads(opcode)};
  if (opcode->bytes)
    bytes = opcode->bytes;
  if (memory && bytes > REGISTER_BYTES)
    data = bytes <= 32 ? bytes / REGISTER_BYTES : 8;
  for (unsigned i = 0; i < operands->read_count; i++)
    add(&uses->needs, operands->reads[i], memory && !i ? ADDRESS_REGISTERS : data);
  for (unsigned i = 0; i < operands->write_count; i++) {
    add(&uses->needs, operands->writes[i], data);
    if (memory && loads(opcode))
      add(&uses->loads, operands->writes[i], data);
  }
}

/* A group of LDGSTS that has not ended stays. */
static void arrive(struct gc_pending *pending)
{
  *pending = (struct gc_pending){.group = pending->group};
}

bool gc_pending_waits(struct gc_pending *pending, const struct gc_uses *uses)
{
  bool waits = gc_registers_meet(&pending->registers, &uses->needs);

  if (uses->async == GC_OPCODE_WAITS_GROUPS)
    waits |= pending->groups > uses->groups;
  else if (uses->async == GC_OPCODE_WAITS_BARRIER)
    waits |= pending->bulk;
  if (waits)
    arrive(pending);
  return waits;
}

bool gc_pending_wait_for_all(struct gc_pending *pending)
{
  const bool waits = gc_registers_meet(&pending->registers, &pending->registers) ||
                     pending->groups || pending->bulk;

  if (waits)
    arrive(pending);
  return waits;
}

void gc_pending_start(struct gc_pending *pending, const struct gc_uses *uses, bool executed)
{
  if (uses->async == GC_OPCODE_ENDS_GROUP && pending->group) {
    pending->groups++;
    pending->group = false;
  }
  if (!executed)
    return;
  pending->group |= uses->group;
  pending->bulk |= uses->bulk;
  gc_registers_add(&pending->registers, &uses->loads);
}
