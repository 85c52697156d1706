/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/export/formats.h"

#include "tool/export/look_up.h"
#include "tool/gpus/hwloc_xml.h"
#include "util/file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct gc_format formats[] = {
    {"xml", false, gc_format_xml},
    {"mt4g", false, gc_format_mt4g},
    {"mt4g-csv", true, gc_format_mt4g_csv},
    {"accelsim", true, gc_format_accelsim},
    {"inductor", false, gc_format_inductor},
    {"roofline", false, gc_format_roofline},
};

#define FORMATS (sizeof formats / sizeof *formats)

const struct gc_format *gc_format_find(const char *name, struct gc_error *err)
{
  char names[200] = "";

  if (!name)
    return formats;
  for (size_t i = 0; i < FORMATS; i++) {
    const size_t used = strlen(names);

    if (!strcmp(formats[i].name, name))
      return &formats[i];
    snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "", formats[i].name);
  }
  gc_fail(err, 0, "unknown format '%.100s'; the formats are %s", name, names);
  return NULL;
}

int gc_format_xml(const struct gc_record *record, const char *gpu, FILE *out, struct gc_error *err)
{
  size_t length;
  char *xml;
  const int status = gc_export(record, gpu, &xml, &length, err);

  if (status)
    return status;
  fwrite(xml, 1, length, out);
  free(xml);
  return 0;
}

int gc_format_text(const struct gc_format *format, const struct gc_record *record, const char *gpu,
                   char **text, size_t *length, struct gc_error *err)
{
  FILE *out;
  int status;

  if (format->nvidia_only && !gc_is_nvidia(record))
    return gc_fail(err, -ENODATA,
                   "the format %s describes NVIDIA GPUs only, and this is no NVIDIA GPU (%s)",
                   format->name, record->identity.model);
  *text = NULL;
  out = open_memstream(text, length);
  if (!out)
    return gc_fail(err, -ENOMEM, "out of memory");
  status = format->write(record, gpu, out, err);
  if (!gc_file_close(out) && !status)
    status = gc_fail(err, -ENOMEM, "out of memory");
  if (status)
    free(*text);
  return status;
}
