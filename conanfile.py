# SPDX-License-Identifier: MIT
import os
import re

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load
from conan.tools.gnu import PkgConfigDeps
from conan.tools.scm import Version

required_conan_version = ">=2.4"


class Sinter(ConanFile):
    name = "sinter"
    license = "MIT"
    description = "Neural networks as C++ types, compiled into a few fused kernels"
    topics = ("header-only", "neural-network", "deep-learning", "c++20", "cuda")
    package_type = "header-library"
    settings = "os", "arch", "compiler", "build_type"
    options = {
        "mpi": [True, False],  # the component mpi, with Conan's Open MPI
        "serve": [True, False],  # the program sinter-serve
    }
    default_options = {"mpi": False, "serve": False}
    no_copy_source = True
    exports = "CITATION.cff"
    exports_sources = "CMakeLists.txt", "LICENSE", "cmake/*", "include/*", "serve/*", "tools/*"

    def init(self):
        citation = load(self, os.path.join(self.recipe_folder, "CITATION.cff"))
        self.homepage = re.search(r"^url: (\S+)", citation, re.MULTILINE)[1]

    def set_version(self):
        header = load(self, os.path.join(self.recipe_folder, "include", "sinter", "version.hpp"))
        self.version = ".".join(re.search(rf"SINTER_VERSION_{part} (\d+)", header)[1] for part in ("MAJOR", "MINOR", "PATCH"))

    def requirements(self):
        if self.options.mpi:
            self.requires("openmpi/[>=4.1 <6]", transitive_headers=True, transitive_libs=True)
        if self.options.serve:
            self.requires("nlohmann_json/[>=3.11 <4]", visible=False)
            self.requires("zlib/[>=1.2.11 <2]", visible=False)

    def layout(self):
        cmake_layout(self)

    def validate(self):
        # No check of compiler.cppstd: the packaged CMake target asks for C++20 itself, whatever the profile says.
        compiler, version = str(self.settings.compiler), str(self.settings.compiler.version)
        oldest = {"gcc": "12", "clang": "18"}.get(compiler)
        if compiler in ("msvc", "sun-cc") or oldest and Version(version) < oldest:
            raise ConanInvalidConfiguration(
                f"sinter needs gcc >= 12 or clang >= 18, this profile has {compiler} {version}; choose another profile")

    def package_id(self):
        if not self.info.options.serve:
            self.info.clear()

    def generate(self):
        CMakeDeps(self).generate()
        PkgConfigDeps(self).generate()
        toolchain = CMakeToolchain(self)
        toolchain.user_presets_path = False
        for part in ("TESTS", "EXAMPLES", "BENCH"):
            toolchain.cache_variables[f"SINTER_BUILD_{part}"] = False
        toolchain.cache_variables["SINTER_SERVE"] = bool(self.options.serve)
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        if self.options.serve:
            cmake.build()

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        CMake(self).install()

    def package_info(self):
        # Our own CMake package is used, so that find_package(sinter) means the same with and without Conan.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = ["share/cmake/sinter"]
        self.cpp_info.bindirs = ["bin"] if self.options.serve else []
        self.cpp_info.libdirs = []
        if self.settings.os == "Linux":
            self.cpp_info.system_libs = ["pthread"]
