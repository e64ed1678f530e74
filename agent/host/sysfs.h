// The kernel's file trees under roots that main hands in: /sys and /proc on a live host, a capture
// or a test's folder otherwise. Everything that reads a file goes through here.
#pragma once

#include <filesystem>

namespace rdmadiag::host {

struct Roots {
  std::filesystem::path sys;
  std::filesystem::path proc;
  std::filesystem::path dev;
};

}  // namespace rdmadiag::host
