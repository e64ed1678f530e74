#include "agent/daemon/start_memory.h"

#include <link.h>
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <span>

namespace rdmadiag::daemon {
namespace {

// Only what nobody can have written to: the rest would be lost.
bool is_constant(const ElfW(Phdr) & segment) {
  return segment.p_type == PT_LOAD && (segment.p_flags & PF_W) == 0;
}

int unmap_constants(dl_phdr_info* object, std::size_t /*size*/, void* /*unused*/) {
  const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  for (const ElfW(Phdr) & segment : std::span(object->dlpi_phdr, object->dlpi_phnum)) {
    if (!is_constant(segment)) continue;
    const std::uintptr_t begin = object->dlpi_addr + segment.p_vaddr;
    const std::uintptr_t first_page = begin / page * page;
    // That it does not work somewhere, as with locked memory, only means that the pages stay.
    (void)madvise(reinterpret_cast<void*>(first_page), begin + segment.p_memsz - first_page,
                  MADV_DONTNEED);
  }
  return 0;
}

}  // namespace

void give_back_start_memory() {
  malloc_trim(0);
  dl_iterate_phdr(unmap_constants, nullptr);
}

}  // namespace rdmadiag::daemon
