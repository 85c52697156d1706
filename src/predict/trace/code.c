/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The text of machine code: offset, predicate, opcode and operands of each instruction.
 */
#include "predict/trace/code.h"

#include "predict/trace/format.h"
#include "predict/trace/scan.h"
#include "util/hash.h"

#include <errno.h>
#include <stdlib.h>

#define MOST_OFFSET (UINT32_C(1) << 25)
#define REGISTER_BYTES 4 /* of an access whose opcode has no bytes */
/* Names of files of a kernel; further ones are not kept. A small compressed trace could take all
 * memory otherwise. */
#define MOST_FILES ((size_t)1 << 22)

/* Adds an element of this size to an array. False: out of memory. */
static bool grow(void *array, size_t count, size_t *room, size_t size)
{
  const size_t more = *room ? 2 * *room : 256;
  void **at = array, *larger;

  if (count < *room)
    return true;
  larger = realloc(*at, more * size);
  if (larger) {
    *at = larger;
    *room = more;
  }
  return larger;
}

static bool is_of_name(char c)
{
  return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || c == '_';
}

/* The next register of a thread (R7) in the text: neither UR7 nor a part of a longer name. */
static bool next_register(const char **at, const char *end, uint8_t *number)
{
  char before = ' ';

  for (const char *p = *at; p < end; before = *p++) {
    const char *digits = p + 1;
    uint64_t value;

    if (*p == 'R' && !is_of_name(before) && scan_digits(&digits, &value) && value <= UINT8_MAX) {
      *number = (uint8_t)value;
      *at = digits;
      return true;
    }
  }
  return false;
}

/* The first register is the destination, except in stores, which begin with their address. An
 * instruction that does not access memory may begin with a source; that is no problem, because it
 * waits for sources and destinations alike. */
static void read_operands(const char *at, struct gc_operands *operands)
{
  bool first = true;

  *operands = (struct gc_operands){0};
  for (;;) {
    const char *end, *digits;
    uint8_t number;

    scan_blanks(&at);
    end = at + strcspn(at, ",");
    digits = at;
    if (!strncmp(at, "0x", 2) && !operands->immediate)
      scan_hex_digits(&digits, &operands->immediate);
    if (*at == '`') /* a label */
      at = end;
    if (first && *at == 'R') {
      first = false;
      if (next_register(&at, end, &number))
        operands->writes[operands->write_count++] = number;
    } else if (memchr(at, '[', (size_t)(end - at)))
      first = false;
    while (operands->read_count < GC_OPERANDS && next_register(&at, end, &number))
      operands->reads[operands->read_count++] = number;
    if (!*end)
      return;
    at = end + 1;
  }
}

static bool is_one_of(const char *opcode, size_t length, const char *const *names)
{
  const char *dot = memchr(opcode, '.', length);

  if (dot)
    length = (size_t)(dot - opcode);
  for (; *names; names++)
    if (strlen(*names) == length && !memcmp(*names, opcode, length))
      return true;
  return false;
}

/* Finds the successors of an instruction. A called function returns. The targets of jump tables and
 * RET are not known. A branch with an operand before its label is conditional. */
static void read_flow(const char *opcode, size_t length, bool predicate, const char *operands,
                      struct gc_code_instruction *instruction)
{
  static const char *const jumps[] = {"BRA", "JMP", NULL}, *const calls[] = {"CALL", NULL},
                           *const exits[] = {"EXIT", NULL}, *const ends[] = {"RET", "BRX",  "BRXU",
                                                                             "JMX", "JMXU", "KILL",
                                                                             NULL};
  const bool jump = is_one_of(opcode, length, jumps), call = is_one_of(opcode, length, calls);
  const char *label = strstr(operands, "`(");

  instruction->exits = is_one_of(opcode, length, exits);
  instruction->continues = predicate || (jump && label != operands) ||
                           !(jump || instruction->exits || is_one_of(opcode, length, ends));
  if (label && (jump || call))
    instruction->label = gc_hash(GC_HASH_START, label + 2, strcspn(label + 2, ")"));
  instruction->recorded = !predicate && (instruction->opcode.space == GC_OPCODE_GLOBAL ||
                                         instruction->opcode.space == GC_OPCODE_LOCAL ||
                                         instruction->opcode.space == GC_OPCODE_ASYNC);
}

static const char *read_instruction(const char *at, struct gc_code_instruction *instruction)
{
  const char *word;
  uint64_t pc;
  size_t length;
  bool predicate;
  struct gc_operands operands;

  *instruction = (struct gc_code_instruction){.target = GC_CODE_UNKNOWN};
  if (!scan_hex(&at, &pc) || pc % 8 || pc >= MOST_OFFSET)
    return "code is followed by neither a label nor the hexadecimal offset of an instruction";
  instruction->pc = (uint32_t)pc;
  predicate = *at == '@';
  if (predicate)
    scan_word(&at, &word, &length);
  if (*at < 'A' || *at > 'Z' || !scan_word(&at, &word, &length))
    return "there is no opcode";
  gc_opcode_find(word, length, &instruction->opcode);
  instruction->tensor =
      instruction->opcode.space == GC_OPCODE_BULK && length > 4 && !memcmp(word, "UTMA", 4);
  read_operands(at, &operands);
  gc_uses_of(&operands, &instruction->opcode, REGISTER_BYTES, &instruction->uses);
  read_flow(word, length, predicate, at, instruction);
  return NULL;
}

int gc_code_read_line(struct gc_code *code, const char *text, const char **why)
{
  const size_t length = strlen(text);

  if (length && text[length - 1] == ':') {
    if (!grow(&code->labels, code->label_count, &code->label_room, sizeof(*code->labels)))
      return -ENOMEM;
    code->labels[code->label_count++] =
        (struct gc_code_label){gc_hash(GC_HASH_START, text, length - 1), code->count};
    return 0;
  }
  if (!grow(&code->instructions, code->count, &code->room, sizeof(*code->instructions)))
    return -ENOMEM;
  *why = read_instruction(text, &code->instructions[code->count]);
  if (!*why && code->count &&
      code->instructions[code->count].pc <= code->instructions[code->count - 1].pc)
    *why = "the offset of the instruction is not higher than the one before";
  if (*why)
    return -EBADMSG;
  code->count++;
  return 0;
}

/* Finds or adds a name. Most lines have the file of the one before. False: out of memory. */
static bool add_file(struct gc_code *code, const char *name, uint32_t *file)
{
  const size_t size = strlen(name) + 1;

  for (size_t i = code->source_count; i-- && i + 64 > code->source_count;)
    if (!strcmp(code->files + code->sources[i].file, name)) {
      *file = code->sources[i].file;
      return true;
    }
  while (code->files_room < code->files_used + size)
    if (!grow(&code->files, code->files_room, &code->files_room, 1))
      return false;
  *file = (uint32_t)code->files_used;
  memcpy(code->files + code->files_used, name, size);
  code->files_used += size;
  return true;
}

int gc_code_read_source(struct gc_code *code, const char *text, const char **why)
{
  struct gc_code_source source = {.at = code->count};
  char name[GC_CODE_FILE];
  uint64_t line;

  if (!scan_decimal(&text, &line) || !line || line > UINT32_MAX || !*text ||
      strlen(text) >= sizeof name) {
    *why = "\"source\" needs a line number and a file name";
    return -EBADMSG;
  }
  if (code->files_used <= MOST_FILES) { /* else: the line stays 0, not known */
    source.line = (uint32_t)line;
    gc_trace_copy_text(name, sizeof name, text, strlen(text));
    if (!add_file(code, name, &source.file))
      return -ENOMEM;
  }
  /* a line without instructions is no source of any */
  if (code->source_count && code->sources[code->source_count - 1].at == source.at)
    code->source_count--;
  if (!grow(&code->sources, code->source_count, &code->source_room, sizeof *code->sources))
    return -ENOMEM;
  code->sources[code->source_count++] = source;
  return 0;
}

const char *gc_code_find_source(const struct gc_code *code, uint32_t pc, unsigned *line)
{
  const uint32_t at = gc_code_find(code, pc);
  size_t low = 0, high = code->source_count;

  while (low < high) { /* low: the first one that begins after the instruction */
    const size_t middle = low + (high - low) / 2;

    if (code->sources[middle].at <= at)
      low = middle + 1;
    else
      high = middle;
  }
  if (at == GC_CODE_UNKNOWN || !low || !code->sources[low - 1].line)
    return NULL;
  *line = code->sources[low - 1].line;
  return code->files + code->sources[low - 1].file;
}

static int by_hash(const void *a, const void *b)
{
  const struct gc_code_label *x = a, *y = b;

  return x->hash < y->hash ? -1 : x->hash > y->hash;
}

int gc_code_finish(struct gc_code *code)
{
  if (!code->count)
    return 0;
  code->queue = calloc(code->count, sizeof(*code->queue));
  code->before = calloc(code->count, sizeof(*code->before));
  if (!code->queue || !code->before)
    return -ENOMEM;
  if (code->label_count)
    qsort(code->labels, code->label_count, sizeof(*code->labels), by_hash);
  for (uint32_t i = 0; i < code->count && code->label_count; i++) {
    const struct gc_code_label wanted = {code->instructions[i].label, 0}, *label;

    label = bsearch(&wanted, code->labels, code->label_count, sizeof(*code->labels), by_hash);
    if (wanted.hash && label && label->at < code->count)
      code->instructions[i].target = label->at;
  }
  return 0;
}

void gc_code_clear(struct gc_code *code)
{
  gc_code_forget_paths(code);
  free(code->instructions);
  free(code->labels);
  free(code->sources);
  free(code->files);
  free(code->queue);
  free(code->before);
  *code = (struct gc_code){0};
}

uint32_t gc_code_find(const struct gc_code *code, uint32_t pc)
{
  uint32_t low = 0, high = code->count;

  if (code->count > 1) { /* instructions usually have equal distances */
    const uint32_t guess = pc / (code->instructions[1].pc - code->instructions[0].pc);

    if (guess < code->count && code->instructions[guess].pc == pc)
      return guess;
  }
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;

    if (code->instructions[middle].pc == pc)
      return middle;
    if (code->instructions[middle].pc < pc)
      low = middle + 1;
    else
      high = middle;
  }
  return GC_CODE_UNKNOWN;
}
