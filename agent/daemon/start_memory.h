// The memory that only starting needs: about two fifths of what would stay resident.
#pragma once

namespace rdmadiag::daemon {

// Gives back what the C library holds free, and unmaps the code and constants of the program and
// its libraries, most of which are for linking, reading the configuration and the first listing.
// What is needed again comes from the page cache, by a fault of some microseconds for each 64 KiB.
// A debugger's breakpoints are lost until it next stops the process. To be called once the daemon
// serves; any thread.
void give_back_start_memory();

}  // namespace rdmadiag::daemon
