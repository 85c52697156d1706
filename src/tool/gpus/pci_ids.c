/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The database is a text: a line for each vendor, "1002  Name", followed by a line for each of its
 * devices, "<tab>73bf  Name". Lines for subsystems begin with two tabs.
 */
#include "tool/gpus/pci_ids.h"

#include "gpus/tree.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The database of 2025 has 1.5 MB, and grows by 0.1 MB a year. */
#define MOST_BYTES (8u << 20)
#define DIGITS 4

/* Those of Debian and Fedora. */
static const char *const files[] = {"/usr/share/misc/pci.ids", "/usr/share/hwdata/pci.ids"};

/* The database as a text that the caller frees; NULL: there is none. */
static char *load(const char *root)
{
  char *text = malloc(MOST_BYTES), path[PATH_MAX];

  for (size_t i = 0; text && i < sizeof files / sizeof *files; i++)
    if ((size_t)snprintf(path, sizeof path, "%s%s", root, files[i]) < sizeof path &&
        gc_gpus_read(AT_FDCWD, path, text, MOST_BYTES) > 0)
      return text;
  free(text);
  return NULL;
}

/* The rest of the line if it begins with this number and two spaces, or NULL. */
static const char *after(const char *line, const char *number)
{
  return !strncmp(line, number, DIGITS) && !strncmp(line + DIGITS, "  ", 2) ? line + DIGITS + 2
                                                                           : NULL;
}

static const char *next_line(const char *line)
{
  const char *end = strchr(line, '\n');

  return end && end[1] ? end + 1 : NULL;
}

/* The name of a device, up to the end of its line, or NULL. */
static const char *find(const char *text, const char *vendor, const char *device)
{
  const char *line = text, *name;

  while (line && !after(line, vendor))
    line = next_line(line);
  while (line && (line = next_line(line)) && (*line == '\t' || *line == '#'))
    if (*line == '\t' && (name = after(line + 1, device)))
      return name;
  return NULL;
}

/* Where the ids of a model begin that is not named otherwise, "1002:73bf]", or NULL. */
static const char *ids_of(const struct gc_gpu *gpu)
{
  const char *bracket = strrchr(gpu->identity.model, '[');
  const char *const digits = "0123456789abcdef";

  return gpu->vendor != GC_VENDOR_SIM && bracket && strspn(bracket + 1, digits) == DIGITS &&
                 bracket[1 + DIGITS] == ':' && strspn(bracket + 2 + DIGITS, digits) == DIGITS &&
                 !strcmp(bracket + 2 + 2 * DIGITS, "]")
             ? bracket + 1
             : NULL;
}

static void name(const char *text, struct gc_gpu *gpu)
{
  const char *ids = ids_of(gpu), *found = ids ? find(text, ids, ids + DIGITS + 1) : NULL;
  char *model = gpu->identity.model;
  const int length = found ? (int)strcspn(found, "\r\n") : 0;

  if (length == 0)
    return;
  snprintf(model, sizeof gpu->identity.model, "%s %.*s",
           gpu->vendor == GC_VENDOR_AMD ? "AMD" : "NVIDIA", length, found);
  for (; *model; model++)
    if (*model < ' ' || *model > '~')
      *model = '?';
}

void gc_pci_ids_name(const char *root, struct gc_gpus *gpus)
{
  char *text = NULL;

  for (size_t i = 0; i < gpus->count; i++) {
    if (!ids_of(&gpus->array[i]))
      continue;
    if (!text && !(text = load(root)))
      return;
    name(text, &gpus->array[i]);
  }
  free(text);
}
