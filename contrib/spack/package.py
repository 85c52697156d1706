# SPDX-License-Identifier: BSD-3-Clause
#
# A Spack package. Copy it to packages/hwloc_gpucache/package.py of your own Spack repository.
#
# Spack's recipe of hwloc has no variant for plugins (spack-packages 1e8cf05, July 2026), so the
# hwloc that it builds never loads this plugin. Do one of these:
#   - apply contrib/upstream/spack-hwloc-plugins.patch to your copy of spack-packages, and install
#     hwloc-gpucache ^hwloc+plugins;
#   - use the hwloc of your distribution, if it is Debian, Ubuntu, Fedora or RHEL: spack external
#     find hwloc, then buildable: false for hwloc in packages.yaml.
# This package checks the hwloc that it gets, and fails if it cannot load plugins.
from spack_repo.builtin.build_systems.autotools import AutotoolsPackage

from spack.package import *


class HwlocGpucache(AutotoolsPackage):
    """A plugin of hwloc that adds the memory hierarchy of each GPU to the topology: caches and
    memories with measured capacity, latency and bandwidth, and the source of each value."""

    # There is no public download place yet; put the archive there, or use a mirror of Spack.
    url = "file:///usr/src/hwloc-gpucache-0.2.0.tar.xz"

    license("BSD-3-Clause")

    # Add the sum of the release archive: version("0.2.0", sha256="...").
    version("0.2.0")

    variant("amd", default=True, description="Kernels that measure AMD GPUs")
    variant("ptxas", default=False, description="Machine code for NVIDIA GPUs, by ptxas of CUDA")

    depends_on("c", type="build")
    depends_on("gmake", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("hwloc@2.4:")
    depends_on("jansson@2.10:")
    depends_on("xz")
    depends_on("zlib-api")
    depends_on("zstd")
    depends_on("llvm@17: +clang", type="build")
    depends_on("llvm@17: +clang +lld", type="build", when="+amd")
    depends_on("cuda", type="build", when="+ptxas")

    @run_before("configure")
    def check_plugins(self):
        libraries = find_libraries("libhwloc", self.spec["hwloc"].prefix, recursive=True)
        for library in libraries:
            with open(library, "rb") as file:
                if b"HWLOC_PLUGINS_PATH" in file.read():
                    return
        raise InstallError(
            "hwloc was built without --enable-plugins, so it would never load this plugin; "
            "the first lines of this recipe say what to do"
        )

    def configure_args(self):
        spec = self.spec
        args = [f"--with-clang={spec['llvm'].prefix.bin.clang}"]
        # The plugin stays in the prefix of this package: setup_run_environment names it to hwloc.
        args.append(f"--with-hwloc-plugindir={self.prefix.lib.hwloc}")
        cuda = spec["cuda"].prefix if spec.satisfies("+ptxas") else "no"
        args.append(f"--with-cuda={cuda}")
        if spec.satisfies("~amd"):
            args.append("--with-hip=no")
        return args

    def setup_run_environment(self, env):
        env.prepend_path("HWLOC_PLUGINS_PATH", self.spec["hwloc"].prefix.lib.hwloc)
        env.prepend_path("HWLOC_PLUGINS_PATH", self.prefix.lib.hwloc)
