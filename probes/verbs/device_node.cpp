#include "probes/verbs/device_node.h"

#include <sys/stat.h>

namespace rdmadiag::probes {

DeviceNode::DeviceNode(const ibv_device& device) : path_(device.dev_path) {
  struct stat status {};
  if (::stat(path_.c_str(), &status) == 0) inode_ = status.st_ino;
}

bool DeviceNode::still_there() const {
  struct stat status {};
  return ::stat(path_.c_str(), &status) == 0 && status.st_ino == inode_;
}

}  // namespace rdmadiag::probes
