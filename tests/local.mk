# SPDX-License-Identifier: BSD-3-Clause
# How tests run. Each kind of test has a folder with a local.mk of its own, included at the end.
#
# A test is a program (a unit test, with cmocka), a .bats file (tests of whole programs) or a .sh
# file. Its environment has:
#   top_srcdir, top_builddir   absolute
#   HOME, HWLOC_GPUCACHE_DIR   empty directories, for this test only
#   TMPDIR                     see tests/tmpdir.sh
#   HWLOC_PLUGINS_PATH         the plugin of this build, and those of hwloc
#   HWLOC_GPUCACHE_TOOL        the tool of this build
#   HWLOC_GPUCACHE_SIM_PATH    the simulated GPUs of data/sim
#   RECENT_GPUS                those of them that only tests of tier ci measure (data/local.mk)
#   LSTOPO, PATH               programs of the hwloc that this build uses come first; with
#                              --enable-sanitizers, wrappers that load the sanitizer runtime
#   SANITIZERS                 yes or no; CLANG, AMD_CLANG, LLD, PTXAS, VALGRIND: paths, empty when not found
#   HWLOC_CFLAGS, HWLOC_LIBS   to compile with hwloc, and to link
#   AMD_IMAGES, AMDGCN_FLAGS   code objects for AMD GPUs, relative to top_builddir; the
#                              flags to compile them
TEST_EXTENSIONS = .sh .bats
BATS_LOG_COMPILER = $(SHELL) $(srcdir)/tests/bats.sh

AM_TESTS_ENVIRONMENT = \
	umask 022; \
	top_srcdir='$(abs_top_srcdir)'; export top_srcdir; \
	top_builddir='$(abs_top_builddir)'; export top_builddir; \
	test_home='$(abs_top_builddir)/tests/home/$@'; \
	chmod -R u+rwx "$$test_home" 2>/dev/null; rm -rf "$$test_home"; \
	$(MKDIR_P) "$$test_home/records" || exit 99; \
	HOME=$$test_home; export HOME; \
	TMPDIR=`$(SHELL) '$(srcdir)/tests/tmpdir.sh'`; export TMPDIR; \
	HWLOC_GPUCACHE_DIR=$$test_home/records; export HWLOC_GPUCACHE_DIR; \
	unset XDG_CACHE_HOME XDG_RUNTIME_DIR HWLOC_GPUCACHE HWLOC_GPUCACHE_SIM HWLOC_GPUCACHE_TIMEOUT AMD_PROCESSORS; \
	unset HWLOC_GPUCACHE_VERBOSE HWLOC_COMPONENTS HWLOC_XMLFILE HWLOC_SYNTHETIC HWLOC_FSROOT COLUMNS; \
	HWLOC_PLUGINS_PATH='$(abs_top_builddir)/src/plugin/.libs:$(hwloc_own_plugindir)'; \
	export HWLOC_PLUGINS_PATH; \
	HWLOC_GPUCACHE_TOOL='$(abs_top_builddir)/hwloc-gpucache'; export HWLOC_GPUCACHE_TOOL; \
	HWLOC_GPUCACHE_SIM_PATH='$(abs_top_srcdir)/data/sim'; export HWLOC_GPUCACHE_SIM_PATH; \
	RECENT_GPUS='$(sim_recent_profiles:data/sim/%=%)'; export RECENT_GPUS; \
	BATS='$(BATS)'; export BATS; CLANG='$(CLANG)'; export CLANG; PTXAS='$(PTXAS)'; export PTXAS; \
	AMD_CLANG='$(AMD_CLANG)'; export AMD_CLANG; \
	LLD='$(LLD)'; AMD_IMAGES='$(AMD_IMAGES)'; AMDGCN_FLAGS='$(AMDGCN_FLAGS)'; \
	export LLD AMD_IMAGES AMDGCN_FLAGS; \
	VALGRIND='$(VALGRIND)'; export VALGRIND; CC='$(CC)'; export CC; \
	HWLOC_CFLAGS='$(HWLOC_CFLAGS)'; HWLOC_LIBS='$(HWLOC_LIBS)'; export HWLOC_CFLAGS HWLOC_LIBS; \
	unset MAKEFLAGS MFLAGS MAKELEVEL; LC_ALL=C; export LC_ALL; \
	$(hwloc_programs_environment)

# What make check builds or unpacks beside programs.
check_DATA =

# With the sanitizers hwloc loads no plugin but ours. Others load OpenCL or X libraries, which leak
# and are unloaded before the leak is reported, so that a suppression cannot name them.
if SANITIZERS
hwloc_programs_environment = \
	HWLOC_PLUGINS_PATH='$(abs_top_builddir)/src/plugin/.libs'; export HWLOC_PLUGINS_PATH; \
	SANITIZERS=yes; export SANITIZERS; \
	SANITIZER_PRELOAD='$(SANITIZER_PRELOAD)'; export SANITIZER_PRELOAD; \
	SANITIZER_WRAPPED_PATH='$(hwloc_bindir)':$$PATH; export SANITIZER_WRAPPED_PATH; \
	LSAN_OPTIONS='suppressions=$(abs_top_srcdir)/tests/sanitized/leaks.txt:print_suppressions=0'; \
	export LSAN_OPTIONS; \
	UBSAN_OPTIONS=print_stacktrace=1; export UBSAN_OPTIONS; \
	LSTOPO='$(abs_top_builddir)/tests/sanitized/bin/'`basename '$(LSTOPO)'`; export LSTOPO; \
	PATH='$(abs_top_builddir)/tests/sanitized/bin:$(hwloc_bindir)':$$PATH; export PATH;

# A wrapper for every hwloc program, under its name.
check_DATA += tests/sanitized/bin/.made
tests/sanitized/bin/.made: tests/sanitized/run.sh
	$(AM_V_GEN)$(MKDIR_P) tests/sanitized/bin && cd tests/sanitized/bin && \
	for program in lstopo lstopo-no-graphics hwloc-ls hwloc-info hwloc-calc hwloc-bind \
	    hwloc-annotate hwloc-diff hwloc-patch; do \
	  rm -f $$program && $(LN_S) '$(abs_top_srcdir)/tests/sanitized/run.sh' $$program || exit 1; \
	done && touch .made
else
hwloc_programs_environment = \
	SANITIZERS=no; export SANITIZERS; \
	LSTOPO='$(LSTOPO)'; export LSTOPO; \
	PATH='$(hwloc_bindir)':$$PATH; export PATH;
endif

EXTRA_DIST += tests/bats.sh tests/tally.sh tests/tiers.sh tests/tmpdir.sh tests/no-cmocka.sh tests/check-gpu.sh tests/reproducible.sh \
	tests/sanitized/run.sh tests/sanitized/leaks.txt
if !HAVE_CMOCKA
TESTS += tests/no-cmocka.sh
endif

clean-local:
	chmod -R u+rwx tests/home 2>/dev/null || :
	rm -rf tests/home tests/unpacked tests/sanitized/bin tests/gpgpusim/work tests/sys-sage/work

# make check runs every test. make check RECHECK_LOGS= runs only tests whose last run is older than
# one of these files.
$(TEST_LOGS): $(PROGRAMS) $(LTLIBRARIES) $(SCRIPTS) $(DATA) $(HEADERS) $(EXTRA_DIST) Makefile

# Three tiers: "ci" are long tests, which contrib/quickstart check leaves out; "smoke" are those that
# .ci/run repeats in the release archive; "user" are all others. A folder's local.mk adds its tests to
# ci_tests or smoke_tests; doc/testing.md lists them. Prints a line "TIER TEST" for every test.
tiers:
	@for test in $(TESTS); do \
	  case ' $(ci_tests) ' in *" $$test "*) echo "ci $$test"; continue;; esac; \
	  case ' $(smoke_tests) ' in *" $$test "*) echo "smoke $$test";; *) echo "user $$test";; esac; \
	done

# The programs of make check without those that are tests of tier ci, and those that no test of make check starts
# (other_programs).
quick-programs:
	@for program in $(check_PROGRAMS); do \
	  case ' $(ci_tests) $(other_programs) ' in *" $$program "*) ;; *) echo "$$program";; esac; \
	done

# doc/testing.md agrees with that.
TESTS += tests/tiers.sh

# Only the unit tests.
check-unit:
	@$(MAKE) $(AM_MAKEFLAGS) check TESTS="`echo $(TESTS) | tr ' ' '\n' | grep '^tests/unit/' | tr '\n' ' '`"

# The closing line of a test run: "N passed, N failed", counted by test case.
tally:
	@$(SHELL) $(srcdir)/tests/tally.sh $(TEST_LOGS)

# make distcheck TALLY=FILE writes that line to FILE, which distcheck otherwise deletes with its
# build.
installcheck-local:
	@test -z '$(TALLY)' || $(SHELL) $(srcdir)/tests/tally.sh $(TEST_LOGS) >'$(TALLY)'

# The tests that need a real GPU. Without a GPU it prints why nothing is tested.
check-gpu: all
	@if $(SHELL) $(srcdir)/tests/check-gpu.sh; then \
	  $(MAKE) $(AM_MAKEFLAGS) check TESTS='$(GPU_TESTS)' && \
	  $(MAKE) $(AM_MAKEFLAGS) tally TESTS='$(GPU_TESTS)'; fi

# Prints the times that this machine takes; checks nothing.
bench: all tests/bench/bare-start tests/bench/load-cost tests/bench/fresh-load
	@$(AM_TESTS_ENVIRONMENT) exec $(SHELL) '$(srcdir)/tests/bench.sh'

# Archive, command and plugin have the same bytes if they are built twice. REPRODUCIBLE=--deb adds
# the Debian packages.
check-reproducible: dist
	@CUBIN_ARCHS='$(CUBIN_ARCHS)' $(srcdir)/tests/reproducible.sh '$(distdir).tar.xz' $(REPRODUCIBLE)

.PHONY: tally tiers quick-programs check-unit check-gpu check-reproducible bench

# Tests start in this order. The longest do not come last, where they would run alone. make starts those that need
# records after all others, so the longest of these comes first.
include tests/records/local.mk
include tests/tracing/local.mk
include tests/unit/local.mk
include tests/kernels/local.mk
include tests/emulator/local.mk
include tests/gpgpusim/local.mk
include tests/sys-sage/local.mk
include tests/calibration/local.mk
include tests/sim/local.mk
include tests/compat/local.mk
include tests/plugin/local.mk
include tests/many/local.mk
include tests/mpi/local.mk
include tests/gpu/local.mk
include tests/bench/local.mk
include tests/fleet/local.mk
include tests/predict/local.mk
include tests/tool/local.mk
include tests/packages/local.mk
include tests/python/local.mk
include tests/slurm/local.mk
include tests/replay/local.mk
include tests/includes/local.mk
include tests/fuzz/local.mk
include tests/fault/local.mk
include tests/limits/local.mk
include tests/values/local.mk
