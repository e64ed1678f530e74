#include "agent/host/netdev_files.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <string_view>
#include <utility>

#include "agent/core/utf8.h"
#include "agent/host/sysfs_parse.h"

namespace rdmadiag::host {
namespace {

using core::Source;

// Each statistics file costs the driver a full readout: only what an RDMA host is asked about.
constexpr const char* kStatistics[] = {
    "rx_bytes",  "tx_bytes",   "rx_packets", "tx_packets",    "rx_errors",
    "tx_errors", "rx_dropped", "tx_dropped", "rx_crc_errors", "rx_missed_errors"};

constexpr std::size_t kMaxMembers = 64;

std::vector<std::string> split_words(std::string_view text) {
  std::vector<std::string> words;
  while (!(text = trim(text)).empty() && words.size() < kMaxMembers) {
    const auto end = std::min(text.find_first_of(" \t\n"), text.size());
    words.push_back(core::to_utf8(text.substr(0, end)));
    text.remove_prefix(end);
  }
  return words;
}

}  // namespace

NetdevFiles::NetdevFiles(ReadSession& session, std::string directory, std::string name)
    : session_(&session),
      directory_(std::move(directory)),
      mtu_(file("mtu")),
      operstate_(file("operstate")),
      carrier_(file("carrier")),
      speed_(file("speed")),
      carrier_changes_(file("carrier_changes")),
      carrier_down_count_(file("carrier_down_count")) {
  fixed_.name = std::move(name);
}

ValueFile NetdevFiles::file(const char* name) {
  return {*session_, directory_ + "/" + name, ValueFile::Presence::kOptional};
}

// The name a link points at; empty when there is no such link.
std::string NetdevFiles::link_target(const char* name) {
  return core::to_utf8(std::filesystem::path(session_->files().resolve(directory_ + "/" + name))
                           .filename()
                           .string());
}

bool NetdevFiles::list() {
  for (ValueFile* optional :
       {&mtu_, &operstate_, &carrier_, &speed_, &carrier_changes_, &carrier_down_count_}) {
    optional->forget_absence();
  }
  fixed_.master = link_target("master");
  fixed_.is_vf = !link_target("device/physfn").empty();
  const ReadOutcome members = session_->read_once(directory_ + "/bonding/slaves");
  fixed_.is_bond = members.ok();
  fixed_.bond_members = members.ok() ? split_words(members.text) : std::vector<std::string>();
  // The kernel makes this directory in the members of a bond.
  fixed_.is_bond_member = !session_->files().resolve(directory_ + "/bonding_slave").empty();
  for (const char* name : kStatistics) {
    const auto [entry, added] =
        statistics_.try_emplace(name, file((std::string("statistics/") + name).c_str()));
    if (!added) entry->second.forget_absence();
  }
  return session_->read_once(directory_ + "/mtu").ok();
}

// EINVAL is what a netdev that is administratively down says of carrier and speed: no value, and no
// issue.
std::optional<std::int64_t> NetdevFiles::read_quietly(ValueFile& file, IssueLog& issues) {
  const ReadOutcome outcome = file.read();
  if (!outcome.ok()) {
    if (outcome.error_number != EINVAL) issues.add_outcome(Source::kNetdev, file.path(), outcome);
    if (outcome.error_number == EINVAL) file.accept();
    return std::nullopt;
  }
  const auto value = parse_integer(outcome.text);
  if (value) {
    file.accept();
  } else {
    file.reject();
    issues.add_parse_error(Source::kNetdev, file.path(), outcome.text);
  }
  return value;
}

core::NetdevSnapshot NetdevFiles::read(IssueLog& issues) {
  core::NetdevSnapshot netdev = fixed_;
  session_->begin_batch();
  for (ValueFile* const file :
       {&mtu_, &operstate_, &carrier_, &speed_, &carrier_changes_, &carrier_down_count_}) {
    file->join_batch();
  }
  for (auto& [name, file] : statistics_) file.join_batch();
  session_->run_batch();
  const auto mtu = read_value(mtu_, Source::kNetdev, issues, parse_counter);
  if (mtu && *mtu < 1 << 24) netdev.mtu_bytes = static_cast<int>(*mtu);
  const ReadOutcome operstate = operstate_.read();
  issues.add_outcome(Source::kNetdev, operstate_.path(), operstate);
  if (operstate.ok()) {
    netdev.operstate = core::to_utf8(trim(operstate.text));
    operstate_.accept();
  }
  if (const auto carrier = read_quietly(carrier_, issues)) netdev.carrier = *carrier != 0;
  // Mb/s; -1 without a carrier. Some drivers print the unsigned form of -1.
  const auto speed = read_quietly(speed_, issues);
  if (speed && *speed > 0 && *speed < 0xffff'ffff) {
    netdev.speed_bits_per_second = static_cast<std::uint64_t>(*speed) * 1'000'000;
  }
  netdev.carrier_changes = read_value(carrier_changes_, Source::kNetdev, issues, parse_counter);
  netdev.carrier_down_count =
      read_value(carrier_down_count_, Source::kNetdev, issues, parse_counter);
  for (auto& [name, file] : statistics_) {
    if (const auto value = read_value(file, Source::kNetdev, issues, parse_counter)) {
      netdev.statistics.emplace(name, *value);
    }
  }
  return netdev;
}

}  // namespace rdmadiag::host
