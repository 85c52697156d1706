# What make bench times.
check_PROGRAMS += tests/bench/bare-start tests/bench/load-cost
tests_bench_bare_start_SOURCES = tests/bench/bare-start.c
tests_bench_bare_start_LDADD = $(DL_LIBS)
tests_bench_load_cost_SOURCES = tests/bench/load-cost.c
tests_bench_load_cost_CPPFLAGS = $(HWLOC_CFLAGS)
tests_bench_load_cost_LDADD = $(HWLOC_LIBS)
EXTRA_DIST += tests/bench.sh
