/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * handover ID DRIVER VBIOS: prints what a process passes on that has measured nothing yet of this GPU, for
 * "measure --resume".
 */
#include "measure/measure.h"
#include "measure/results/results.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
  struct gc_handover handover = {.results = malloc(sizeof(*handover.results))};
  struct gc_identity identity = {.id = ""};
  struct gc_error err;
  int status;

  if (argc != 4 || !handover.results)
    return 2;
  snprintf(identity.id, sizeof(identity.id), "%s", argv[1]);
  snprintf(identity.driver, sizeof(identity.driver), "%s", argv[2]);
  snprintf(identity.vbios, sizeof(identity.vbios), "%s", argv[3]);
  snprintf(identity.mig, sizeof(identity.mig), "disabled");
  gc_results_clear(handover.results);
  status = gc_handover_write(&handover, &identity, STDOUT_FILENO, &err);
  if (status)
    fprintf(stderr, "%s\n", err.text);
  gc_handover_free(&handover);
  return status ? 1 : 0;
}
