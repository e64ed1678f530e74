# The revision goes into one generated file, so that a new commit rebuilds only that.
execute_process(COMMAND git -C ${CMAKE_SOURCE_DIR} rev-parse --short=12 HEAD
                OUTPUT_VARIABLE RDMADIAG_REVISION OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT RDMADIAG_REVISION)
  set(RDMADIAG_REVISION unknown)
endif()
configure_file(${CMAKE_SOURCE_DIR}/cmake/version.cpp.in
               ${CMAKE_BINARY_DIR}/generated/version.cpp @ONLY)
