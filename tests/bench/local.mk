# Programs of make bench.
check_PROGRAMS += tests/bench/bare-start tests/bench/load-cost tests/bench/fresh-load
other_programs += tests/bench/bare-start tests/bench/load-cost
tests_bench_bare_start_SOURCES = tests/bench/bare-start.c
tests_bench_bare_start_LDADD = $(DL_LIBS)
tests_bench_load_cost_SOURCES = tests/bench/load-cost.c
tests_bench_load_cost_CPPFLAGS = $(HWLOC_CFLAGS)
tests_bench_load_cost_LDADD = $(HWLOC_LIBS)
tests_bench_fresh_load_SOURCES = tests/bench/fresh-load.c
tests_bench_fresh_load_CPPFLAGS = $(HWLOC_CFLAGS)
tests_bench_fresh_load_LDADD = $(HWLOC_LIBS)
EXTRA_DIST += tests/bench.sh tests/bench/fresh.sh tests/bench/slow-driver.c tests/bench/together.sh
