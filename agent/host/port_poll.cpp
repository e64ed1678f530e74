#include "agent/host/port_poll.h"

#include <array>
#include <limits>
#include <utility>

#include "agent/host/sysfs_parse.h"

namespace rdmadiag::host {
namespace {

constexpr std::size_t kLongestValue = 64;

std::optional<std::uint32_t> parse_count(const std::optional<std::string>& text) {
  const auto value = text ? parse_counter(*text) : std::nullopt;
  if (!value || *value > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
  return static_cast<std::uint32_t>(*value);
}

}  // namespace

PortPoll::PortPoll(const Roots& roots, std::vector<WatchedPort> ports,
                   std::shared_ptr<FileReader> files, std::shared_ptr<const core::Clock> clock,
                   std::shared_ptr<PortTransitions> transitions)
    : files_(std::move(files)), clock_(std::move(clock)), transitions_(std::move(transitions)) {
  for (WatchedPort& port : ports) {
    Port entry;
    const auto netdev = roots.sys / "class/net" / port.netdev;
    const auto directory =
        roots.sys / "class/infiniband" / port.device / "ports" / std::to_string(port.port);
    if (!port.netdev.empty()) {
      entry.up_count.path = netdev / "carrier_up_count";
      entry.down_count.path = netdev / "carrier_down_count";
    }
    entry.state.path = directory / "state";
    entry.port = std::move(port);
    ports_.push_back(std::move(entry));
  }
}

PortPoll::~PortPoll() {
  for (Port& port : ports_) {
    close(port.up_count);
    close(port.down_count);
    close(port.state);
  }
}

void PortPoll::close(File& file) {
  if (file.descriptor >= 0) files_->close(std::exchange(file.descriptor, -1));
}

std::optional<std::string> PortPoll::read(File& file) {
  if (file.descriptor < 0) file.descriptor = files_->open(file.path);
  if (file.descriptor < 0) return std::nullopt;
  std::array<char, kLongestValue> text{};
  const auto length = files_->read_from_start(file.descriptor, text);
  if (length > 0) return std::string(trim({text.data(), static_cast<std::size_t>(length)}));
  close(file);  // the netdev or the device may be another by now
  return std::nullopt;
}

void PortPoll::look() {
  for (Port& port : ports_) {
    if (port.port.netdev.empty()) {
      look_at_state(port);
    } else {
      look_at_netdev(port);
    }
  }
}

void PortPoll::look_at_netdev(Port& port) {
  const auto up = parse_count(read(port.up_count));
  const auto down = parse_count(read(port.down_count));
  if (up && down) transitions_->see_carrier_counts(port.port.netdev, *up, *down, clock_->system());
}

void PortPoll::look_at_state(Port& port) {
  const std::uint64_t events = transitions_->events();
  const auto text = read(port.state);
  const auto state = text ? parse_numbered_state(*text) : std::nullopt;
  if (state)
    transitions_->see_polled_state(port.port.device, port.port.port,
                                   *state == core::kPortStateActive, events, clock_->system());
}

}  // namespace rdmadiag::host
