/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * A record describes one GPU: its identity, facts of the whole GPU, and a tree of memory elements
 * with attributes. Attributes are pairs of strings (key, value); hwloc/gpucache.h defines the keys.
 * This module does not depend on hwloc, on a vendor or on a file system. It has no global state:
 * threads may use different records at the same time.
 *
 * This header is for users of the module; its files include what they need.
 */
#ifndef GC_RECORD_RECORD_H
#define GC_RECORD_RECORD_H

#include "record/coverage.h"
#include "record/elements.h"
#include "record/infos.h"
#include "record/kinds.h"
#include "record/merge.h"
#include "record/per_sm.h"
#include "record/provisional.h"
#include "record/status.h"
#include "record/values.h"
#include "record/reader.h"

#endif
