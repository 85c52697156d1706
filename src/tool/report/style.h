/*
 * SPDX-License-Identifier: BSD-3-Clause
 *
 * The style sheet of the page.
 */
#ifndef GC_TOOL_REPORT_STYLE_H
#define GC_TOOL_REPORT_STYLE_H

extern const char gc_report_style[];

#endif
