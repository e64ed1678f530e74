#include "agent/host/port_source.h"

#include <array>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "agent/core/gid.h"
#include "agent/host/device_attributes.h"
#include "agent/host/gid_table.h"
#include "agent/host/port_tables.h"
#include "agent/host/sysfs_parse.h"
#include "agent/host/value_file.h"

namespace rdmadiag::host {
namespace {

using core::LinkLayer;
using core::Source;

// mlx5 asks its firmware for each P_Key.
constexpr std::chrono::minutes kPkeyInterval{5};

std::optional<LinkLayer> link_layer_of(std::string_view text) {
  return core::parse_link_layer(trim(text));
}

std::optional<std::uint32_t> small_number(std::string_view text) {
  const auto value = parse_counter(text);
  if (!value || *value > 0xffff) return std::nullopt;
  return static_cast<std::uint32_t>(*value);
}

class PortFiles {
 public:
  PortFiles(ReadSession& session, std::string directory, std::chrono::nanoseconds rescan_interval)
      : session_(&session),
        directory_(std::move(directory)),
        gids_(session, directory_, rescan_interval) {}

  // Fills the empty fields of `port`. False when nothing at all could be read.
  bool read(core::PortSnapshot& port, IssueLog& issues, bool refresh) {
    if (refresh) read_tables(port, issues);
    read_ahead(port);
    gids_.read(link_layer_, refresh, issues);
    port.link_layer = link_layer_;
    port.gids = gids_.entries();
    port.pkeys = pkeys_;
    port.cap_mask = cap_mask_;
    fill(port.state, state_, issues, parse_numbered_state);
    fill(port.physical_state, phys_state_, issues, parse_numbered_state);
    fill(port.rate, rate_, issues, parse_rate);
    if (link_layer_ == LinkLayer::kInfiniband) read_infiniband(port, issues);
    if (port.netdev.empty()) port.netdev = netdev_of_gids();
    return port.state || port.physical_state || port.rate;
  }

 private:
  ValueFile file(const char* name) { return {*session_, directory_ + "/" + name}; }

  // What the lines after it read, as far as netlink has not told it.
  void read_ahead(const core::PortSnapshot& port) {
    const bool infiniband = link_layer_ == LinkLayer::kInfiniband;
    read_at_once(*session_,
                 std::array{gids_.watched(), port.state ? nullptr : &state_,
                            port.physical_state ? nullptr : &phys_state_,
                            port.rate ? nullptr : &rate_, port.lid || !infiniband ? nullptr : &lid_,
                            port.sm_lid || !infiniband ? nullptr : &sm_lid_});
  }

  template <class Value, class Parse>
  static void fill(std::optional<Value>& field, ValueFile& file, IssueLog& issues, Parse parse) {
    if (!field) field = read_value(file, Source::kSysfsPort, issues, parse);
  }

  void read_tables(const core::PortSnapshot& port, IssueLog& issues) {
    const StandingIssues standing(issues);
    link_layer_ = read_value(link_layer_file_, Source::kSysfsPort, issues, link_layer_of)
                      .value_or(LinkLayer::kUnknown);
    cap_mask_ = read_value(cap_mask_file_, Source::kSysfsPort, issues, parse_hex_u32);
    if (link_layer_ == LinkLayer::kInfiniband) {
      sm_sl_ = read_value(sm_sl_file_, Source::kSysfsPort, issues, small_number);
      lid_mask_count_.reset();
      if (!port.lid_mask_count) fill(lid_mask_count_, lid_mask_count_file_, issues, small_number);
    }
    if (!pkeys_ || session_->now() >= next_pkeys_) {
      pkeys_ = count_pkeys(*session_, directory_, issues);
      next_pkeys_ = session_->now() + kPkeyInterval;
    }
  }

  // Other link layers have no subnet manager; their kernel files hold zeros that mean nothing.
  void read_infiniband(core::PortSnapshot& port, IssueLog& issues) {
    fill(port.lid, lid_, issues, parse_hex_u32);
    fill(port.sm_lid, sm_lid_, issues, parse_hex_u32);
    if (!port.lid_mask_count) port.lid_mask_count = lid_mask_count_;
    port.sm_sl = sm_sl_;
    if (!port.subnet_prefix && !port.gids.empty() && port.gids.front().index == 0) {
      std::uint64_t prefix = 0;
      for (std::size_t i = 0; i < 8; ++i) prefix = prefix << 8 | port.gids.front().gid[i];
      port.subnet_prefix = prefix;
    }
  }

  [[nodiscard]] std::string netdev_of_gids() const {
    for (const core::GidEntry& entry : gids_.entries()) {
      if (!entry.netdev.empty()) return entry.netdev;
    }
    return {};
  }

  ReadSession* session_;
  std::string directory_;
  GidTable gids_;
  ValueFile state_ = file("state");
  ValueFile phys_state_ = file("phys_state");
  ValueFile rate_ = file("rate");
  ValueFile lid_ = file("lid");
  ValueFile sm_lid_ = file("sm_lid");
  ValueFile link_layer_file_ = file("link_layer");
  ValueFile cap_mask_file_ = file("cap_mask");
  ValueFile sm_sl_file_ = file("sm_sl");
  ValueFile lid_mask_count_file_ = file("lid_mask_count");

  LinkLayer link_layer_ = LinkLayer::kUnknown;
  std::optional<std::uint32_t> cap_mask_;
  std::optional<std::uint32_t> sm_sl_;
  std::optional<std::uint32_t> lid_mask_count_;
  std::optional<int> pkeys_;
  core::SteadyTime next_pkeys_{};
};

class PortSource final : public DeviceSource {
 public:
  explicit PortSource(const DeviceContext& context)
      : session_(context.session), attributes_(*session_, context.directory) {
    for (const std::uint32_t port : context.ports) {
      ports_.emplace_back(*session_, context.directory + "/ports/" + std::to_string(port),
                          context.options.rescan_interval);
    }
  }

  [[nodiscard]] Source source() const override { return Source::kSysfsPort; }

  bool read(core::DeviceSnapshot& device, IssueLog& issues) override {
    if (refresh_) {
      const StandingIssues standing(issues);
      attributes_.read(issues);
    }
    attributes_.apply(device);
    bool success = true;
    for (std::size_t i = 0; i < ports_.size(); ++i) {
      success &= ports_[i].read(device.ports[i], issues, refresh_);
    }
    refresh_ = false;
    if (device.protocol == core::Protocol::kUnknown) {
      const LinkLayer layer =
          device.ports.empty() ? LinkLayer::kUnknown : device.ports.front().link_layer;
      device.protocol = deduce_protocol(device.driver, device.node_type, layer);
    }
    // iWARP has no GID types; the kernel prints those of RoCE v1.
    if (device.protocol == core::Protocol::kIwarp) {
      for (core::PortSnapshot& port : device.ports) {
        for (core::GidEntry& gid : port.gids) gid.type = core::GidType::kUnknown;
      }
    }
    return success;
  }

  void refresh() override { refresh_ = true; }

 private:
  std::shared_ptr<ReadSession> session_;
  DeviceAttributes attributes_;
  std::vector<PortFiles> ports_;  // in the order of the context's
  bool refresh_ = true;
};

}  // namespace

std::unique_ptr<DeviceSource> make_port_source(const DeviceContext& context) {
  return std::make_unique<PortSource>(context);
}

}  // namespace rdmadiag::host
