/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The GPUs that the command line names.
 */
#include "tool/gpus/targets.h"

#include "tool/gpus/pci_ids.h"
#include "tool/print/messages.h"
#include "tool/process/environment.h"

#include <hwloc/gpucache.h>

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SIM_WORD "sim-"

/* "h200.xml", "h200.txt" and "sim-h200.xml", but not "00:06.0" nor "sim-my.gpu" */
static bool has_ending(const char *word)
{
  const char *dot = strrchr(word, '.');

  return dot && dot > word && isalpha((unsigned char)dot[1]) &&
         (strncmp(word, SIM_WORD, strlen(SIM_WORD)) || !strcmp(dot, ".xml"));
}

/* "gpu0", "GPU-4b2f...", "sim-h200" */
static bool looks_like_gpu(const char *word)
{
  if (!strncmp(word, "gpu", strlen("gpu")))
    return word[3] && !word[3 + strspn(word + 3, "0123456789")];
  return !strncmp(word, "GPU-", strlen("GPU-")) || !strncmp(word, SIM_WORD, strlen(SIM_WORD));
}

bool gc_targets_is_path(const char *word)
{
  return strchr(word, '/') || has_ending(word) || (!looks_like_gpu(word) && !access(word, F_OK));
}

/* Adds a member to a malloc'ed comma list, unless it is there. NULL: out of memory. */
static char *list_with(char *list, const char *member)
{
  size_t length = strlen(member);
  char *longer;

  for (const char *at = list; at && (at = strstr(at, member)); at += length)
    if ((at == list || at[-1] == ',') && (!at[length] || at[length] == ','))
      return list;
  if (asprintf(&longer, "%s%s%s", list ? list : "", list && *list ? "," : "", member) < 0)
    longer = NULL;
  free(list);
  return longer;
}

char *gc_targets_sims(const struct gc_tool *tool)
{
  const char *asked = tool->sims ? tool->sims : secure_getenv(HWLOC_GPUCACHE_SIM_ENV);
  char *sims = strdup(asked ? asked : "");

  for (size_t i = 0; sims && i < tool->count; i++)
    if (!strncmp(tool->words[i], SIM_WORD, strlen(SIM_WORD)) && tool->words[i][strlen(SIM_WORD)] &&
        !strchr(tool->words[i], ',') && !gc_targets_is_path(tool->words[i]))
      sims = list_with(sims, tool->words[i] + strlen(SIM_WORD));
  return sims;
}

/* With --sim, only simulated GPUs count. */
static void only_simulated(struct gc_gpus *gpus)
{
  size_t kept = 0;

  for (size_t i = 0; i < gpus->count; i++) {
    if (gpus->array[i].vendor != GC_VENDOR_SIM) {
      gc_record_free(gpus->array[i].tables);
      continue;
    }
    if (kept != i)
      gpus->array[kept] = gpus->array[i];
    snprintf(gpus->array[kept].name, sizeof gpus->array[kept].name, "gpu%zu", kept);
    kept++;
  }
  gpus->count = kept;
}

/* The message names the root directory, and says so if HWLOC_FSROOT is ignored. before: its
 * beginning. */
static int no_gpu(const char *before)
{
  const char *root = gc_environment_root(), *why = gc_gpus_why_unseen(root);

  gc_say(NULL, "%sno GPU found%s%s%s%s%s%s; try --sim h200", before, *root ? " in " : "", root,
         *root ? " (HWLOC_FSROOT)" : "",
         why ? ": " : "; looked in /proc/driver/nvidia/gpus, /sys/class/kfd and the PCI devices",
         why ? why : "",
         gc_environment_root_ignored()
             ? " (HWLOC_FSROOT is ignored, because HWLOC_THISSYSTEM=1 is not set)"
             : "");
  return GC_EXIT_NO_GPU;
}

bool gc_targets_is_there(const struct gc_gpu *gpu)
{
  return gpu->vendor != GC_VENDOR_SIM || !gpu->problem[0] ||
         (gpu->profile[0] && !access(gpu->profile, F_OK));
}

bool gc_targets_is_shared(const struct gc_gpu *gpu)
{
  return gpu->vendor == GC_VENDOR_SIM && gpu->problem[0] && !gpu->profile[0];
}

bool gc_targets_is_repeated(const struct gc_gpus *gpus, const struct gc_gpu *gpu)
{
  if (!gc_targets_is_shared(gpu))
    return false;
  for (const struct gc_gpu *earlier = gpus->array; earlier < gpu; earlier++)
    if (gc_targets_is_shared(earlier) && !strcmp(earlier->problem, gpu->problem))
      return true;
  return false;
}

/* Says which words name no GPU. */
static int no_such_gpu(const struct gc_tool *tool, const struct gc_gpus *gpus,
                       const struct gc_few_names *unknown)
{
  char names[700] = "", before[600];

  if (tool->of_files)
    snprintf(before, sizeof before, "%s %s; ", unknown->text,
             unknown->count > 1 ? "are neither GPUs nor files" : "is neither a GPU nor a file");
  else
    snprintf(before, sizeof before, "no GPU%s is named %s; ",
             tool->of_records ? " and no record" : "", unknown->text);
  if (!gpus->count && !tool->of_records)
    return no_gpu(before);

  for (size_t i = 0; i < gpus->count; i++) {
    const size_t used = strlen(names);

    if (!gc_targets_is_there(&gpus->array[i]))
      continue; /* for example the wrong word itself */
    snprintf(names + used, sizeof names - used, "%s%s (%s)", used ? ", " : "", gpus->array[i].name,
             gpus->array[i].identity.model[0] ? gpus->array[i].identity.model
                                              : gpus->array[i].identity.id);
  }
  gc_say(NULL, "%savailable%s: %s", before, tool->of_records || tool->of_files ? " GPUs" : "",
         *names ? names : "none");
  return GC_EXIT_NO_GPU;
}

/* Reports the words that are files, if the command takes none. */
static int check_no_file(const struct gc_tool *tool, const struct gc_gpus *gpus)
{
  struct gc_few_names files = {.last = "and"};

  for (size_t i = 0; !tool->of_files && i < tool->count; i++)
    if (!gc_gpus_by_name(gpus, tool->words[i]) && gc_targets_is_path(tool->words[i]))
      gc_few_add(&files, tool->words[i]);
  if (!files.count)
    return GC_EXIT_DONE;
  gc_say(NULL, "%s takes GPUs, not files: %s", tool->subcommand, files.text);
  return GC_EXIT_USAGE;
}

static int choose(const struct gc_tool *tool, struct gc_targets *targets)
{
  const size_t most = tool->count ? tool->count : targets->gpus.count;
  struct gc_few_names unknown = {.last = tool->of_files ? "and" : "or"};

  targets->chosen = calloc(most ? most : 1, sizeof *targets->chosen);
  if (!targets->chosen)
    return gc_no_memory();
  if (!tool->count)
    for (size_t i = 0; i < targets->gpus.count; i++)
      targets->chosen[targets->count++] = &targets->gpus.array[i];
  for (size_t i = 0; i < tool->count; i++) {
    struct gc_gpu *gpu = gc_gpus_by_name(&targets->gpus, tool->words[i]);
    bool again = false;

    if (!gpu) {
      gc_few_add(&unknown, tool->words[i]);
      continue;
    }
    for (size_t j = 0; j < targets->count; j++)
      again |= targets->chosen[j] == gpu;
    if (!again)
      targets->chosen[targets->count++] = gpu;
  }
  return unknown.count ? no_such_gpu(tool, &targets->gpus, &unknown) : GC_EXIT_DONE;
}

int gc_targets_list(const struct gc_tool *tool, struct gc_gpus *gpus)
{
  char *sims = gc_targets_sims(tool);
  int status = -ENOMEM;

  if (sims)
    status = gc_gpus_list(gc_environment_root(), *sims ? sims : NULL, gpus);
  free(sims);
  if (status)
    return status;
  gc_pci_ids_name(gc_environment_root(), gpus);
  if (tool->sims)
    only_simulated(gpus);
  return 0;
}

int gc_targets_find_known(const struct gc_tool *tool, struct gc_targets *targets)
{
  int status = GC_EXIT_FAILED;

  memset(targets, 0, sizeof *targets);
  if (gc_targets_list(tool, &targets->gpus)) {
    gc_no_memory();
  } else {
    gc_gpus_restrict(gc_environment_root(), &targets->gpus);
    status = check_no_file(tool, &targets->gpus);
    if (status != GC_EXIT_DONE) {
      /* the message is printed */
    } else if (!targets->gpus.count && !((tool->of_records || tool->of_files) && tool->count)) {
      status = no_gpu("");
    } else {
      status = choose(tool, targets);
    }
  }
  if (status == GC_EXIT_DONE && tool->xml && targets->count != 1) {
    gc_say(NULL, "--xml prints one GPU, but %zu are chosen: name one", targets->count);
    status = GC_EXIT_USAGE;
  }
  return status;
}

int gc_targets_find(const struct gc_tool *tool, struct gc_targets *targets)
{
  const int status = gc_targets_find_known(tool, targets);

  if (status != GC_EXIT_DONE)
    gc_targets_free(targets);
  return status;
}

void gc_targets_free(struct gc_targets *targets)
{
  free(targets->chosen);
  gc_gpus_free(&targets->gpus);
  memset(targets, 0, sizeof *targets);
}
