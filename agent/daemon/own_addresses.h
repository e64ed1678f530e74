// By which addresses other agents may know this one.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace rdmadiag::daemon {

class OwnAddresses {
 public:
  // `listening`: "host:port" of the server's sockets. Reads the machine's addresses now.
  OwnAddresses(std::string hostname, const std::vector<std::string>& listening);

  // Whether "host:port" is this agent: one of its ports on its name or on an address of the host.
  [[nodiscard]] bool contains(const std::string& address) const;
  // What to tell others: the name and the first port; empty when it listens nowhere they could
  // reach.
  [[nodiscard]] std::string advertised() const;

 private:
  std::string hostname_;
  std::vector<std::string> ports_;
  std::set<std::string> hosts_;  // lower case; IPv6 in brackets
};

}  // namespace rdmadiag::daemon
