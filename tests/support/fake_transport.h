// A netlink transport that answers from what the test put in, and keeps the requests.
#pragma once

#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "agent/host/netlink_socket.h"

namespace rdmadiag::test {

class FakeTransport final : public host::NetlinkTransport {
 public:
  // The next request of this type, and for generic families of this command, is answered with the
  // datagram's messages; the sequence numbers in them do not matter. The last answer stays.
  void answer(std::uint16_t type, std::vector<std::byte> datagram, int command = kAnyCommand);
  // The next such request fails.
  void refuse(std::uint16_t type, int error_number, int command = kAnyCommand);
  // Forgets the answers.
  void forget(std::uint16_t type, int command = kAnyCommand) { answers_.erase({type, command}); }

  static constexpr int kAnyCommand = -1;

  core::Result<host::NetlinkReply> transact(const host::NetlinkRequest& request) override;

  [[nodiscard]] const std::vector<host::NetlinkRequest>& requests() const { return requests_; }

 private:
  struct Answer {
    std::vector<std::byte> datagram;
    int error_number = 0;
  };
  std::map<std::pair<std::uint16_t, int>, std::deque<Answer>> answers_;
  std::vector<host::NetlinkRequest> requests_;
};

}  // namespace rdmadiag::test
