// The files of one network device.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "agent/core/snapshot.h"
#include "agent/host/issue_log.h"
#include "agent/host/read_session.h"
#include "agent/host/value_file.h"

namespace rdmadiag::host {

class NetdevFiles {
 public:
  // The session must outlive it. `directory` is …/class/net/NAME.
  NetdevFiles(ReadSession& session, std::string directory, std::string name);

  // Master, members and kind. False when there is no such netdev to be seen.
  bool list();
  [[nodiscard]] core::NetdevSnapshot read(IssueLog& issues);

  [[nodiscard]] const core::NetdevSnapshot& fixed() const { return fixed_; }

 private:
  ValueFile file(const char* name);
  std::optional<std::int64_t> read_quietly(ValueFile& file, IssueLog& issues);
  std::string link_target(const char* name);

  ReadSession* session_;
  std::string directory_;
  core::NetdevSnapshot fixed_;  // what changes at refresh only
  ValueFile mtu_;
  ValueFile operstate_;
  ValueFile carrier_;
  ValueFile speed_;
  ValueFile carrier_changes_;
  ValueFile carrier_down_count_;
  std::map<std::string, ValueFile> statistics_;
};

}  // namespace rdmadiag::host
