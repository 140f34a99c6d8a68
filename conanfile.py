"""steno for Conan 2.

    conan create . --build=missing                       # headers, archives, the command
    conan create . --build=missing -o steno/*:command=False   # to log and to read records; asks for less

A program then has `steno/0.1.0` among its requirements, and links steno::steno, steno::reader or steno::batch.
"""
import os
import re

from conan import ConanFile
from conan.errors import ConanInvalidConfiguration
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load, rmdir


class StenoConan(ConanFile):
    name = "steno"
    description = "Logging at the cost of reading the clock"
    license = "Apache-2.0"
    topics = ("logging", "low-latency", "binary-log")
    package_type = "static-library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"command": [True, False], "zstd": [True, False], "toml": [True, False]}
    default_options = {"command": True, "zstd": True, "toml": True}
    exports_sources = ("CMakeLists.txt", "LICENSE", "cmake/*", "include/*", "src/*", "tools/*", "scripts/man_pages", "jvm/native/*",
                       "dist/*")

    def set_version(self):
        cmake = load(self, os.path.join(self.recipe_folder, "CMakeLists.txt"))
        self.version = re.search(r"project\(steno VERSION ([\d.]+)", cmake).group(1)

    def layout(self):
        cmake_layout(self)

    def requirements(self):
        self.requires("fmt/[>=9 <12]")
        self.requires("xxhash/[>=0.8 <1]")
        if self.options.zstd:
            self.requires("zstd/[>=1.5 <2]")
        if self.options.toml:
            self.requires("tomlplusplus/[>=3.1 <4]")
        if self.options.command:
            self.requires("re2/[>=20220601]")
            self.requires("cli11/[>=2.1 <3]")

    def validate(self):
        if self.settings.os != "Linux":
            raise ConanInvalidConfiguration("steno runs on Linux")
        if self.settings.get_safe("compiler.cppstd"):
            check_min_cppstd(self, 17)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["STENO_TOOLS"] = bool(self.options.command)
        for name in ("STENO_TESTS", "STENO_EXAMPLES", "STENO_SHARED_LIBRARIES", "STENO_WERROR", "STENO_COMMAND_ALONE"):
            toolchain.cache_variables[name] = False
        toolchain.cache_variables["CMAKE_DISABLE_FIND_PACKAGE_ZLIB"] = True  # the system's is not for packages
        if not self.options.zstd:  # not one of the system's, either
            toolchain.cache_variables["STENO_ZSTD_INCLUDE"] = "STENO_ZSTD_INCLUDE-NOTFOUND"
            toolchain.cache_variables["STENO_ZSTD_LIBRARY"] = "STENO_ZSTD_LIBRARY-NOTFOUND"
            toolchain.cache_variables["CMAKE_DISABLE_FIND_PACKAGE_zstd"] = True
        toolchain.generate()
        CMakeDeps(self).generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        # Conan says where everything is.
        rmdir(self, os.path.join(self.package_folder, "lib", "cmake"))
        rmdir(self, os.path.join(self.package_folder, "lib", "pkgconfig"))

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "steno")
        log = self.cpp_info.components["log"]
        log.set_property("cmake_target_name", "steno::steno")
        log.libs = ["steno"]
        log.system_libs = ["pthread", "dl"]
        self._link(log, "xxhash")
        if self.options.zstd:
            self._link(log, "zstd", "zstd")
        if self.options.toml:
            self._link(log, "tomlplusplus")
        reader = self.cpp_info.components["reader"]
        reader.set_property("cmake_target_name", "steno::reader")
        reader.libs = ["steno_reader"]
        reader.requires = ["log"]
        self._link(reader, "fmt", "fmt")
        if self.options.command:
            batch = self.cpp_info.components["batch"]
            batch.set_property("cmake_target_name", "steno::batch")
            batch.libs = ["steno_batch"]
            batch.requires = ["reader"]
            self._link(batch, "re2", "re2")
            self._link(batch, "cli11")
            self.runenv_info.prepend_path("PATH", os.path.join(self.package_folder, "bin"))

    def _link(self, component, name, library=None):
        """Lets a component use another package; or the system's library, where a profile has that in
        [platform_requires]: such a one is no package that a component could require."""
        if name in self.dependencies:
            component.requires.append(f"{name}::{name}")
        elif library:
            component.system_libs.append(library)
