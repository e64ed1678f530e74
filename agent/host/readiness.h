// What a process needs beside a device to send probes on it: device nodes, modules, links that lead
// somewhere. Facts only; the judgement is the caller's.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "agent/host/file_reader.h"
#include "agent/host/sysfs.h"

namespace rdmadiag::host {

// One device's way into user space.
struct UverbsNode {
  std::string device;  // RDMA device
  std::string path;    // of the character device; empty when the kernel offers none
  int open_error = 0;  // positive errno of opening it for reading; 0 when it opens
};

struct Readiness {
  int class_error = 0;        // of listing sys/class/infiniband; ENOENT without the RDMA stack
  int verbs_class_error = 0;  // of listing sys/class/infiniband_verbs, where the nodes are named
  std::vector<UverbsNode> devices;    // sorted by device
  std::vector<std::string> dangling;  // devices whose link in sysfs leads nowhere
  std::vector<std::string> modules;   // of wanted_modules(), those that are loaded or built in
  bool modules_known = false;         // sys/module could be listed
};

[[nodiscard]] std::vector<std::string> wanted_modules();

// Of one device, without looking at the others' nodes.
[[nodiscard]] UverbsNode read_uverbs(FileReader& files, const Roots& roots,
                                     const std::string& device);

[[nodiscard]] Readiness read_readiness(FileReader& files, const Roots& roots);

}  // namespace rdmadiag::host
