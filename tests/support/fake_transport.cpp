#include "tests/support/fake_transport.h"

#include <linux/netlink.h>

#include <cerrno>
#include <utility>

namespace rdmadiag::test {

void FakeTransport::answer(std::uint16_t type, std::vector<std::byte> datagram, int command) {
  answers_[{type, command}].push_back({std::move(datagram), 0});
}

void FakeTransport::refuse(std::uint16_t type, int error_number, int command) {
  answers_[{type, command}].push_back({{}, error_number});
}

core::Result<host::NetlinkReply> FakeTransport::transact(const host::NetlinkRequest& request) {
  requests_.push_back(request);
  const int command =
      request.payload.empty() ? kAnyCommand : std::to_integer<int>(request.payload.front());
  auto found = answers_.find({request.type, command});
  if (found == answers_.end()) found = answers_.find({request.type, kAnyCommand});
  if (found == answers_.end()) return core::errno_error(EOPNOTSUPP, "not in the test");
  auto& queue = found->second;
  const Answer answer = queue.front();
  if (queue.size() > 1) queue.pop_front();
  if (answer.error_number != 0)
    return core::errno_error(answer.error_number, "refused by the test");
  host::NetlinkReply reply;
  host::MessageReader reader(answer.datagram);
  while (const auto message = reader.next())
    if (message->type >= NLMSG_MIN_TYPE) reply.add(message->type, message->payload);
  return reply;
}

}  // namespace rdmadiag::test
