# Turns text files into one generated source: a function that gives (name, text) of each.
#   rdmadiag_embed(OUT HEADER NAMESPACE FUNCTION FILES…)
# HEADER declares EmbeddedText and FUNCTION. A change of a file makes CMake run again.
function(rdmadiag_embed out header namespace function)
  set(entries "")
  list(LENGTH ARGN count)
  foreach(file ${ARGN})
    get_filename_component(name ${file} NAME_WE)
    file(READ ${file} text)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    string(APPEND entries "    {\"${name}\", R\"~~~~(${text})~~~~\"},\n")
  endforeach()
  set(content "#include <array>

#include \"${header}\"

namespace ${namespace} {
namespace {

constexpr std::array<EmbeddedText, ${count}> kTexts = {{
${entries}}};

}  // namespace

std::span<const EmbeddedText> ${function}() { return kTexts; }

}  // namespace ${namespace}
")
  file(GENERATE OUTPUT ${out} CONTENT "${content}")
endfunction()
