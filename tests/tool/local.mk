# SPDX-License-Identifier: BSD-3-Clause
# The command, seen from outside.
tool_tests = \
	tests/tool/usage.bats \
	tests/tool/amd.bats \
	tests/tool/amdsim.bats \
	tests/tool/gpus.bats \
	tests/tool/hip.bats \
	tests/tool/store.bats \
	tests/tool/show.bats \
	tests/tool/end.bats \
	tests/tool/failures.bats \
	tests/tool/raw.bats
TESTS += $(tool_tests)
EXTRA_DIST += $(tool_tests) \
	tests/tool/setup.bash \
	tests/tool/tiny
