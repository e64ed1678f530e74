// A netlink transport that answers from what the test put in, and keeps the requests.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <vector>

#include "agent/host/netlink_socket.h"

namespace rdmadiag::test {

class FakeTransport final : public host::NetlinkTransport {
 public:
  // The next request of this type is answered with these datagrams' messages; the sequence numbers
  // in them do not matter.
  void answer(std::uint16_t type, std::vector<std::byte> datagram);
  // The next request of this type fails.
  void refuse(std::uint16_t type, int error_number);

  core::Result<host::NetlinkReply> transact(const host::NetlinkRequest& request) override;

  [[nodiscard]] const std::vector<host::NetlinkRequest>& requests() const { return requests_; }

 private:
  struct Answer {
    std::vector<std::byte> datagram;
    int error_number = 0;
  };
  // The last answer for a type stays.
  std::map<std::uint16_t, std::deque<Answer>> answers_;
  std::vector<host::NetlinkRequest> requests_;
};

}  // namespace rdmadiag::test
