/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Whether the contents of a profile make a chip: a consistent geometry, paths that end in memory.
 */
#ifndef GC_MODEL_CHECK_H
#define GC_MODEL_CHECK_H

#include "model/profile.h"

/* Checks a parsed profile. Also sets defaults, and the facts that follow from others: amd,
 * global_l1, has_texture, l2_bytes and so on. 0, or -EINVAL with "NAME:LINE: what is wrong". */
int gc_profile_check(const char *name, struct gc_profile *profile, struct gc_error *err);

#endif
