/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Programs that count GPUs choose the same OS devices whether ours are there or not. Each function
 * "rule" states how a program chooses, from its source at the revision that is named there.
 */
#include "fixture.h"

#include "graft/compat.h"
#include "graft/graft.h"

#include <strings.h>

#if HWLOC_API_VERSION >= 0x00030000
static bool is_type(hwloc_obj_t obj, unsigned long type)
{
  return obj->attr->osdev.types & type;
}
static void set_type(hwloc_obj_t obj, unsigned long type)
{
  obj->attr->osdev.types = type;
}
#else
static bool is_type(hwloc_obj_t obj, unsigned long type)
{
  return obj->attr->osdev.type == type;
}
static void set_type(hwloc_obj_t obj, unsigned long type)
{
  obj->attr->osdev.type = (hwloc_obj_osdev_type_t)type;
}
#endif

/* A node with GPUs of three vendors, a display, network cards and a disk, as hwloc shows them. */
static const struct device {
  unsigned bus, class;
  const char *name;
  unsigned long type;
  const char *subtype, *backend;
} devices[] = {
    {0x02, 0x0300, "card0", HWLOC_OBJ_OSDEV_GPU, NULL, NULL},
    {0x03, 0x0380, "card2", HWLOC_OBJ_OSDEV_GPU, NULL, NULL},
    {0x03, 0x0380, "renderD129", HWLOC_OBJ_OSDEV_GPU, NULL, NULL},
    {0x03, 0x0380, "rsmi0", HWLOC_OBJ_OSDEV_GPU, "RSMI", "RSMI"},
    {0x04, 0x0380, "ze0", HWLOC_OBJ_OSDEV_COPROC, "LevelZero", "LevelZero"},
    {0x17, 0x0302, "card1", HWLOC_OBJ_OSDEV_GPU, NULL, NULL},
    {0x17, 0x0302, "renderD128", HWLOC_OBJ_OSDEV_GPU, NULL, NULL},
    {0x17, 0x0302, "cuda0", HWLOC_OBJ_OSDEV_COPROC, "CUDA", "CUDA"},
    {0x17, 0x0302, "nvml0", HWLOC_OBJ_OSDEV_GPU, "NVML", "NVML"},
    {0x17, 0x0302, "opencl0d0", HWLOC_OBJ_OSDEV_COPROC, "OpenCL", "OpenCL"},
    {0x27, 0x0207, "ib0", HWLOC_OBJ_OSDEV_NETWORK, NULL, NULL},
    {0x27, 0x0207, "mlx5_0", HWLOC_OBJ_OSDEV_OPENFABRICS, NULL, NULL},
    {0x28, 0x0200, "hsn0", HWLOC_OBJ_OSDEV_NETWORK, "Slingshot", NULL},
    {0x28, 0x0200, "cxi0", HWLOC_OBJ_OSDEV_NETWORK, "Slingshot", NULL},
    {0x61, 0x0108, "nvme0n1", HWLOC_OBJ_OSDEV_BLOCK, "Disk", NULL},
    {0x65, 0x0302, "cuda1", HWLOC_OBJ_OSDEV_COPROC, "CUDA", "CUDA"},
    {0x65, 0x0302, "nvml1", HWLOC_OBJ_OSDEV_GPU, "NVML", "NVML"},
};

static const unsigned gpus[] = {0x03, 0x17, 0x65}; /* the buses that get objects of ours */

static hwloc_obj_t insert(hwloc_topology_t topology, hwloc_obj_t parent, hwloc_obj_type_t type)
{
  hwloc_obj_t obj = hwloc_alloc_setup_object(topology, type, HWLOC_UNKNOWN_INDEX);

  assert_non_null(obj);
  return hwloc_insert_object_by_parent(topology, parent, obj), obj;
}

static hwloc_obj_t insert_pci(hwloc_topology_t topology, const struct device *device)
{
  hwloc_obj_t obj = insert(topology, hwloc_get_root_obj(topology), HWLOC_OBJ_PCI_DEVICE);

  obj->attr->pcidev.bus = (unsigned char)device->bus;
  obj->attr->pcidev.class_id = (unsigned short)device->class;
  return obj;
}

static hwloc_topology_t node(bool with_ours)
{
  char *text = fixture_text("record-good.xml"), name[8];
  hwloc_topology_t topology;
  struct gc_record *record;
  hwloc_obj_t pci = NULL, obj;

  assert_int_equal(gc_record_read_xml(text, strlen(text), &record, NULL), 0);
  assert_int_equal(hwloc_topology_init(&topology), 0);
  hwloc_topology_set_io_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_ALL);
  hwloc_topology_set_synthetic(topology, "numa:2 pu:2");
  assert_int_equal(hwloc_topology_load(topology), 0);
  for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) {
    if (!i || devices[i].bus != devices[i - 1].bus)
      pci = insert_pci(topology, &devices[i]);
    obj = insert(topology, pci, HWLOC_OBJ_OS_DEVICE);
    set_type(obj, devices[i].type);
    obj->name = strdup(devices[i].name);
    obj->subtype = devices[i].subtype ? strdup(devices[i].subtype) : NULL;
    if (devices[i].backend)
      hwloc_obj_add_info(obj, "Backend", devices[i].backend);
  }
  assert_int_equal(hwloc_topology_reconnect(topology, 0), 0);
  for (size_t i = 0; with_ours && i < sizeof gpus / sizeof *gpus; i++) {
    pci = hwloc_get_pcidev_by_busid(topology, 0, gpus[i], 0, 0);
    assert_non_null(pci);
    snprintf(name, sizeof name, "gpu%zu", i);
    assert_int_equal(gc_graft_record(topology, pci, pci, name, record, GC_STATUS_MEASURED), 0);
  }
  assert_int_equal(hwloc_topology_reconnect(topology, 0), 0);
  hwloc_topology_check(topology); /* aborts */
  gc_record_free(record);
  free(text);
  return topology;
}

static hwloc_obj_t pci_of(hwloc_obj_t obj)
{
  while (obj && obj->type != HWLOC_OBJ_PCI_DEVICE)
    obj = obj->parent;
  return obj;
}

static bool has_subtype(hwloc_obj_t obj, const char *subtype)
{
  return obj->subtype && !strcmp(obj->subtype, subtype);
}

static bool is_backend(hwloc_obj_t obj, const char *const *names)
{
  const char *backend = hwloc_obj_get_info_by_name(obj, "Backend");

  while (*names && backend && strcasecmp(backend, *names))
    names++;
  return backend && *names;
}

/* What a program has chosen until now, in its order. */
struct chosen {
  hwloc_obj_t objs[64];
  size_t count;
};

/* Flux, flux-core 4a5e79f, rhwloc.c: by Backend; a PCI device counts again only for the backend that
 * it was counted for. */
static bool rule_of_flux(hwloc_obj_t obj, struct chosen *chosen)
{
  static const char *const names[] = {"CUDA", "NVML", "OpenCL", "RSMI", NULL};
  const char *backend = hwloc_obj_get_info_by_name(obj, "Backend");

  for (size_t i = 0; i < chosen->count; i++)
    if (backend && pci_of(obj) && pci_of(chosen->objs[i]) == pci_of(obj) &&
        strcmp(hwloc_obj_get_info_by_name(chosen->objs[i], "Backend"), backend) != 0)
      return false;
  return is_backend(obj, names);
}

/* mpibind d529180, internals.c: by type and subtype, if the parent is a PCI device. */
static bool rule_of_mpibind(hwloc_obj_t obj, struct chosen *chosen)
{
  (void)chosen;
  return obj->parent->type == HWLOC_OBJ_PCI_DEVICE &&
         (is_type(obj, HWLOC_OBJ_OSDEV_GPU) || is_type(obj, HWLOC_OBJ_OSDEV_OPENFABRICS) ||
          (is_type(obj, HWLOC_OBJ_OSDEV_COPROC) && has_subtype(obj, "LevelZero")) ||
          (is_type(obj, HWLOC_OBJ_OSDEV_NETWORK) &&
           (has_subtype(obj, "Slingshot") || has_subtype(obj, "BXI"))));
}

/* MPICH 6a79bf6, hydra's topo_hwloc.c: "-bind-to gpu" means coprocessors with names like ze0. */
static bool rule_of_hydra(hwloc_obj_t obj, struct chosen *chosen)
{
  (void)chosen;
  return is_type(obj, HWLOC_OBJ_OSDEV_COPROC) && strlen(obj->name) == 3;
}

/* MPICH 6a79bf6, mpir_hwtopo.c: "gpu". */
static bool rule_of_mpich(hwloc_obj_t obj, struct chosen *chosen)
{
  (void)chosen;
  return is_type(obj, HWLOC_OBJ_OSDEV_GPU);
}

static bool computes(hwloc_obj_t obj)
{
  static const char *const names[] = {"CUDA", "NVML", "RSMI", "LevelZero", "OpenCL", NULL};

  return is_type(obj, HWLOC_OBJ_OSDEV_COPROC) || is_backend(obj, names);
}

/* PMIx, openpmix 494e9d9, pmix_hwloc.c: each PCI device with a device that computes, or a display
 * with a render node, once. The name is that of the first device that computes. */
static bool rule_of_pmix(hwloc_obj_t obj, struct chosen *chosen)
{
  hwloc_obj_t pci = pci_of(obj);
  bool counts = false, renders = false;

  if (!is_type(obj, HWLOC_OBJ_OSDEV_GPU) && !is_type(obj, HWLOC_OBJ_OSDEV_COPROC))
    return false;
  for (hwloc_obj_t child = pci->io_first_child; child; child = child->next_sibling) {
    counts |= computes(child);
    renders |= !strncasecmp(child->name, "renderD", 7);
  }
  if (!counts && !(renders && pci->attr->pcidev.class_id >> 8 == 3))
    return false;
  for (size_t i = 0; i < chosen->count; i++)
    if (pci_of(chosen->objs[i]) == pci) {
      if (computes(obj) && !computes(chosen->objs[i]))
        chosen->objs[i] = obj;
      return false;
    }
  return true;
}

/* StarPU 3f3cc82 asks hwloc for the device of each index of CUDA (hwloc/cuda.h of 2.9). */
static bool rule_of_starpu(hwloc_obj_t obj, struct chosen *chosen)
{
  return is_type(obj, HWLOC_OBJ_OSDEV_COPROC) && !strncmp(obj->name, "cuda", 4) &&
         (size_t)atoi(obj->name + 4) == chosen->count;
}

/* Quo Vadis c2f7c0c, qvi-hwloc.cc: by type and subtype, each PCI device once, with the name of the
 * last device. */
static bool rule_of_quo_vadis(hwloc_obj_t obj, struct chosen *chosen)
{
  if (!is_type(obj, HWLOC_OBJ_OSDEV_GPU) && !is_type(obj, HWLOC_OBJ_OSDEV_OPENFABRICS) &&
      !(is_type(obj, HWLOC_OBJ_OSDEV_COPROC) && has_subtype(obj, "LevelZero")) &&
      !(is_type(obj, HWLOC_OBJ_OSDEV_NETWORK) &&
        (has_subtype(obj, "BXI") ||
         (has_subtype(obj, "Slingshot") && !strncmp(obj->name, "cxi", 3)))))
    return false;
  for (size_t i = 0; i < chosen->count; i++)
    if (pci_of(chosen->objs[i]) == pci_of(obj)) {
      chosen->objs[i] = obj;
      return false;
    }
  return true;
}

/* hwloc's own lookups by name, which pyhwloc and others use: cuda0, nvml0, rsmi0, opencl, ze. */
static bool rule_of_names(hwloc_obj_t obj, struct chosen *chosen)
{
  static const char *const names[] = {"cuda", "nvml", "rsmi", "opencl", "ze", "card", "dax"};
  bool found = false;

  (void)chosen;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    found |= !strncmp(obj->name, names[i], strlen(names[i]));
  return found;
}

static const struct program {
  const char *name;
  bool (*rule)(hwloc_obj_t obj, struct chosen *chosen);
  const char *chooses;
} programs[] = {
    {"Flux", rule_of_flux, "rsmi0 cuda0 cuda1 "},
    {"mpibind", rule_of_mpibind,
     "card0 card2 renderD129 rsmi0 ze0 card1 renderD128 nvml0 mlx5_0 hsn0 cxi0 nvml1 "},
    {"hydra", rule_of_hydra, "ze0 "},
    {"MPICH", rule_of_mpich, "card0 card2 renderD129 rsmi0 card1 renderD128 nvml0 nvml1 "},
    {"PMIx", rule_of_pmix, "rsmi0 ze0 cuda0 cuda1 "},
    {"StarPU", rule_of_starpu, "cuda0 cuda1 "},
    {"Quo Vadis", rule_of_quo_vadis, "card0 rsmi0 ze0 nvml0 mlx5_0 cxi0 nvml1 "},
    {"names", rule_of_names, "card0 card2 rsmi0 ze0 card1 cuda0 nvml0 opencl0d0 cuda1 nvml1 "},
};

static void choose(hwloc_topology_t topology, const struct program *program, char text[1024])
{
  struct chosen chosen = {.count = 0};
  hwloc_obj_t obj = NULL;

  while ((obj = hwloc_get_next_osdev(topology, obj)))
    if (program->rule(obj, &chosen)) {
      assert_true(chosen.count < sizeof chosen.objs / sizeof *chosen.objs);
      chosen.objs[chosen.count++] = obj;
    }
  *text = '\0';
  for (size_t i = 0; i < chosen.count; i++)
    snprintf(text + strlen(text), 1024 - strlen(text), "%s ", chosen.objs[i]->name);
}

static void our_objects_change_no_choice(void **state)
{
  hwloc_topology_t without = node(false), with = node(true);
  const int ours = hwloc_get_nbobjs_by_type(with, HWLOC_OBJ_OS_DEVICE) -
                   hwloc_get_nbobjs_by_type(without, HWLOC_OBJ_OS_DEVICE);
  char text[1024];

  (void)state;
  assert_int_equal(ours, 5 * sizeof gpus / sizeof *gpus);
  for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
    choose(without, &programs[i], text);
    assert_string_equal(text, programs[i].chooses);
    choose(with, &programs[i], text);
    assert_string_equal(text, programs[i].chooses);
  }
  hwloc_topology_destroy(without);
  hwloc_topology_destroy(with);
}

static hwloc_obj_t first_of_ours(hwloc_topology_t topology)
{
  hwloc_obj_t obj = NULL;

  while ((obj = hwloc_get_next_osdev(topology, obj)))
    if (has_subtype(obj, "DeviceMemory"))
      return obj;
  fail_msg("there is no DeviceMemory");
  return NULL;
}

/* How many programs choose other devices. */
static unsigned count_misled(hwloc_topology_t topology)
{
  unsigned count = 0;
  char text[1024];

  for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
    choose(topology, &programs[i], text);
    count += strcmp(text, programs[i].chooses) != 0;
  }
  return count;
}

/* What the rules would notice: another type, another backend, or such a name. */
static void other_objects_would_change_choices(void **state)
{
  hwloc_topology_t topology = node(true);
  hwloc_obj_t memory = first_of_ours(topology);

  (void)state;
  assert_string_equal(hwloc_obj_get_info_by_name(memory, "Backend"), "GPUCache");
  assert_int_equal(count_misled(topology), 0);
  set_type(memory, HWLOC_OBJ_OSDEV_GPU);
  assert_int_equal(count_misled(topology), 3); /* mpibind, MPICH, Quo Vadis */
  gc_hwloc_set_memory_osdev(memory);
  free(memory->name);
  memory->name = strdup("ze1");
  assert_int_equal(count_misled(topology), 1); /* names */
  set_type(memory, HWLOC_OBJ_OSDEV_COPROC);
  assert_int_equal(count_misled(topology), 2); /* hydra, too */
  hwloc_topology_destroy(topology);
}

/* Programs that go by hwloc's numbers of OS devices, as MPICH does for "gpu3", get other ones:
 * doc/limitations.md. */
static void our_objects_change_logical_indexes(void **state)
{
  hwloc_topology_t without = node(false), with = node(true);
  hwloc_obj_t obj = NULL;
  unsigned before = 0;

  (void)state;
  while ((obj = hwloc_get_next_osdev(without, obj)))
    if (!strcmp(obj->name, "nvml1"))
      before = obj->logical_index;
  while ((obj = hwloc_get_next_osdev(with, obj)))
    if (!strcmp(obj->name, "nvml1"))
      assert_int_equal(obj->logical_index, before + 10);
  hwloc_topology_destroy(without);
  hwloc_topology_destroy(with);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(our_objects_change_no_choice),
      cmocka_unit_test(other_objects_would_change_choices),
      cmocka_unit_test(our_objects_change_logical_indexes),
  };

  return cmocka_run_group_tests(tests, NULL, NULL);
}
