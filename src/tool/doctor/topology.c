/* SPDX-License-Identifier: BSD-3-Clause */
#include "tool/doctor/topology.h"

#include "graft/compat.h"
#include "record/xml.h"
#include "tool/doctor/child.h"

#include <hwloc/gpucache.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECONDS 15
#define OURS "hwloc_gpucache"

static void copy(char *text, size_t size, const char *from, size_t length)
{
  snprintf(text, size, "%.*s", (int)length, from);
  gc_make_printable(text);
}

/* "hwloc: Plugin dlforeach found `/usr/lib/hwloc/hwloc_gpucache'" */
static void note_plugin(const char *path, struct gc_hwloc_log *log)
{
  const size_t length = strcspn(path, "'");
  const char *name = memrchr(path, '/', length);

  name = name ? name + 1 : path;
  log->is_current =
      (size_t)(path + length - name) == strlen(OURS) && !strncmp(name, OURS, strlen(OURS));
  if (log->is_current && !*log->file)
    copy(log->file, sizeof log->file, path, length);
}

void gc_hwloc_log_line(const char *line, struct gc_hwloc_log *log)
{
  static const char prefix[] = "hwloc: ", starts[] = "Starting plugin dlforeach in ";
  const char *rest;

  /* hwloc 2.4 writes no prefix */
  if (!strncmp(line, prefix, strlen(prefix)))
    line += strlen(prefix);
  if (!strncmp(line, starts, strlen(starts)))
    copy(log->directories, sizeof log->directories, line + strlen(starts), strlen(line));
  else if (!strncmp(line, "Plugin", strlen("Plugin")) && (rest = strstr(line, "found `")))
    note_plugin(rest + strlen("found `"), log);
  else if (strstr(line, "discovery component `gpucache'")) {
    log->is_current = false;
    log->is_loaded |= !strncmp(line, "Registered", strlen("Registered"));
    log->is_enabled |= !strncmp(line, "Enabling", strlen("Enabling"));
  } else if (!strncmp(line, "Registered", strlen("Registered")))
    log->is_current = false;
  else if (log->is_current && !strstr(line, "contains expected symbol") &&
           !strstr(line, "Plugin descriptor") && *line != ' ' && !*log->problem)
    copy(log->problem, sizeof log->problem, line, strlen(line));
}

static void on_line(const char *line, void *data)
{
  gc_hwloc_log_line(line, data);
}

static int accept_start(void *data, const char *name, char *const *attributes)
{
  (void)data;
  (void)name;
  (void)attributes;
  return 0;
}

static int accept_end(void *data)
{
  (void)data;
  return 0;
}

static int accept_content(void *data, bool is_blank)
{
  (void)data;
  (void)is_blank;
  return 0;
}

/* libhwloc calls itself for each level of the XML, and would run out of stack. Topologies as
 * sources have the same bounds. */
static int check_xml(const struct gc_errand *errand, struct gc_error *err)
{
  static const struct gc_xml_receiver receiver = {accept_start, accept_end, accept_content};
  char *text = malloc(errand->length + 1); /* gc_xml_parse changes it */
  int status;

  if (!text)
    return gc_fail(err, -ENOMEM, "out of memory");
  memcpy(text, errand->output, errand->length + 1);
  status = gc_xml_parse(text, errand->length, &receiver, NULL, err);
  free(text);
  return status;
}

/* hwloc reports errors of the XML on stderr only if it is asked to. */
static int read_topology(struct gc_loaded *loaded, const struct gc_errand *errand)
{
  struct gc_error why = {""};
  hwloc_topology_t topology;

  if (!errand->output || !errand->length)
    return gc_fail(&loaded->how, -EBADMSG, "printed no topology");
  if (check_xml(errand, &why))
    return gc_fail(&loaded->how, -EBADMSG, "printed what is not read: %.200s", why.text);
  if (hwloc_topology_init(&topology))
    return gc_fail(&loaded->how, -ENOMEM, "cannot be checked: out of memory");
  if (hwloc_topology_set_io_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_ALL) ||
      hwloc_topology_set_xmlbuffer(topology, errand->output, (int)errand->length + 1) ||
      hwloc_topology_load(topology)) {
    hwloc_topology_destroy(topology);
    return gc_fail(&loaded->how, -EBADMSG, "printed what hwloc %s cannot read", HWLOC_VERSION);
  }
  loaded->topology = topology;
  return 0;
}

void gc_loaded_get(struct gc_loaded *loaded, const struct gc_tool *tool, const char *loader)
{
  /* As in python.c, nothing is imported from the working directory. */
  static const char script[] =
      "import sys\n"
      "sys.path[:] = filter(None, sys.path)\n"
      "from pyhwloc import from_this_system\n"
      "from pyhwloc.topology import ExportXmlFlags, TypeFilter\n"
      "with from_this_system().set_io_types_filter(TypeFilter.KEEP_IMPORTANT) as topology:\n"
      "    print(topology.export_xml_buffer(getattr(ExportXmlFlags, 'V2', 0)))\n";
  const char *const python[] = {loader, "-c", script, NULL};
  const char *const theirs[] = {loader, "--of", "xml", "--filter", "io:important", NULL};
  const char *const own[] = {"/proc/self/exe", "doctor", "--probe", "topology", NULL};
  struct gc_errand errand = {.argv = tool->python ? python
                                     : *loader    ? theirs
                                                  : own,
                             .environment = GC_CHILD_LOADS,
                             .tool = tool,
                             .seconds = SECONDS,
                             .on_line = on_line,
                             .data = &loaded->log};

  if (loaded->is_done)
    return;
  loaded->is_done = true;
  if (tool->timeout > 0 && tool->timeout / 2 < errand.seconds)
    errand.seconds = tool->timeout / 2;
  snprintf(loaded->by, sizeof loaded->by, "%s%s", tool->python ? "pyhwloc in " : "",
           *loader ? loader : "this program");
  loaded->status = gc_errand_run(&errand, &loaded->how);
  if (!loaded->status)
    loaded->status = read_topology(loaded, &errand);
  else if (!*loader && errand.output && *errand.output)
    gc_fail(&loaded->how, 0, "%s", strtok(errand.output, "\n"));
  free(errand.output);
}

void gc_loaded_free(struct gc_loaded *loaded)
{
  if (loaded->topology)
    hwloc_topology_destroy(loaded->topology);
  loaded->topology = NULL;
}

/* The outermost element of the GPU, or NULL. */
static hwloc_obj_t find_memory(hwloc_topology_t topology, const char *id)
{
  hwloc_obj_t obj = NULL;
  const char *uuid;

  while (topology && (obj = hwloc_get_next_osdev(topology, obj)))
    if (obj->subtype && !strcmp(obj->subtype, HWLOC_GPUCACHE_DEVICE_MEMORY) &&
        (uuid = hwloc_obj_get_info_by_name(obj, HWLOC_GPUCACHE_UUID)) && !strcmp(uuid, id))
      return obj;
  return NULL;
}

static unsigned count_below(hwloc_obj_t obj)
{
  unsigned count = 1;

  for (hwloc_obj_t child = obj->io_first_child; child; child = child->next_sibling)
    count += count_below(child);
  return count;
}

unsigned gc_loaded_elements(const struct gc_loaded *loaded, const char *id)
{
  hwloc_obj_t memory = find_memory(loaded->topology, id);

  return memory ? count_below(memory) : 0;
}

/* "NAME: no record" → "no record". NULL: it is the status of something else. */
static const char *status_of(const char *name, const char *text)
{
  const size_t length = strlen(name);

  return length && !strncmp(text, name, length) && !strncmp(text + length, ": ", 2)
             ? text + length + 2
             : NULL;
}

/* A GPU without a record has no objects, so its status is at its PCI device; or at an object above
 * it, which has those of other GPUs, too, each with a name: "0000:17:00.0: no record". */
static const char *status_at(hwloc_obj_t obj, const char *id, const char *bus_id)
{
  const char *const names[] = {id, bus_id, "GPUs"};
  const char *status = NULL;

  for (size_t i = 0; !status && i < sizeof names / sizeof *names; i++)
    for (unsigned n = 0; !status && n < gc_hwloc_info_count(obj); n++)
      if (!strcmp(gc_hwloc_info(obj, n)->name, HWLOC_GPUCACHE_STATUS))
        status = status_of(names[i], gc_hwloc_info(obj, n)->value);
  return status;
}

const char *gc_loaded_status(const struct gc_loaded *loaded, const char *id, const char *bus_id)
{
  hwloc_topology_t topology = loaded->topology;
  hwloc_obj_t obj = find_memory(topology, id);
  const char *status = NULL;
  unsigned domain, bus, dev, func;

  if (!topology)
    return NULL;
  if (obj)
    return hwloc_obj_get_info_by_name(obj, HWLOC_GPUCACHE_STATUS);
  if (sscanf(bus_id, "%x:%x:%x.%x", &domain, &bus, &dev, &func) == 4 &&
      (obj = hwloc_get_pcidev_by_busid(topology, domain, bus, dev, func)))
    status = hwloc_obj_get_info_by_name(obj, HWLOC_GPUCACHE_STATUS);
  for (obj = NULL; !status && (obj = hwloc_get_next_bridge(topology, obj));)
    status = status_at(obj, id, bus_id);
  if (!status)
    status = status_at(hwloc_get_root_obj(topology), id, bus_id);
  return status;
}
