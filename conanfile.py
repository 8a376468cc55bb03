# SPDX-License-Identifier: MIT
import os
import re

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load
from conan.tools.scm import Version

required_conan_version = ">=2.4"


class Sinter(ConanFile):
    name = "sinter"
    license = "MIT"
    description = "Neural networks known at compile time, pressed into a few fused kernels"
    topics = ("header-only", "neural-network", "deep-learning", "c++20", "cuda")
    package_type = "header-library"
    settings = "os", "arch", "compiler", "build_type"
    no_copy_source = True
    exports_sources = "CMakeLists.txt", "LICENSE", "cmake/*", "include/*", "tools/*"

    def set_version(self):
        header = load(self, os.path.join(self.recipe_folder, "include", "sinter", "version.hpp"))
        self.version = ".".join(re.search(rf"SINTER_VERSION_{part} (\d+)", header)[1] for part in ("MAJOR", "MINOR", "PATCH"))

    def layout(self):
        cmake_layout(self)

    def validate(self):
        # No check of compiler.cppstd: the packaged CMake target asks for C++20 itself, whatever the profile says.
        oldest = {"gcc": "12", "clang": "18"}.get(str(self.settings.compiler))
        if oldest and Version(self.settings.compiler.version) < oldest:
            raise ConanInvalidConfiguration(
                f"sinter needs {self.settings.compiler} >= {oldest}, this profile has {self.settings.compiler.version}")

    def package_id(self):
        self.info.clear()

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.user_presets_path = False
        for part in ("TESTS", "EXAMPLES", "BENCH"):
            toolchain.cache_variables[f"SINTER_BUILD_{part}"] = False
        toolchain.generate()

    def build(self):
        CMake(self).configure()

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        CMake(self).install()

    def package_info(self):
        # Our own CMake package is used, so that find_package(sinter) means the same with and without Conan.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = ["share/cmake/sinter"]
        self.cpp_info.bindirs = []
        self.cpp_info.libdirs = []
        if self.settings.os == "Linux":
            self.cpp_info.system_libs = ["pthread"]
