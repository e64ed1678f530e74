// The device's own files: what it is, not what it does. They seldom change, so they are read at
// refresh only.
#pragma once

#include <string>
#include <vector>

#include "agent/core/snapshot.h"
#include "agent/host/issue_log.h"
#include "agent/host/read_session.h"
#include "agent/host/value_file.h"

namespace rdmadiag::host {

class DeviceAttributes {
 public:
  // The session must outlive it. `directory` is …/class/infiniband/NAME.
  DeviceAttributes(ReadSession& session, const std::string& directory);

  void read(IssueLog& issues);
  // Fills what netlink has not filled before.
  void apply(core::DeviceSnapshot& device) const;

 private:
  ValueFile node_type_;
  ValueFile node_guid_;
  ValueFile sys_image_guid_;
  // Drivers and kernels make these or not; their text is free.
  struct Text {
    std::string core::DeviceSnapshot::*field;
    ValueFile file;
    std::string value;
  };
  std::vector<Text> texts_;
  std::optional<int> node_type_value_;
  std::string node_guid_value_;
  std::string sys_image_guid_value_;
};

// From what sysfs shows; netlink says it outright.
[[nodiscard]] core::Protocol deduce_protocol(const std::string& driver,
                                             std::optional<int> node_type,
                                             core::LinkLayer link_layer);

}  // namespace rdmadiag::host
