#include "agent/host/netlink_device_source.h"

#include <algorithm>
#include <cerrno>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/core/utf8.h"
#include "agent/host/backoff.h"
#include "agent/host/counter_names.h"
#include "agent/host/sysfs_parse.h"
#include "agent/host/unsafe_reads.h"

namespace rdmadiag::host {
namespace {

using core::CounterSource;
using core::Source;

// What a driver without port counters, or with too many for one message, answers to STAT_GET: sysfs
// has what there is.
bool means_ask_sysfs(int error_number) {
  return error_number == EINVAL || error_number == EMSGSIZE || error_number == EOPNOTSUPP ||
         error_number == ENOENT;
}

// The rows of a port's counters. The kernel names them in the same order each time, so that they
// are looked up once.
class CounterRows {
 public:
  void map(const std::string& driver, const std::vector<NetlinkCounter>& counters) {
    if (matches(counters)) return;
    names_.clear();
    for (const NetlinkCounter& counter : counters) names_.push_back(counter.name);
    const std::vector<std::string_view> views(names_.begin(), names_.end());
    rows_ = find_rows(CounterSource::kPortHwCounters, driver, views);
  }
  [[nodiscard]] const core::CounterSpec* at(std::size_t i) const { return rows_[i]; }

 private:
  [[nodiscard]] bool matches(const std::vector<NetlinkCounter>& counters) const {
    return std::equal(counters.begin(), counters.end(), names_.begin(), names_.end(),
                      [](const NetlinkCounter& counter, const std::string& name) {
                        return counter.name == name;
                      });
  }

  std::vector<std::string> names_;
  std::vector<const core::CounterSpec*> rows_;
};

class NetlinkDeviceSource final : public DeviceSource {
 public:
  explicit NetlinkDeviceSource(const DeviceContext& context)
      : session_(context.session),
        netlink_(context.netlink),
        device_(*context.netlink_device),
        driver_(context.driver),
        queue_pairs_(context.options.queue_pairs),
        counters_(wants_counters(context)),
        ports_(context.ports.size()) {}

  [[nodiscard]] Source source() const override { return Source::kRdmaNetlink; }

  bool read(core::DeviceSnapshot& device, IssueLog& issues) override {
    take_identity(device);
    bool success = true;
    for (std::size_t i = 0; i < ports_.size(); ++i) {
      success &= read_port(device.ports[i], issues);
      if (counters_) success &= read_counters(device.ports[i], ports_[i], issues);
    }
    success &= read_objects(device, issues);
    return success;
  }

 private:
  struct Port {
    Backoff backoff;
    CounterRows rows;
  };

  static bool wants_counters(const DeviceContext& context) {
    return reads_hw_counters(context) &&
           unsafe_hw_counters(context.driver, context.kernel, context.pci_device_id).empty();
  }

  void take_identity(core::DeviceSnapshot& device) const {
    device.netlink_index = device_.index;
    device.firmware = core::to_utf8(device_.firmware);
    device.node_type = device_.node_type;
    device.protocol = device_.protocol;
    if (device_.node_guid) device.node_guid = format_guid(*device_.node_guid);
    if (device_.sys_image_guid) device.sys_image_guid = format_guid(*device_.sys_image_guid);
  }

  bool read_port(core::PortSnapshot& port, IssueLog& issues) {
    auto answer = netlink_->port(device_.index, port.number);
    if (!answer) return fail(answer.error(), "PORT_GET", port.number, issues);
    port.state = answer->state;
    port.physical_state = answer->physical_state;
    port.lid = answer->lid;
    port.sm_lid = answer->sm_lid;
    port.lid_mask_count = answer->lid_mask_count;
    port.subnet_prefix = answer->subnet_prefix;
    port.netdev = core::to_utf8(answer->netdev);
    return true;
  }

  bool read_counters(core::PortSnapshot& port, Port& state, IssueLog& issues) {
    if (state.backoff.must_wait(session_->now())) {
      return means_ask_sysfs(state.backoff.error_number());
    }
    auto answer = netlink_->port_statistics(device_.index, port.number);
    if (!answer) {
      const int error_number = answer.error().code.value();
      state.backoff.record_failure(session_->now(), core::classify_errno(error_number),
                                   error_number);
      return means_ask_sysfs(error_number) || fail(answer.error(), "STAT_GET", port.number, issues);
    }
    state.backoff.record_success();
    state.rows.map(driver_, *answer);
    port.counters.reserve(port.counters.size() + answer->size());
    for (std::size_t i = 0; i < answer->size(); ++i) {
      core::CounterSample& sample = port.counters.emplace_back();
      sample.source = CounterSource::kPortHwCounters;
      sample.spec = state.rows.at(i);
      sample.value = (*answer)[i].value;
      if (sample.spec == nullptr) sample.unknown_name = core::to_utf8((*answer)[i].name);
    }
    return true;
  }

  bool read_objects(core::DeviceSnapshot& device, IssueLog& issues) {
    bool success = true;
    if (auto resources = netlink_->resources(device_.index)) {
      device.resources = std::move(*resources);
    } else {
      success = fail(resources.error(), "RES_GET", 0, issues);
    }
    if (!queue_pairs_) return success;
    if (auto pairs = netlink_->queue_pairs(device_.index)) {
      device.queue_pairs = std::move(*pairs);
    } else {
      success = fail(pairs.error(), "RES_QP_GET", 0, issues);
    }
    return success;
  }

  bool fail(const core::Error& error, const char* command, std::uint32_t port,
            IssueLog& issues) const {
    std::string path = "netlink:" + std::string(command) + " " + device_.name;
    if (port != 0) path += " port " + std::to_string(port);
    const int error_number = error.code.value();
    if (error_number == ENODEV || error_number == ENOENT) session_->note_vanished();
    issues.add({.source = Source::kRdmaNetlink,
                .path = std::move(path),
                .reason = error_number == 0 ? core::IssueReason::kParse
                                            : core::classify_errno(error_number),
                .error_number = error_number,
                .detail = core::to_utf8(error.what)});
    return false;
  }

  std::shared_ptr<ReadSession> session_;
  std::shared_ptr<NetlinkSource> netlink_;
  NetlinkDevice device_;
  std::string driver_;
  bool queue_pairs_;
  bool counters_;
  std::vector<Port> ports_;
};

}  // namespace

std::unique_ptr<DeviceSource> make_netlink_device_source(const DeviceContext& context) {
  if (context.netlink == nullptr || !context.netlink_device) return nullptr;
  return std::make_unique<NetlinkDeviceSource>(context);
}

}  // namespace rdmadiag::host
