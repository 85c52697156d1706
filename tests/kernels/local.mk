# SPDX-License-Identifier: BSD-3-Clause
# Properties of the code compiled for GPUs on which the measurements rely.
check_PROGRAMS += tests/kernels/sass-check tests/kernels/check_cuda_prototypes \
	tests/kernels/check_hip_prototypes tests/kernels/check_sanitizer_prototypes tests/kernels/kernel-bytes \
	tests/kernels/check_amd_images tests/kernels/check_cuda_images
tests_kernels_sass_check_LDADD =
tests_kernels_kernel_bytes_SOURCES = tests/kernels/kernel-bytes.c
tests_kernels_kernel_bytes_LDADD =
tests_kernels_check_amd_images_LDADD = src/device/libdevice.la
tests_kernels_check_cuda_images_LDADD = src/device/libdevice.la
tests_kernels_check_cuda_prototypes_LDADD =
tests_kernels_check_sanitizer_prototypes_LDADD =
if HAVE_CUDA_H
tests_kernels_check_sanitizer_prototypes_CPPFLAGS = $(AM_CPPFLAGS) -DGC_HAVE_CUDA_H $(CUDA_CPPFLAGS) \
	$(CUDA_CPPFLAGS)/../compute-sanitizer/include
tests_kernels_check_cuda_prototypes_CPPFLAGS = $(AM_CPPFLAGS) -DGC_HAVE_CUDA_H $(CUDA_CPPFLAGS)
endif

tests_kernels_check_hip_prototypes_LDADD =
if HAVE_HIP_H
tests_kernels_check_hip_prototypes_CPPFLAGS = $(AM_CPPFLAGS) -DGC_HAVE_HIP_H $(HIP_CPPFLAGS)
endif

TESTS += tests/kernels/check_cuda_prototypes tests/kernels/check_hip_prototypes \
	tests/kernels/check_sanitizer_prototypes tests/kernels/ptx.sh tests/kernels/sass.sh \
	tests/kernels/broken.sh tests/kernels/check_cuda_images tests/kernels/check_amd_images tests/kernels/amd.sh tests/kernels/amd-broken.sh tests/kernels/smoke.sh
ci_tests += tests/kernels/broken.sh tests/kernels/amd-broken.sh
smoke_tests += tests/kernels/ptx.sh tests/kernels/sass.sh tests/kernels/amd.sh
EXTRA_DIST += tests/kernels/ptx.sh tests/kernels/ptx-order.awk tests/kernels/sass.sh \
	tests/kernels/sass-order.awk tests/kernels/broken.sh tests/kernels/amd.sh tests/kernels/amd-check.sh \
	tests/kernels/amd-order.awk tests/kernels/amd-notes.awk tests/kernels/amd-broken.sh tests/kernels/smoke.sh
