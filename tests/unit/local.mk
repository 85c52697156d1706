# SPDX-License-Identifier: BSD-3-Clause
# Unit tests: tests/unit/NAME is one program of tests/unit/NAME.c, linked with all modules but the plugin.
# A new one is one word in this list.
unit_tests = \
	tests/unit/test_banks \
	tests/unit/test_cache \
	tests/unit/test_compare \
	tests/unit/test_coverage \
	tests/unit/test_cuda \
	tests/unit/test_decide \
	tests/unit/test_doctor \
	tests/unit/test_gpus \
	tests/unit/test_gpus_amd \
	tests/unit/test_gpus_amd_broken \
	tests/unit/test_gpus_mig \
	tests/unit/test_gpus_restrict \
	tests/unit/test_visible \
	tests/unit/test_hip \
	tests/unit/test_hip_open \
	tests/unit/test_hip_partitions \
	tests/unit/test_alloc \
	tests/unit/test_check \
	tests/unit/test_earned \
	tests/unit/test_env \
	tests/unit/test_export \
	tests/unit/test_facts \
	tests/unit/test_failure \
	tests/unit/test_file \
	tests/unit/test_graft \
	tests/unit/test_habits \
	tests/unit/test_handover \
	tests/unit/test_lookup \
	tests/unit/test_machines \
	tests/unit/test_memo \
	tests/unit/test_model \
	tests/unit/test_model_amd \
	tests/unit/test_noise \
	tests/unit/test_physical \
	tests/unit/test_profile \
	tests/unit/test_number \
	tests/unit/test_record \
	tests/unit/test_remember \
	tests/unit/test_record_xml \
	tests/unit/test_results \
	tests/unit/test_selection \
	tests/unit/test_sequential \
	tests/unit/test_set_structure \
	tests/unit/test_sim \
	tests/unit/test_sources \
	tests/unit/test_spawn \
	tests/unit/test_stats \
	tests/unit/test_store \
	tests/unit/test_store_locks \
	tests/unit/test_table \
	tests/unit/test_gpu_lock

if HAVE_CMOCKA
check_PROGRAMS += $(unit_tests)
TESTS += $(unit_tests)
# These compute the same on every machine, for seconds.
ci_tests += tests/unit/test_cache tests/unit/test_model tests/unit/test_sequential
endif
LDADD = $(tool_libraries) $(CMOCKA_LIBS)

# Drivers that test_cuda finds instead of NVIDIA's: one that works or fails as told, and an older one.
# They are shared libraries with the name libcuda.so.1 inside, hence rpath and version-info.
check_LTLIBRARIES += tests/unit/fake-cuda/libcuda.la tests/unit/old-cuda/libcuda.la
tests_unit_fake_cuda_libcuda_la_SOURCES = tests/unit/fake-cuda.c tests/unit/fake-cuda.h
tests_unit_fake_cuda_libcuda_la_LDFLAGS = -rpath /nowhere -version-info 1:0:0
tests_unit_old_cuda_libcuda_la_SOURCES = $(tests_unit_fake_cuda_libcuda_la_SOURCES)
tests_unit_old_cuda_libcuda_la_CPPFLAGS = $(AM_CPPFLAGS) -DcuDeviceGetUuid_v2=cuDeviceGetUuid
tests_unit_old_cuda_libcuda_la_LDFLAGS = $(tests_unit_fake_cuda_libcuda_la_LDFLAGS)

# HIP libraries that the tests of HIP and tests/tool/hip.bats find instead of AMD's: one stand-in, whose GPU is a
# simulated one, under each name that the back end looks for, and one of ROCm 5.0.
hip_stand_ins = tests/unit/hip-7/libamdhip64.la tests/unit/hip-6/libamdhip64.la \
	tests/unit/hip-5/libamdhip64.la tests/unit/hip-any/libamdhip64.la
check_LTLIBRARIES += tests/unit/libfake-hip.la $(hip_stand_ins) tests/unit/hip-old/libamdhip64.la
tests_unit_libfake_hip_la_SOURCES = tests/unit/fake-hip.c tests/unit/fake-hip.h src/device/common.c \
	src/device/sim.c src/device/sim_kernels.c src/device/sim_launch.c src/device/sim_memory.c src/device/sim_ring.c
tests_unit_libfake_hip_la_LIBADD = src/model/libmodel.la src/record/librecord.la src/util/libutil.la
tests_unit_hip_7_libamdhip64_la_SOURCES =
tests_unit_hip_7_libamdhip64_la_LIBADD = tests/unit/libfake-hip.la -lm
tests_unit_hip_7_libamdhip64_la_LDFLAGS = -rpath /nowhere -version-info 7:0:0
tests_unit_hip_6_libamdhip64_la_SOURCES =
tests_unit_hip_6_libamdhip64_la_LIBADD = tests/unit/libfake-hip.la -lm
tests_unit_hip_6_libamdhip64_la_LDFLAGS = -rpath /nowhere -version-info 6:0:0
tests_unit_hip_5_libamdhip64_la_SOURCES =
tests_unit_hip_5_libamdhip64_la_LIBADD = tests/unit/libfake-hip.la -lm
tests_unit_hip_5_libamdhip64_la_LDFLAGS = -rpath /nowhere -version-info 5:0:0
tests_unit_hip_any_libamdhip64_la_SOURCES =
tests_unit_hip_any_libamdhip64_la_LIBADD = tests/unit/libfake-hip.la -lm
tests_unit_hip_any_libamdhip64_la_LDFLAGS = -rpath /nowhere -avoid-version
tests_unit_hip_old_libamdhip64_la_SOURCES = tests/unit/old-hip.c
tests_unit_hip_old_libamdhip64_la_LDFLAGS = -rpath /nowhere -version-info 7:0:0

# The store with a site directory of the test's own, and a file system that the test controls.
tests_unit_test_store_SOURCES = tests/unit/test_store.c $(gc_store_sources)
tests_unit_test_store_CPPFLAGS = $(AM_CPPFLAGS) -DGC_SITE_DIR='"site"'
tests_unit_test_store_LDFLAGS = -Wl,--wrap=fallocate,--wrap=unlinkat,--wrap=read,--wrap=write
tests_unit_test_store_LDADD = src/record/librecord.la src/util/libutil.la $(CMOCKA_LIBS)

# Remembered texts, with directories of the test's own.
tests_unit_test_remember_SOURCES = tests/unit/test_remember.c src/gpus/remember_dir.c
tests_unit_test_remember_CPPFLAGS = $(AM_CPPFLAGS) \
	-DGC_REMEMBER_SITE_DIR='"site"' -DGC_REMEMBER_SHM='"shm"'

# File systems without locks, and short pauses.
tests_unit_test_store_locks_LDFLAGS = -Wl,--wrap=flock,--wrap=fcntl,--wrap=fcntl64,--wrap=nanosleep

# A dynamic linker without its cache.
tests_unit_test_doctor_LDFLAGS = -Wl,--wrap=gc_linker_cache_read

# Samples of an L2 that the test gives.
tests_unit_test_check_LDFLAGS = -Wl,--wrap=gc_l2_sample

# A faster clock.
tests_unit_test_gpu_lock_LDFLAGS = -Wl,--wrap=gc_now_ms,--wrap=gc_holder_of

# A thread that changes the environment.
tests_unit_test_env_CFLAGS = $(AM_CFLAGS) -pthread

# Processes with the same id.
tests_unit_test_file_LDFLAGS = -Wl,--wrap=getpid,--wrap=linkat,--wrap=openat

# Processes that cannot be killed.
tests_unit_test_spawn_CFLAGS = $(AM_CFLAGS) -pthread
tests_unit_test_spawn_LDFLAGS = -Wl,--wrap=kill,--wrap=syscall
# Device nodes that refuse, also for root.
tests_unit_test_gpus_restrict_LDFLAGS = -Wl,--wrap=access
tests_unit_test_gpus_mig_LDFLAGS = -Wl,--wrap=access

# The export of a record, which must not change the environment, and must notice what hwloc leaves out.
tests_unit_test_export_LDFLAGS = -Wl,--wrap=setenv,--wrap=unsetenv,--wrap=hwloc_topology_export_xmlbuffer

# Record and store with an allocator that the test controls.
tests_unit_test_alloc_LDFLAGS = -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=strdup
tests_unit_test_alloc_LDADD = src/gpus/libgpus.la src/store/libstore.la src/record/librecord.la src/util/libutil.la \
	$(CMOCKA_LIBS)

# Graft with allocations and functions of hwloc that the test controls.
tests_unit_test_graft_LDFLAGS = \
	-Wl,--wrap=malloc,--wrap=calloc,--wrap=strdup,--wrap=hwloc_alloc_setup_object \
	-Wl,--wrap=hwloc_obj_add_info,--wrap=hwloc_modify_infos
tests_unit_test_graft_LDADD = src/graft/libgraft.la src/record/librecord.la src/util/libutil.la $(HWLOC_LIBS) \
	$(CMOCKA_LIBS)

tests_unit_test_selection_LDADD = $(tests_unit_test_graft_LDADD)

# What an application compiles: the public header, and the example of doc/write-a-program.md.
check_PROGRAMS += doc/examples/gpucache-read doc/examples/best-node doc/examples/best-gpu
doc_examples_gpucache_read_CFLAGS = $(AM_CFLAGS) -Werror
doc_examples_gpucache_read_LDADD = $(HWLOC_LIBS)
doc_examples_best_node_LDADD = $(HWLOC_LIBS)
doc_examples_best_gpu_LDADD = $(HWLOC_LIBS)
TESTS += tests/unit/properties.sh tests/unit/public-header.sh tests/unit/example.sh tests/unit/links.sh tests/unit/readme.sh tests/unit/symbols.sh tests/unit/install.sh
smoke_tests += tests/unit/properties.sh tests/unit/public-header.sh tests/unit/example.sh tests/unit/links.sh tests/unit/readme.sh tests/unit/symbols.sh tests/unit/install.sh
EXTRA_DIST += tests/unit/properties.sh tests/unit/public-header.sh tests/unit/example.sh tests/unit/links.sh tests/unit/readme.sh tests/unit/symbols.sh tests/unit/install.sh tests/unit/fixture.h \
	tests/unit/tree.h tests/unit/cleared.h tests/unit/failing.h tests/unit/samples.h tests/unit/amd.h tests/unit/store.h tests/unit/backend.h \
	tests/unit/chip.h tests/unit/hip.h tests/unit/nodes.h \
	tests/data/record-good.xml tests/data/two-gpus.xml \
	tests/data/amd-tree.sh tests/data/machine.sh tests/data/two-vendors-node.sh tests/data/tree.bash tests/data/mi210-node.bash \
	tests/data/kfd/LICENSE tests/data/kfd/README tests/data/kfd/mi210.tar.xz \
	tests/data/kfd/mi308x-cpx.tar.xz tests/data/kfd/vega10.tar.xz
