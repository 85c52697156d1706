# SPDX-License-Identifier: BSD-3-Clause
# The record of each simulated GPU of data/sim, measured once for all tests that judge the values of
# these GPUs, and those of tests/tool/small and tiny, for tests that need any record. Such a test names its
# records as prerequisites of its log. If measuring fails, there is no record; the tests that need it
# fail and print the reason.
sim_records = $(sim_profiles:data/sim/%=tests/records/%.xml)
sim_recent_records = $(sim_recent_profiles:data/sim/%=tests/records/%.xml)
$(sim_records) $(sim_recent_records) tests/records/small.xml tests/records/tiny.xml: hwloc-gpucache$(EXEEXT) $(sim_profiles) \
  $(sim_recent_profiles) tests/tool/small tests/tool/tiny
	$(AM_V_GEN)$(AM_TESTS_ENVIRONMENT) exec $(SHELL) '$(srcdir)/tests/records/measure.sh' '$@'

clean-local: clean-records
clean-records:
	rm -f tests/records/*.xml tests/records/*.messages

.PHONY: clean-records
EXTRA_DIST += tests/records/measure.sh tests/records/use.bash
