/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Links: the GPUs of this machine, and whether this process may measure them. No GPU is opened.
 */
#include "tool/doctor/links.h"

#include "gpus/nodes.h"
#include "tool/doctor/child.h"
#include "tool/gpus/targets.h"
#include "tool/process/environment.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LIBRARY_SECONDS 5

void gc_link_gpus(struct gc_doctor *doctor)
{
  const char *root = gc_environment_root();

  for (size_t i = 0; i < doctor->gpus.count; i++) {
    const struct gc_gpu *gpu = &doctor->gpus.array[i];

    if (gc_targets_is_repeated(&doctor->gpus, gpu))
      continue;
    if (gpu->vendor == GC_VENDOR_SIM && gpu->problem[0])
      gc_doctor_add(doctor, GC_LINK_NOT_OK, "Correct the name or path of the simulated GPU.",
                    "%s: %s", gpu->name, gpu->problem);
    else if (gpu->has_pci)
      gc_doctor_add(doctor, GC_LINK_OK, NULL, "%s: %s, bus %04x:%02x:%02x.%x, id %s", gpu->name,
                    gpu->identity.model, gpu->domain, gpu->bus, gpu->dev, gpu->func,
                    gpu->identity.id);
    else
      gc_doctor_add(doctor, GC_LINK_OK, NULL, "%s: %s%s, id %s", gpu->name, gpu->identity.model,
                    gpu->vendor == GC_VENDOR_SIM ? " (simulated)" : "", gpu->identity.id);
  }
  if (!doctor->gpus.count && gc_gpus_why_unseen(root))
    gc_doctor_add(
        doctor, GC_LINK_NOT_OK,
        "Use a Linux that runs on the machine itself; a simulated GPU needs none: " GC_TOOL_NAME
        " --sim h200 doctor",
        "no GPU: %s", gc_gpus_why_unseen(root));
  else if (!doctor->gpus.count)
    gc_doctor_add(doctor, GC_LINK_NOT_OK,
                  gc_environment_root_ignored()
                      ? "Run: export HWLOC_THISSYSTEM=1, or unset HWLOC_FSROOT"
                      : "Load the GPU's kernel driver, or pass the GPU to the container or virtual "
                        "machine; a simulated GPU needs none: " GC_TOOL_NAME " --sim h200 doctor",
                  "no GPU: neither %s/proc/driver/nvidia/gpus nor %s/sys/class/kfd nor the PCI "
                  "devices show one",
                  root, root);
}

/* Whether the link concerns a GPU: a real one. Otherwise, adds a finding if there is no real one.
 */
static bool has_real(struct gc_doctor *doctor)
{
  for (size_t i = 0; i < doctor->gpus.count; i++)
    if (doctor->gpus.array[i].vendor != GC_VENDOR_SIM)
      return true;
  gc_doctor_add(doctor, GC_LINK_NOT_APPLICABLE, NULL, "%s",
                doctor->gpus.count ? "simulated GPUs do not need it" : "there is no GPU");
  return false;
}

static const char *driver_remedy(const struct gc_gpu *gpu, const char *problem)
{
  if (strstr(problem, "MIG"))
    return "Set CUDA_VISIBLE_DEVICES to the UUID of a MIG instance (nvidia-smi -L lists them).";
  if (strstr(problem, "HWLOC_FSROOT"))
    return "Measure it on the machine itself: " GC_TOOL_NAME " measure";
  if (strstr(problem, "nvidia-smi"))
    return "Run nvidia-smi once.";
  if (strstr(problem, "/etc/machine-id"))
    return "Make one of these files visible, for example by an option of the container.";
  return gpu->vendor == GC_VENDOR_NVIDIA
             ? "Load NVIDIA's kernel driver: modprobe nvidia; dmesg gives the reason if that fails."
             : "Load the kernel driver: modprobe amdgpu; dmesg gives the reason if that fails.";
}

void gc_link_driver(struct gc_doctor *doctor)
{
  if (!has_real(doctor))
    return;
  for (size_t i = 0; i < doctor->gpus.count; i++) {
    const struct gc_gpu *gpu = &doctor->gpus.array[i];
    const char *problem = doctor->patients[i].driver_problem;

    if (gpu->vendor == GC_VENDOR_SIM)
      continue;
    if (*problem && !strstr(problem, "/dev/kfd"))
      gc_doctor_add(doctor, GC_LINK_NOT_OK, driver_remedy(gpu, problem), "%s: %s", gpu->name,
                    problem);
    else
      gc_doctor_add(doctor, GC_LINK_OK, NULL, "%s: %s %s", gpu->name,
                    gpu->vendor == GC_VENDOR_NVIDIA ? "nvidia" : "amdgpu", gpu->identity.driver);
  }
}

/* The device nodes of a GPU that its vendor's library opens; empty entries are unused. */
static void name_nodes(const struct gc_gpu *gpu, char nodes[3][40])
{
  memset(nodes, 0, 3 * sizeof *nodes);
  if (gpu->vendor == GC_VENDOR_NVIDIA) {
    strcpy(nodes[0], "/dev/nvidiactl");
    strcpy(nodes[1], "/dev/nvidia-uvm");
    if (gpu->minor[0])
      snprintf(nodes[2], sizeof *nodes, "/dev/nvidia%.11s", gpu->minor);
  } else {
    strcpy(nodes[0], "/dev/kfd");
    if (gpu->render_minor)
      snprintf(nodes[1], sizeof *nodes, "/dev/dri/renderD%u", gpu->render_minor);
  }
}

static void check_nodes(struct gc_doctor *doctor, const struct gc_gpu *gpu)
{
  char nodes[3][40], refused[200] = "", missing[200] = "", fine[200] = "";
  bool by_cgroup = false;

  name_nodes(gpu, nodes);
  for (size_t k = 0; k < 3 && *nodes[k]; k++) {
    const int error = gc_nodes_try(gc_environment_root(), nodes[k], true);
    char *list = !error ? fine : error == ENOENT ? missing : refused;
    const size_t used = strlen(list);

    by_cgroup |= error == EPERM;
    snprintf(list + used, 200 - used, "%s%s", used ? ", " : "", nodes[k]);
  }
  if (*refused)
    gc_doctor_add(doctor, GC_LINK_NOT_OK,
                  by_cgroup ? "Measure it in a job or container that may use this GPU."
                            : "Ask the administrator for access, often by a group such as render "
                              "or video.",
                  "%s: this process may not open %s", gpu->name, refused);
  else if (*missing && gpu->vendor == GC_VENDOR_AMD)
    gc_doctor_add(doctor, GC_LINK_NOT_OK,
                  "Load the kernel driver amdgpu, or pass the device nodes to the container.",
                  "%s: %s missing", gpu->name, missing);
  else if (*missing)
    gc_doctor_add(doctor, GC_LINK_OK, NULL, "%s: %s missing; CUDA can create device nodes",
                  gpu->name, missing);
  else
    gc_doctor_add(doctor, GC_LINK_OK, NULL, "%s: %s can be opened", gpu->name, fine);
}

void gc_link_nodes(struct gc_doctor *doctor)
{
  if (!has_real(doctor))
    return;
  for (size_t i = 0; i < doctor->gpus.count; i++)
    if (doctor->gpus.array[i].vendor != GC_VENDOR_SIM)
      check_nodes(doctor, &doctor->gpus.array[i]);
}

void gc_link_visible(struct gc_doctor *doctor)
{
  if (!has_real(doctor))
    return;
  for (size_t i = 0; i < doctor->gpus.count; i++) {
    const struct gc_gpu *gpu = &doctor->gpus.array[i];
    char remedy[120] = "";

    if (gpu->vendor == GC_VENDOR_SIM)
      continue;
    if (gpu->visibility == GC_HIDDEN && !doctor->patients[i].driver_problem[0] &&
        !strstr(gpu->problem, "/dev/")) {
      snprintf(remedy, sizeof remedy, "Run: unset %.*s, or use a job that may use this GPU.",
               (int)strcspn(gpu->problem, " "), gpu->problem);
      gc_doctor_add(doctor, GC_LINK_NOT_OK, remedy, "%s: %s", gpu->name, gpu->problem);
    } else {
      gc_doctor_add(doctor, GC_LINK_OK, NULL, "%s: %s", gpu->name,
                    gpu->visibility == GC_UNDECIDED
                        ? "only the vendor's library can tell what the variables show"
                        : "no variable hides it");
    }
  }
}

/* Loads the library in a child. Nothing in it is called. */
static void check_library(struct gc_doctor *doctor, enum gc_vendor vendor)
{
  const bool is_cuda = vendor == GC_VENDOR_NVIDIA;
  const char *const argv[] = {"/proc/self/exe", "doctor", "--probe", is_cuda ? "cuda" : "hip",
                              NULL};
  struct gc_errand errand = {.argv = argv, .tool = doctor->tool, .seconds = LIBRARY_SECONDS};
  struct gc_error how = {""};
  const int status = gc_errand_run(&errand, &how);
  const char *text = errand.output && *errand.output ? strtok(errand.output, "\n") : how.text;

  if (status)
    gc_doctor_add(doctor, GC_LINK_NOT_OK,
                  is_cuda ? "Install the driver's library libcuda.so.1 (Debian: libcuda1), or pass "
                            "it to the container."
                          : "Install ROCm's libamdhip64, or pass it to the container.",
                  "%.500s", text);
  else
    gc_doctor_add(doctor, GC_LINK_OK, NULL, "%.100s can be loaded", text);
  for (size_t i = 0; i < doctor->gpus.count; i++)
    if (doctor->gpus.array[i].vendor == vendor)
      doctor->patients[i].no_library = status != 0;
  free(errand.output);
}

void gc_link_vendor_library(struct gc_doctor *doctor)
{
  static const enum gc_vendor vendors[] = {GC_VENDOR_NVIDIA, GC_VENDOR_AMD};

  if (!has_real(doctor))
    return;
  for (size_t v = 0; v < sizeof vendors / sizeof *vendors; v++)
    for (size_t i = 0; i < doctor->gpus.count; i++)
      if (doctor->gpus.array[i].vendor == vendors[v]) {
        check_library(doctor, vendors[v]);
        break;
      }
}
