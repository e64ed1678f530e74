// For the lab: a connection whose far end dies. Two processes with one queue pair each; the first
// says the other's process id as a line of JSON, waits until somebody has killed it, sends one
// message, and neither polls nor cleans up until SIGTERM.
//
//   lab_peer_killed FROM TO
#include <sys/wait.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "tests/lab/programs/rc_end.h"

using namespace rdmadiag::lab;

namespace {

// Each end writes its own address and reads the other's.
void meet(End& end, int write_to, int read_from) {
  const Address own = end.address();
  Address peer;
  if (::write(write_to, &own, sizeof own) != sizeof own ||
      ::read(read_from, &peer, sizeof peer) != sizeof peer)
    give_up("the other end said nothing");
  end.connect(peer);
}

}  // namespace

int main(int count, char** words) {
  if (count != 3) give_up("lab_peer_killed FROM TO");
  int there[2];
  int back[2];
  must(::pipe(there), "pipe");
  must(::pipe(back), "pipe");
  const pid_t peer = ::fork();
  if (peer == 0) {
    End end(words[2], 1);
    meet(end, back[1], there[0]);
    for (;;) ::pause();
  }
  const auto wait_for_end = until_terminated();
  End end(words[1], 1);
  meet(end, there[1], back[0]);
  std::printf("%s\n", nlohmann::json{{"peer", peer}}.dump().c_str());
  std::fflush(stdout);
  ::waitpid(peer, nullptr, 0);
  end.send();
  wait_for_end();
}
