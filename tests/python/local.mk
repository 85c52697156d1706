# SPDX-License-Identifier: BSD-3-Clause
# The package for Python, and the example in its document.
TESTS += tests/python/python.sh
EXTRA_DIST += tests/python/python.sh tests/python/test_hwloc_gpucache.py
EXTRA_DIST += contrib/python/README.md contrib/python/pyproject.toml \
	contrib/python/hwloc_gpucache/__init__.py contrib/python/hwloc_gpucache/py.typed
