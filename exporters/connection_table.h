// Who may be connected and for how long: pure bookkeeping of descriptors and times, so that every
// rule is tested without a socket. Used by the network thread only.
//
// A new client always gets in while any connection merely waits: the one that has waited longest
// gives way. So a thousand idle connections cannot keep a scrape out.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "agent/core/clock.h"

namespace rdmadiag::exporters {

enum class ConnectionPhase {
  kRequest,   // a request is expected or on its way
  kIdle,      // kept alive after a response
  kHandling,  // the handler has it; never closed by us
  kSending,   // the client takes the response
  kClosing,   // told to close; its slot counts as free
};

class ConnectionTable {
 public:
  struct Limits {
    std::size_t total = 0;
    std::size_t per_group = 0;
    std::chrono::milliseconds request{0};
    std::chrono::milliseconds idle{0};
    std::chrono::milliseconds send{0};
  };

  struct Admission {
    bool admitted = false;
    std::optional<int> evicted;  // close this one; the table counts it as closing already
  };

  explicit ConnectionTable(Limits limits) : limits_(limits) {}

  // `group` is what the per-address limit counts by; an empty one has no such limit.
  [[nodiscard]] Admission admit(const std::string& group, core::SteadyTime now);
  void add(int fd, std::string group, core::SteadyTime now);
  // Entering the phase it is in already does not start its time anew.
  void enter(int fd, ConnectionPhase phase, core::SteadyTime now);
  void remove(int fd);

  // Connections past their time, counted as closing from now on.
  [[nodiscard]] std::vector<int> expire(core::SteadyTime now);
  [[nodiscard]] std::optional<core::SteadyTime> next_deadline() const;
  [[nodiscard]] std::size_t size() const;
  // The longest waiting one, for when descriptors run out.
  [[nodiscard]] std::optional<int> evict_any(core::SteadyTime now);

 private:
  struct Entry {
    int fd = -1;
    std::string group;
    ConnectionPhase phase = ConnectionPhase::kRequest;
    core::SteadyTime since;
  };

  [[nodiscard]] std::optional<core::SteadyTime> deadline(const Entry& entry) const;
  [[nodiscard]] Entry* longest_waiting(const std::string* group, core::SteadyTime now);

  Limits limits_;
  std::vector<Entry> entries_;
};

}  // namespace rdmadiag::exporters
