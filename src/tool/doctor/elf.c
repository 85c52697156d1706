/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/doctor/elf.h"

#include "util/regular.h"

#include <elf.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

/* The dynamic sections of large programs have some hundred entries. */
#define MOST_ENTRIES 16384
/* Programs have about ten segments, core files some thousand. */
#define MOST_SEGMENTS 512

static bool get(const struct gc_elf *elf, uint64_t offset, void *data, size_t size)
{
  return offset <= elf->size && size <= elf->size - offset &&
         pread(elf->fd, data, size, (off_t)offset) == (ssize_t)size;
}

/* A string of less than PATH_MAX characters that ends before `end`. */
static bool get_string(const struct gc_elf *elf, uint64_t offset, uint64_t end, char text[PATH_MAX])
{
  const uint64_t most = end < elf->size ? end : elf->size;
  uint64_t length;

  if (offset >= most)
    return false;
  length = most - offset < PATH_MAX ? most - offset : PATH_MAX;
  return get(elf, offset, text, (size_t)length) && memchr(text, '\0', (size_t)length);
}

static bool get_segment(const struct gc_elf *elf, unsigned i, ElfW(Phdr) * segment)
{
  return elf->head.e_phoff <= elf->size &&
         get(elf, elf->head.e_phoff + i * sizeof *segment, segment, sizeof *segment);
}

/* The next segment of this type from number *i on. */
static bool find_segment(const struct gc_elf *elf, uint32_t type, unsigned *i, ElfW(Phdr) * segment)
{
  while (*i < elf->head.e_phnum && *i < MOST_SEGMENTS && get_segment(elf, *i, segment)) {
    ++*i;
    if (segment->p_type == type)
      return true;
  }
  return false;
}

/* Where an address of the loaded program is in the file. */
static bool find_address(const struct gc_elf *elf, uint64_t address, uint64_t *offset)
{
  ElfW(Phdr) segment;

  for (unsigned i = 0; find_segment(elf, PT_LOAD, &i, &segment);)
    if (address >= segment.p_vaddr && address - segment.p_vaddr < segment.p_filesz &&
        segment.p_offset <= elf->size) {
      *offset = segment.p_offset + (address - segment.p_vaddr);
      return true;
    }
  return false;
}

static bool get_entry(const struct gc_elf *elf, uint64_t i, ElfW(Dyn) * entry)
{
  return i < elf->dynamic_entries &&
         get(elf, elf->dynamic + i * sizeof *entry, entry, sizeof *entry) &&
         entry->d_tag != DT_NULL;
}

static void find_dynamic(struct gc_elf *elf)
{
  ElfW(Phdr) segment;
  ElfW(Dyn) entry;
  uint64_t strings = 0;
  unsigned i = 0;

  if (!find_segment(elf, PT_DYNAMIC, &i, &segment) || segment.p_offset > elf->size)
    return;
  elf->dynamic = segment.p_offset;
  elf->dynamic_entries = segment.p_filesz / sizeof entry;
  if (elf->dynamic_entries > MOST_ENTRIES)
    elf->dynamic_entries = MOST_ENTRIES;
  for (uint64_t k = 0; get_entry(elf, k, &entry); k++)
    if (entry.d_tag == DT_STRSZ)
      elf->strings_size = entry.d_un.d_val;
    else if (entry.d_tag == DT_STRTAB)
      strings = entry.d_un.d_ptr;
  if (!find_address(elf, strings, &elf->strings))
    elf->strings = elf->size;
}

int gc_elf_open(const char *path, struct gc_elf *elf)
{
  const uint16_t one = 1;
  const unsigned char order = *(const unsigned char *)&one ? ELFDATA2LSB : ELFDATA2MSB;
  const unsigned char class = sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32;

  memset(elf, 0, sizeof *elf);
  elf->fd = gc_regular_open_any(path, &elf->size);
  if (elf->fd < 0)
    return elf->fd;
  if (!get(elf, 0, &elf->head, sizeof elf->head) || memcmp(elf->head.e_ident, ELFMAG, SELFMAG) ||
      elf->head.e_ident[EI_CLASS] != class || elf->head.e_ident[EI_DATA] != order ||
      (elf->head.e_phnum && elf->head.e_phentsize != sizeof(ElfW(Phdr)))) {
    close(elf->fd);
    return -ENOEXEC;
  }
  find_dynamic(elf);
  return 0;
}

void gc_elf_close(struct gc_elf *elf)
{
  close(elf->fd);
}

bool gc_elf_string(const struct gc_elf *elf, int64_t tag, uint64_t *entry, char text[PATH_MAX])
{
  ElfW(Dyn) found;

  while (get_entry(elf, *entry, &found)) {
    ++*entry;
    if (found.d_tag == tag && found.d_un.d_val < elf->strings_size &&
        elf->strings_size <= elf->size && elf->strings < elf->size &&
        get_string(elf, elf->strings + found.d_un.d_val, elf->strings + elf->strings_size, text))
      return true;
  }
  return false;
}

bool gc_elf_interpreter(const struct gc_elf *elf, char text[PATH_MAX])
{
  ElfW(Phdr) segment;
  unsigned i = 0;

  return find_segment(elf, PT_INTERP, &i, &segment) && segment.p_offset <= elf->size &&
         segment.p_filesz <= elf->size &&
         get_string(elf, segment.p_offset, segment.p_offset + segment.p_filesz, text);
}
