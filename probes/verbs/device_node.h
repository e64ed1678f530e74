// What stands for an open device in sysfs, to see that the kernel has begun to remove it.
#pragma once

#include <infiniband/verbs.h>
#include <sys/types.h>

#include <string>

namespace rdmadiag::probes {

class DeviceNode {
 public:
  DeviceNode() = default;
  explicit DeviceNode(const ibv_device& device);

  // False once the kernel has begun to remove the device, even where another one has its name.
  [[nodiscard]] bool still_there() const;

 private:
  std::string path_;
  ino_t inode_ = 0;
};

}  // namespace rdmadiag::probes
