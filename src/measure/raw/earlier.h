/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Files that earlier runs of --raw wrote to the directory for a GPU of the same name. Data of two
 * runs must not be mixed, because plot draws everything in a directory. All files of the same GPU
 * are replaced together. Files of another GPU, and files that --raw did not write, stay.
 */
#ifndef GC_MEASURE_RAW_EARLIER_H
#define GC_MEASURE_RAW_EARLIER_H

#include "measure/raw/set.h"

/* -EEXIST and a sentence if there are data of another GPU with this name; 0 otherwise. */
int gc_raw_check_earlier(const struct gc_raw *raw, struct gc_error *err);

/* Removes the files that --raw wrote for this GPU. 0, or a negative errno and a sentence. */
int gc_raw_remove_earlier(const struct gc_raw *raw, struct gc_error *err);

/* -EEXIST and a sentence if a file with this name was not written by --raw for this GPU. */
int gc_raw_check_name(const struct gc_raw *raw, const char *name, struct gc_error *err);

#endif
