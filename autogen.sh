#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Makes ./configure from configure.ac.
set -e
cd "$(dirname "$0")"
exec autoreconf --force --install --warnings=all
