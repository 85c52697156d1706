#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Runs the tests of contrib/python with the first python3 that has pytest.
for python in "${PYTHON:-python3}" /usr/bin/python3; do
  "$python" -c 'import pytest' 2>/dev/null || continue
  export PYTHONPATH="$top_srcdir/contrib/python" PYTHONDONTWRITEBYTECODE=1 MPLBACKEND=Agg
  exec "$python" -m pytest -q -rs -p no:cacheprovider --rootdir="$top_srcdir/tests/python" \
    "$top_srcdir/tests/python"
done
echo "SKIPPED: there is no pytest (Debian: python3-pytest)"
exit 77
