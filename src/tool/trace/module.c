/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/trace/module.h"

#include "util/file.h"
#include "util/spawn.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Attribute of the section .nv.info: number of a symbol, registers of a thread. */
#define REGISTERS_FORMAT 4
#define REGISTERS_ATTRIBUTE 0x2f
#define SECTION ".section\t.text."
#define MOST_SECONDS 60

/* The functions of NVIDIA's device runtime that launch a kernel and a graph. A module has them only
 * if it calls them. */
static const char *const launches[] = {"__cudaCDP2LaunchDeviceV2", "cudaGraphLaunch"};

struct gc_module {
  char *cubin;
  const char *nvdisasm;
  char *elf, *text; /* text: NULL: not disassembled */
  size_t elf_size, text_size;
  bool disassembled;
  struct gc_error why; /* text is NULL */
  bool whole;          /* a kernel that is needed has no symbol */
  bool can_launch;
  uint32_t *symbols; /* of the kernels that are needed */
  size_t needed;
};

/* Reads the file from its begin. */
static int read_file(int file, char **content, size_t *size)
{
  struct stat status;
  ssize_t got;

  if (fstat(file, &status) || lseek(file, 0, SEEK_SET))
    return -errno;
  *content = malloc((size_t)status.st_size + 1);
  if (!*content)
    return -ENOMEM;
  got = gc_file_read(file, *content, (size_t)status.st_size);
  if (got != status.st_size) {
    free(*content);
    *content = NULL;
    return got < 0 ? (int)got : -EIO;
  }
  (*content)[got] = '\0';
  *size = (size_t)got;
  return 0;
}

void gc_module_free(struct gc_module *module)
{
  if (!module)
    return;
  free(module->cubin);
  free(module->elf);
  free(module->text);
  free(module->symbols);
  free(module);
}

/* The part of the file, or NULL if the file does not have it. */
static const void *part(const struct gc_module *module, uint64_t offset, uint64_t size)
{
  return module->elf && offset <= module->elf_size && size <= module->elf_size - offset
             ? module->elf + offset
             : NULL;
}

static bool section(const struct gc_module *module, unsigned number, Elf64_Shdr *section)
{
  const Elf64_Ehdr *header = part(module, 0, sizeof *header);
  const void *found;

  if (!header || number >= header->e_shnum || header->e_shentsize != sizeof *section)
    return false;
  found = part(module, header->e_shoff + number * sizeof *section, sizeof *section);
  if (found)
    memcpy(section, found, sizeof *section);
  return found;
}

static bool find_section(const struct gc_module *module, uint32_t type, const char *name,
                         Elf64_Shdr *found)
{
  const Elf64_Ehdr *header = part(module, 0, sizeof *header);
  Elf64_Shdr names;

  if (!header || !section(module, header->e_shstrndx, &names))
    return false;
  for (unsigned i = 0; section(module, i, found); i++) {
    const char *text = part(module, names.sh_offset + found->sh_name, strlen(name) + 1);

    if (type ? found->sh_type == type : text && !strcmp(text, name))
      return true;
  }
  return false;
}

/* The number of a function's symbol; 0: there is none. */
static uint32_t symbol(const struct gc_module *module, const char *kernel)
{
  Elf64_Shdr symbols, names;

  if (!find_section(module, SHT_SYMTAB, "", &symbols) || !section(module, symbols.sh_link, &names))
    return 0;
  for (uint32_t i = 0; i < symbols.sh_size / sizeof(Elf64_Sym); i++) {
    const void *entry = part(module, symbols.sh_offset + i * sizeof(Elf64_Sym), sizeof(Elf64_Sym));
    const char *name;
    Elf64_Sym one;

    if (!entry)
      return 0;
    memcpy(&one, entry, sizeof one);
    name = part(module, names.sh_offset + one.st_name, strlen(kernel) + 1);
    if (name && ELF64_ST_TYPE(one.st_info) == STT_FUNC && !strcmp(name, kernel))
      return i;
  }
  return 0;
}

struct gc_module *gc_module_read(const char *cubin, const char *nvdisasm)
{
  struct gc_module *module = calloc(1, sizeof *module);
  const int file = open(cubin, O_RDONLY | O_CLOEXEC);

  if (module && file >= 0 && !read_file(file, &module->elf, &module->elf_size))
    module->cubin = strdup(cubin);
  if (file >= 0)
    close(file);
  if (module && !module->cubin) {
    gc_module_free(module);
    return NULL;
  }
  if (module) {
    module->nvdisasm = nvdisasm;
    for (size_t i = 0; i < sizeof launches / sizeof *launches; i++)
      module->can_launch |= symbol(module, launches[i]) != 0;
  }
  return module;
}

bool gc_module_can_launch(const struct gc_module *module)
{
  return module->can_launch;
}

void gc_module_need(struct gc_module *module, const char *kernel)
{
  const uint32_t number = symbol(module, kernel);
  uint32_t *more;

  for (size_t i = 0; i < module->needed; i++)
    if (module->symbols[i] == number)
      return;
  more = number ? realloc(module->symbols, (module->needed + 1) * sizeof *more) : NULL;
  module->whole |= !more;
  if (!more)
    return;
  more[module->needed++] = number;
  module->symbols = more;
}

/* The option of nvdisasm for the kernels that are needed, as "12,17". NULL: all, or no memory. */
static char *list_symbols(const struct gc_module *module)
{
  char *list = module->whole ? NULL : malloc(12 * module->needed + 1);
  size_t used = 0;

  for (size_t i = 0; i < module->needed && list; i++)
    used += (size_t)sprintf(list + used, i ? ",%" PRIu32 : "%" PRIu32, module->symbols[i]);
  return list;
}

/* 0, or a negative errno with the reason why there is no output. */
static int check_end(const struct gc_command *command, struct gc_error *why)
{
  switch (command->end) {
  case GC_END_EXITED:
    return !command->status ? 0
                            : gc_fail(why, -EIO, "nvdisasm ended with status %d", command->status);
  case GC_END_LATE:
  case GC_END_ABANDONED:
    return gc_fail(why, -EIO, "nvdisasm needs more than %d s for its CUDA module", MOST_SECONDS);
  case GC_END_NOT_STARTED:
    return gc_fail(why, -EIO, "nvdisasm cannot be started: %s", strerror(command->status));
  default:
    return gc_fail(why, -EIO, "nvdisasm crashed");
  }
}

/* Disassembles into a file beside the cubin, which is in a temporary directory. lines: with source
 * lines, if it has them. */
static int disassemble(struct gc_module *module, bool lines)
{
  char *const list = list_symbols(module);
  const char *argv[7] = {module->nvdisasm, "-c"};
  size_t count = 2;
  char path[4200];
  FILE *file;
  struct gc_command command = {.argv = argv};
  int status;

  *module->why.text = '\0'; /* of an earlier try */
  if (lines)
    argv[count++] = "-g";
  if (list) {
    argv[count++] = "-fun";
    argv[count++] = list;
  }
  argv[count] = module->cubin;
  snprintf(path, sizeof path, "%s.text", module->cubin);
  file = fopen(path, "w+e");
  if (file) {
    command.output = fileno(file);
    gc_spawn(&command, 1, &(struct gc_spawn_options){.seconds = MOST_SECONDS});
    status = check_end(&command, &module->why);
    if (!status)
      status = read_file(fileno(file), &module->text, &module->text_size);
    fclose(file);
  } else {
    status = -errno;
  }
  free(list);
  if (status && !*module->why.text)
    gc_fail(&module->why, status, "the output of nvdisasm cannot be kept: %s", strerror(-status));
  return status;
}

/* Registers of a thread; 0: not known. */
static uint32_t registers(const struct gc_module *module, const char *kernel)
{
  const uint32_t number = symbol(module, kernel);
  Elf64_Shdr info;
  const uint8_t *at;
  uint64_t left;

  if (!number || !find_section(module, 0, ".nv.info", &info))
    return 0;
  at = part(module, info.sh_offset, info.sh_size);
  /* An attribute has a format, a number, and the size of its value. */
  for (left = at ? info.sh_size : 0; left >= 4;) {
    const unsigned size = at[0] == REGISTERS_FORMAT ? at[2] | (unsigned)at[3] << 8 : 0;
    uint32_t values[2];

    if (size + 4 > left)
      return 0;
    if (at[0] == REGISTERS_FORMAT && at[1] == REGISTERS_ATTRIBUTE && size == sizeof values) {
      memcpy(values, at + 4, sizeof values);
      if (values[0] == number)
        return values[1];
    }
    at += size + 4;
    left -= size + 4;
  }
  return 0;
}

/* A line about the source: "//## File "/home/me/copy.cu", line 12", and more if it was inlined. A
 * file with this name is the PTX. */
#define SOURCE "//## File \""
#define LINE "\", line "
#define PTX ".nv_debug_ptx_txt"

/* Whether it is such a line; it is written unless the line before was one, too: of several, the
 * first one is the innermost function that was inlined. */
static bool write_source(const char *line, size_t length, bool after_source, FILE *trace)
{
  const char *const end = line + length, *name = line + strspn(line, " \t"), *quote;
  unsigned long number;

  if (strncmp(name, SOURCE, strlen(SOURCE)))
    return false;
  name += strlen(SOURCE);
  quote = memchr(name, '"', (size_t)(end - name));
  if (!quote || quote == name || strncmp(quote, LINE, strlen(LINE)))
    return false;
  number = strtoul(quote + strlen(LINE), NULL, 10);
  if (!number || number > UINT32_MAX)
    return false;
  if (!after_source && strncmp(name, PTX, strlen(PTX)))
    fprintf(trace, "source %lu %.*s\n", number, (int)(quote - name), name);
  return strncmp(name, PTX, strlen(PTX)) || after_source;
}

/* A line of nvdisasm without comment marks and ';': an instruction or a label. */
static void write_line(const char *line, size_t length, FILE *trace)
{
  const char *const open = memchr(line, '/', length), *end;

  if (!strncmp(line, ".L", 2) && line[length - 1] == ':') {
    fprintf(trace, "code %.*s\n", (int)length, line);
    return;
  }
  if (!open || length - (size_t)(open - line) < 8 || open[1] != '*')
    return;
  end = memchr(open, ';', length - (size_t)(open - line));
  line = strstr(open + 2, "*/");
  if (!end || !line || line > end)
    return;
  fprintf(trace, "code %.*s", (int)(line - open - 2), open + 2);
  line += 2;
  line += strspn(line, " \t");
  while (end > line && end[-1] == ' ')
    end--;
  fprintf(trace, " %.*s\n", (int)(end - line), line);
}

/* The lines of a kernel, up to the next section or the end of the text. */
static void write_lines(const char *text, FILE *trace)
{
  const char *const section = strstr(text, SECTION), *end;
  bool source = false;

  for (const char *line = text; (!section || line < section) && (end = strchr(line, '\n'));
       line = end + 1) {
    const size_t length = (size_t)(end - line);

    source = write_source(line, length, source, trace);
    if (!source)
      write_line(line, length, trace);
  }
}

/* Disassembles all kernels that are needed, at the first call. */
static void need_text(struct gc_module *module)
{
  if (module->disassembled)
    return;
  module->disassembled = true;
  if (!*module->nvdisasm)
    gc_fail(&module->why, 0, "nvdisasm of the CUDA Toolkit was not found");
  else if (disassemble(module, true))
    disassemble(module, false);
}

int gc_module_write(struct gc_module *module, const char *kernel, FILE *trace, struct gc_error *why)
{
  const uint32_t count = registers(module, kernel);
  const size_t length = strlen(kernel);

  if (count)
    fprintf(trace, "registers %u\n", count);
  need_text(module);
  for (const char *at = module->text; at && (at = strstr(at, SECTION)); at++) {
    const char *name = at + strlen(SECTION);

    if (!strncmp(name, kernel, length) && name[length] == ',') {
      const char *line = strchr(name, '\n');

      write_lines(line ? line + 1 : "", trace);
      return 0;
    }
  }
  return gc_fail(why, -ENOENT, "%s",
                 module->text ? "nvdisasm does not show the kernel" : module->why.text);
}
