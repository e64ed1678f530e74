// For the lab: overflows a completion queue of its own. Two queue pairs of one device are connected
// to each other; one sends until the other's receive queue of one entry, which nobody polls, has
// overflowed. Says as a line of JSON whether the device told so (IBV_EVENT_CQ_ERR), and keeps all
// of it until SIGTERM.
//
//   lab_cq_overflow DEVICE
#include <poll.h>

#include <nlohmann/json.hpp>

#include "tests/lab/programs/rc_end.h"

using namespace rdmadiag::lab;

namespace {

constexpr int kPatienceMilliseconds = 30'000;

}  // namespace

int main(int count, char** words) {
  if (count != 2) give_up("lab_cq_overflow DEVICE");
  const auto wait_for_end = until_terminated();
  End sender(words[1], 1);
  End receiver(words[1], 1);
  sender.connect(receiver.address());
  receiver.connect(sender.address());
  for (std::uint32_t i = 0; i < kQueueLength; ++i) receiver.post_receive();
  for (std::uint32_t i = 0; i < kQueueLength; ++i) sender.send();
  bool told = false;
  for (pollfd event{receiver.device().event_fd(), POLLIN, 0};
       !told && ::poll(&event, 1, kPatienceMilliseconds) > 0;)
    told = receiver.device().take_events(kPort).queue_broken;
  std::printf("%s\n", nlohmann::json{{"told", told}}.dump().c_str());
  std::fflush(stdout);
  wait_for_end();
}
