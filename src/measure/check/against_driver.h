/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Compares measured values with the tables of the kernel driver. doc/methods.md, "Driver tables".
 */
#ifndef GC_MEASURE_CHECK_AGAINST_DRIVER_H
#define GC_MEASURE_CHECK_AGAINST_DRIVER_H

#include "measure/results/results.h"

/* If a measured value differs from the tables (may be NULL), writes the table's value into the
 * record as <Property>Differs, and warns. Nothing is withheld: the tables describe a family of
 * chips and state what should exist. 0 or -ENOMEM. */
int gc_check_driver_tables(struct gc_results *results, const struct gc_record *tables,
                           struct gc_record *record);

#endif
