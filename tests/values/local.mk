# SPDX-License-Identifier: BSD-3-Clause
# The values that are measured on simulated GPUs do not change unnoticed: the records are compared
# with tests/data/values. After a change that changes values on purpose, make renew-values renews
# them; the commit says why they change.
TESTS += tests/values/values.sh
tests/values/values.log: $(sim_records)

renew-values: $(sim_records) $(sim_recent_records)
	$(srcdir)/tests/values/same-values.sh --write '$(srcdir)/tests/data/values' tests/records \
	  $(sim_profiles:data/sim/%=%) $(sim_recent_profiles:data/sim/%=%)
	build=$$(pwd) && cd '$(srcdir)' && sh doc/simulated.sh "$$build/hwloc-gpucache" "$$build/tests/records"

.PHONY: renew-values
EXTRA_DIST += tests/values/values.sh tests/values/same-values.sh tests/values/record.awk \
	tests/values/record-of-values.awk $(sim_profiles:data/sim/%=tests/data/values/%.tsv) \
	$(sim_recent_profiles:data/sim/%=tests/data/values/%.tsv)
