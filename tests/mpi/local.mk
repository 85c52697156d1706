# SPDX-License-Identifier: BSD-3-Clause
# MPI programs. They are compiled by the test, because there may be no MPI.
TESTS += tests/mpi/mpi.sh
EXTRA_DIST += tests/mpi/mpi.sh tests/mpi/init.c

# The same, and the time of MPI_Init.
check-mpi: all
	@MPI_PAIRS=$${MPI_PAIRS:-31}; export MPI_PAIRS; \
	$(MAKE) $(AM_MAKEFLAGS) check TESTS=tests/mpi/mpi.sh; status=$$?; \
	cat tests/mpi/mpi.log; exit $$status

.PHONY: check-mpi
