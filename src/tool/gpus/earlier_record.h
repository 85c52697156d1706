/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * Keeps the valid record that a GPU has when it is measured again, so that no good value is lost: a
 * new record is stored only if it determines every property as well (record/coverage.h), or if the
 * earlier one is provisional and the new one is better.
 */
#ifndef GC_TOOL_GPUS_EARLIER_RECORD_H
#define GC_TOOL_GPUS_EARLIER_RECORD_H

#include "tool/gpus/results.h"
#include "tool/tool.h"

/* Whether the GPU of this valid record is to be measured again now: gc_store_is_due. `measure` does
 * not wait after a failure if the GPU has moved. Removes from the record what was measured of
 * another host (gc_gpus_drop_host). */
bool gc_keep_is_due(const struct gc_tool *tool, const struct gc_gpu *gpu, struct gc_record *record);

/* Whether only the host values of the earlier record are out of date, and are to be measured again.
 */
bool gc_keep_all_but_host(const struct gc_tool *tool, const struct gc_result *result);

/* Puts what result->earlier has into the new record, except what is of the host. 0 or -ENOMEM. */
int gc_keep_merge(struct gc_result *result, struct gc_record **record);

/* Call it under the lock of the record, before the GPU is measured. Finds the valid record again
 * (result->earlier): another process may have replaced it. If it is provisional, notes the
 * present try in it. So the back-off also holds if this process is killed. */
void gc_keep_begin(const struct gc_tool *tool, struct gc_result *result);

/* Whether the new record (result->record) may be stored. If not, the earlier one stays, and why
 * says what would be lost. */
bool gc_keep_allows(const struct gc_tool *tool, const struct gc_result *result,
                    struct gc_error *why);

/* Notes the number of tries in a provisional new record. 0 or -ENOMEM. */
int gc_keep_note_try(struct gc_result *result);

/* The end of a sentence about a failure: "; the record of … is kept", or "". */
void gc_keep_words(const struct gc_result *result, char *text, size_t size);

/* For a subcommand that shows records: after a failure, or if the earlier record is kept, the
 * earlier record takes the place of the new one, and the subcommand does not fail. */
void gc_keep_show(struct gc_result *result);

/* Whether another process, which has measured the GPU, did not store its record for this reason. */
void gc_keep_look(const struct gc_tool *tool, struct gc_result *result);

/* Why a record is provisional and when it is measured again: "provisional: …; measured again from …
 * on". Empty if it is not provisional. A long reason is cut, so that the time fits. size: at least
 * 100. */
void gc_keep_describe(const struct gc_record *record, char *text, size_t size);

/* The date of a record, for people. */
const char *gc_keep_date(const struct gc_record *record);

#endif
