# Flags every target of ours is built with; third-party headers are included as SYSTEM.
add_library(rdmadiag_flags INTERFACE)
target_compile_options(rdmadiag_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror)
# g++ 12 sees overlaps in std::string's own code when it optimises (GCC bug 105651).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(rdmadiag_flags INTERFACE -Wno-restrict)
endif()
target_include_directories(rdmadiag_flags INTERFACE ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR}/generated)

if(RDMADIAG_SANITIZE)
  add_compile_options(-fsanitize=${RDMADIAG_SANITIZE} -fno-omit-frame-pointer
                      -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${RDMADIAG_SANITIZE})
  # GCC checks every use of a reference for these, which doubles the time of compiling. The address
  # sanitizer sees bad pointers too, and clang's fuzzers check for all of them.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND RDMADIAG_SANITIZE MATCHES "undefined")
    add_compile_options(-fno-sanitize=null,alignment,object-size,vptr)
  endif()
  # Instrumentation makes GCC see these in the standard headers; plain builds still check.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(rdmadiag_flags INTERFACE
      -Wno-maybe-uninitialized -Wno-array-bounds -Wno-restrict
      -Wno-stringop-overread -Wno-stringop-overflow)
  endif()
endif()
if(RDMADIAG_FUZZERS)
  # Coverage of the libraries too, or the fuzzer would be blind to what it reaches.
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()

# Declares a static library of the project: rdmadiag_library(NAME SOURCES … SMALL … LINK …)
# SMALL: sources that a scrape does not run, compiled for size, half of what it is for speed. A
# program's code is the larger part of the memory that it takes.
function(rdmadiag_library name)
  cmake_parse_arguments(arg "" "" "SOURCES;SMALL;LINK;PRIVATE_LINK" ${ARGN})
  add_library(${name} STATIC ${arg_SOURCES} ${arg_SMALL})
  if(arg_SMALL)
    set_source_files_properties(${arg_SMALL} PROPERTIES
      COMPILE_OPTIONS $<$<NOT:$<CONFIG:Debug>>:-Os>)
  endif()
  target_link_libraries(${name} PUBLIC rdmadiag_flags ${arg_LINK} PRIVATE ${arg_PRIVATE_LINK})
endfunction()

# Linking a dozen test programs takes mold a fraction of what ld takes.
find_program(MOLD mold)
if(MOLD AND CMAKE_BUILD_TYPE STREQUAL "Debug")
  add_link_options(-fuse-ld=mold)
endif()

# The counters' catalogue is a table of pointers: its relocations, resident in each process, are
# half a megabyte unless they are packed. A C library before 2.36 does not start what is packed.
include(CheckCXXSourceRuns)
if(NOT CMAKE_BUILD_TYPE STREQUAL "Debug" AND NOT CMAKE_CROSSCOMPILING)
  set(CMAKE_REQUIRED_LINK_OPTIONS -Wl,-z,pack-relative-relocs)
  check_cxx_source_runs("int main() { return 0; }" RDMADIAG_PACKS_RELOCATIONS)
  unset(CMAKE_REQUIRED_LINK_OPTIONS)
  if(RDMADIAG_PACKS_RELOCATIONS)
    add_link_options(-Wl,-z,pack-relative-relocs)
  endif()
endif()
