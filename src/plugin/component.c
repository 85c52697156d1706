/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The component that hwloc loads: finds the GPUs, obtains their records, and adds their objects. It
 * runs in any process that loads a topology. So it prints only if it is asked to, never makes a
 * load fail, uses no vendor library, and has no global state but a count (plugin/worker.h).
 */
#include "graft/compat.h"
#include "graft/graft.h"
#include "gpus/pci.h"
#include "plugin/load.h"
#include "plugin/messages.h"
#include "plugin/settings.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

/* Set while this thread runs the component: a topology that is loaded within this load must not
 * run it again. */
static __thread bool inside;

/* The PCI device with the GPU's bus id and this function, or NULL. *parent: the same device, or
 * else the nearest object that hwloc has, or NULL. */
static hwloc_obj_t find_device(hwloc_topology_t topology, const struct gc_gpu *gpu, unsigned func,
                               hwloc_obj_t *parent)
{
  hwloc_obj_t obj = gc_hwloc_pci_parent(topology, gpu->domain, gpu->bus, gpu->dev, func);

  *parent = obj;
  return obj && obj->type == HWLOC_OBJ_PCI_DEVICE && obj->attr->pcidev.domain == gpu->domain &&
                 obj->attr->pcidev.bus == gpu->bus && obj->attr->pcidev.dev == gpu->dev &&
                 obj->attr->pcidev.func == func
             ? obj
             : NULL;
}

/* The parent of a GPU's objects. *device: the PCI device of the GPU when the topology shows it.
 * Partitions of a GPU have functions that PCI does not know: they go under function 0. */
static hwloc_obj_t find_place(hwloc_topology_t topology, const struct gc_gpu *gpu,
                              hwloc_obj_t *device)
{
  hwloc_obj_t parent, whole;

  *device = NULL;
  if (!gpu->has_pci)
    return hwloc_get_root_obj(topology);
  *device = find_device(topology, gpu, gpu->func, &parent);
  if (!*device && gpu->func && find_device(topology, gpu, 0, &whole))
    return whole;
  return parent ? parent : hwloc_get_root_obj(topology);
}

/* Whether both have the same PCI device. GPUs are listed in the order of their bus ids. */
static bool same_place(const struct gc_gpu *a, const struct gc_gpu *b)
{
  return a->has_pci && b->has_pci && a->domain == b->domain && a->bus == b->bus &&
         a->dev == b->dev && a->func == b->func;
}

/* The NUMA node that is the memory of this GPU, or NULL: hwloc 2.11 and later find it in
 * /proc/driver/nvidia/gpus/BUSID/numa_status. A MIG instance has only a part of it. */
static hwloc_obj_t find_node(hwloc_topology_t topology, const struct gc_gpu *gpu)
{
  hwloc_obj_t node = NULL;

  while (gpu->has_pci && !gpu->instance &&
         (node = hwloc_get_next_obj_by_depth(topology, HWLOC_TYPE_DEPTH_NUMANODE, node))) {
    const char *bus_id = hwloc_obj_get_info_by_name(node, "PCIBusID");
    struct gc_gpu of = {.has_pci = true};

    if (bus_id && gc_gpus_parse_bus_id(bus_id, &of) && same_place(&of, gpu))
      return node;
  }
  return NULL;
}

/* The name in messages: the bus id of a real GPU, the id of a simulated one and of an instance. */
static void name_gpu(const struct gc_gpu *gpu, char *name, size_t size)
{
  if (gpu->has_pci && !gpu->instance)
    snprintf(name, size, "%04x:%02x:%02x.%x", gpu->domain, gpu->bus, gpu->dev, gpu->func);
  else
    snprintf(name, size, "%s", gpu->identity.id);
}

static const char *measured_on(const struct gc_record *record)
{
  const char *when = gc_infos_get(&record->infos, "Measured");

  return when ? when : "an unknown date";
}

/* is_first: the first GPU with its bus id, and no MIG instance; the PCI device gets its
 * attributes. *grafted: its memory is NULL if the GPU has no objects. */
static void attach(hwloc_topology_t topology, const struct gc_gpu *gpu, bool is_first,
                   const struct gc_settings *settings, struct gc_outcome *outcome,
                   struct gc_grafted *grafted)
{
  struct gc_record *record = outcome->record ? outcome->record : gpu->tables;
  hwloc_obj_t device, parent = find_place(topology, gpu, &device);
  char name[80];
  int status;

  if (!is_first)
    device = NULL;
  if (record) {
    gc_record_drop_empty(record); /* the record file has the reasons */
    status = gc_graft_record(topology, parent, device, gpu->name, record, outcome->status);
    grafted->memory = status ? NULL : gc_graft_find(parent, gpu->name);
    grafted->record = record;
    grafted->device = device;
    grafted->node = is_first ? find_node(topology, gpu) : NULL;
  } else {
    name_gpu(gpu, name, sizeof(name));
    status = gc_graft_status(parent, device, name, outcome->status);
  }
  if (settings->verbose && outcome->record && !outcome->fresh && !outcome->failed)
    gc_plugin_say(gpu, "has a record, measured on %s", measured_on(outcome->record));
  else if (settings->verbose || (settings->failures && outcome->failed))
    gc_plugin_say(gpu, "%s", outcome->status);
  if (status < 0 && settings->failures)
    gc_plugin_say(gpu, "out of memory, not all of it is in the topology");
}

/* So many late GPUs are named; each GPU has its status. */
#define FEW 2

struct target {
  hwloc_topology_t topology;
  const struct gc_settings *settings;
};

/* Something blocks. The GPUs get the reason as their status, or the machine if no GPU is listed. */
static void attach_late(const struct gc_late *late, void *data)
{
  const struct target *target = data;

  for (size_t i = 0; i < late->count; i++) {
    hwloc_obj_t device, parent = find_place(target->topology, &late->gpus[i], &device);
    char name[80];

    name_gpu(&late->gpus[i], name, sizeof(name));
    gc_graft_status(parent, late->gpus[i].instance ? NULL : device, name, late->why);
  }
  if (!late->count)
    gc_graft_status(hwloc_get_root_obj(target->topology), NULL, "GPUs", late->why);
  if (target->settings->failures)
    gc_plugin_say(NULL, "%s", late->why);
}

static void discover_gpus(hwloc_topology_t topology, const struct gc_settings *settings,
                          struct gc_load *load)
{
  struct target target = {topology, settings};
  struct gc_grafted *grafted, none;
  struct gc_found found;
  size_t count = 0, late = 0;

  if (!gc_load_end(load, &found, attach_late, &target))
    return;
  grafted = calloc(found.gpus.count + 1, sizeof(*grafted));
  for (size_t i = 0; i < found.gpus.count; i++) {
    struct gc_grafted *own = grafted ? &grafted[count] : &none;

    own->memory = NULL;
    late += found.outcomes[i].late;
    found.outcomes[i].failed &= !found.outcomes[i].late || late <= FEW;
    attach(topology, &found.gpus.array[i],
           !found.gpus.array[i].instance &&
               (i == 0 || !same_place(&found.gpus.array[i - 1], &found.gpus.array[i])),
           settings, &found.outcomes[i], own);
    count += own->memory != NULL;
  }
  if (late > FEW && settings->failures && !settings->verbose)
    gc_plugin_say(NULL, "%zu more GPUs were not measured in time", late - FEW);
  if (grafted && gc_graft_host(topology, grafted, count) && settings->failures)
    gc_plugin_say(NULL, "out of memory, not all memory attributes are in the topology");
  free(grafted);
  gc_load_free(&found);
}

/* Another thread may cancel this one, which would leave half a tree, memory and a descriptor. */
static int enter(void)
{
  int cancel;

  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
  inside = true;
  return cancel;
}

static void leave(int cancel)
{
  inside = false;
  pthread_setcancelstate(cancel, NULL);
}

/* Takes the load that has begun, or NULL. */
static struct gc_load *take(struct hwloc_backend *backend)
{
  struct gc_load *load = *gc_hwloc_own_data(backend);

  *gc_hwloc_own_data(backend) = NULL;
  return load;
}

static bool keeps_os_devices(hwloc_topology_t topology)
{
  enum hwloc_type_filter_e filter = HWLOC_TYPE_FILTER_KEEP_NONE;

  hwloc_topology_get_type_filter(topology, HWLOC_OBJ_OS_DEVICE, &filter);
  return filter != HWLOC_TYPE_FILTER_KEEP_NONE;
}

static int discover(struct hwloc_backend *backend, struct hwloc_disc_status *status)
{
  hwloc_topology_t topology = backend->topology;
  struct gc_settings settings;
  struct gc_load *load;
  int cancel;

  (void)status;
  if (inside || !keeps_os_devices(topology) || !hwloc_topology_is_thissystem(topology))
    return 0;
  cancel = enter();
  gc_settings_read(&settings, true);
  load = take(backend);
  if (!load && settings.mode != GC_MODE_OFF)
    load = gc_load_begin(&settings);
  if (load)
    discover_gpus(topology, &settings, load);
  leave(cancel);
  return 0;
}

static void disable(struct hwloc_backend *backend)
{
  struct gc_load *load = take(backend);
  int cancel;

  if (!load)
    return;
  cancel = enter();
  gc_load_cancel(load);
  leave(cancel);
}

/* Whether the topology is probably that of this machine. hwloc knows that only later. */
static bool is_of_this_machine(void)
{
  const char *thissystem = getenv("HWLOC_THISSYSTEM");

  return thissystem ? atoi(thissystem) != 0 : !getenv("HWLOC_FSROOT");
}

/* Descriptors that the thread and hwloc may need at the same time. */
#define SPARE_DESCRIPTORS 16

/* Whether there are enough descriptors for the thread beside hwloc's. The kernel gives the lowest
 * free number, so a process that has few left gets one near its limit. */
static bool has_descriptors(void)
{
  const int lowest = open("/", O_PATH | O_CLOEXEC);
  struct rlimit limit;

  if (lowest < 0)
    return false;
  close(lowest);
  return !getrlimit(RLIMIT_NOFILE, &limit) &&
         (rlim_t)lowest + SPARE_DESCRIPTORS <= limit.rlim_cur;
}

/* The thread lists the GPUs and reads their records while hwloc discovers the rest of the
 * machine. */
static struct gc_load *begin(hwloc_topology_t topology)
{
  struct gc_load *load = NULL;
  struct gc_settings settings;
  int cancel;

  if (inside || !keeps_os_devices(topology) || !is_of_this_machine() || !has_descriptors())
    return NULL;
  cancel = enter();
  gc_settings_read(&settings, false);
  if (settings.mode != GC_MODE_OFF)
    load = gc_load_begin(&settings);
  leave(cancel);
  return load;
}

static struct hwloc_backend *instantiate(struct hwloc_topology *topology,
                                         struct hwloc_disc_component *component,
                                         unsigned excluded_phases, const void *data1,
                                         const void *data2, const void *data3)
{
  struct hwloc_backend *backend = gc_hwloc_backend(topology, component);

  (void)excluded_phases;
  (void)data1;
  (void)data2;
  (void)data3;
  if (!backend)
    return NULL;
  backend->discover = discover;
  backend->disable = disable;
  *gc_hwloc_own_data(backend) = begin(topology);
  return backend;
}

/* Not const, because hwloc links it into a list. */
static struct hwloc_disc_component disc_component = {
    .name = "gpucache",
    .phases = HWLOC_DISC_PHASE_MISC, /* all PCI and OS devices are there by then */
    .excluded_phases = HWLOC_DISC_PHASE_GLOBAL,
    .instantiate = instantiate,
    .priority = 5, /* after other components that add devices in this phase */
    .enabled_by_default = 1,
};

static int init(unsigned long flags)
{
  return flags || hwloc_plugin_check_namespace("gpucache", "hwloc_backend_alloc") < 0 ? -1 : 0;
}

extern const struct hwloc_component hwloc_gpucache_component;
const struct hwloc_component hwloc_gpucache_component __attribute__((visibility("default"))) = {
    .abi = HWLOC_COMPONENT_ABI,
    .init = init,
    .type = HWLOC_COMPONENT_TYPE_DISC,
    .data = &disc_component,
};
