# steno-web, the program behind `steno web`: where cpp-httplib is, and programs of this build can be linked to it. It is a
# program of its own, so that no other command loads this library and all that it needs (TLS, compression).
find_package(httplib CONFIG QUIET)
if(TARGET httplib::httplib)
  set(STENO_HTTPLIB httplib::httplib)
else()
  find_package(PkgConfig QUIET)
  if(PkgConfig_FOUND)
    pkg_check_modules(CPP_HTTPLIB QUIET IMPORTED_TARGET cpp-httplib)
  endif()
  if(TARGET PkgConfig::CPP_HTTPLIB)
    set(STENO_HTTPLIB PkgConfig::CPP_HTTPLIB)
  endif()
endif()

# What its header calls itself; the package's own list has only what its library needs.
find_package(OpenSSL QUIET)
if(STENO_HTTPLIB AND OpenSSL_FOUND)
  list(APPEND STENO_HTTPLIB OpenSSL::SSL OpenSSL::Crypto)
endif()

# Another C++ library, another machine: what is installed may be of no use.
if(STENO_HTTPLIB)
  include(CheckCXXSourceCompiles)
  set(CMAKE_REQUIRED_LIBRARIES ${STENO_HTTPLIB} Threads::Threads)
  check_cxx_source_compiles("#include <httplib.h>
    int main() {
      httplib::Server server;
      return server.bind_to_any_port(std::string(\"127.0.0.1\")) < 0 || !server.listen_after_bind();
    }" STENO_HTTPLIB_LINKS)
  unset(CMAKE_REQUIRED_LIBRARIES)
endif()
if(NOT STENO_HTTPLIB_LINKS)
  message(STATUS "No cpp-httplib that can be linked (Debian: libcpp-httplib-dev): `steno web` will say so")
  return()
endif()

# The page, as it is committed (web/dist), goes into the program.
file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/web/dist/*)
set(list "")
set(number 0)
foreach(file IN LISTS files)
  get_filename_component(name ${file} NAME)
  string(APPEND list "STENO_ASSET(steno_web_asset_${number}, \"/${name}\", \"${file}\")\n")
  math(EXPR number "${number} + 1")
endforeach()
set(assets ${CMAKE_CURRENT_BINARY_DIR}/web_assets.inc)
file(CONFIGURE OUTPUT ${assets} CONTENT "${list}" @ONLY)

add_executable(steno-web web/main.cc web/server.cc web/assets.cc)
set_source_files_properties(web/assets.cc PROPERTIES
  COMPILE_DEFINITIONS "STENO_WEB_ASSETS=\"${assets}\"" OBJECT_DEPENDS "${files}" SKIP_UNITY_BUILD_INCLUSION ON)
target_link_libraries(steno-web PRIVATE steno_flags steno_cli steno_reader ${STENO_HTTPLIB} Threads::Threads)
set_target_properties(steno-web PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
add_dependencies(steno steno-web)
install(TARGETS steno-web RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT command)
