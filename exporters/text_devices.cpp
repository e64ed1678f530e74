#include <utility>

#include "agent/core/diagnose/evidence.h"
#include "agent/core/gid.h"
#include "exporters/text.h"
#include "exporters/words.h"

namespace rdmadiag::exporters {
namespace {

using core::DeviceSnapshot;
using core::PortSnapshot;

std::string hex(std::uint64_t value) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  do {
    text.insert(text.begin(), kDigits[value & 0xfU]);
    value >>= 4U;
  } while (value != 0);
  return "0x" + text;
}

template <class Value>
std::string number(const std::optional<Value>& value) {
  return value ? std::to_string(*value) : std::string();
}

std::string brief(const core::HostSnapshot& host, const TerminalStyle& style) {
  Table table({{.title = "DEVICE", .least_width = 8},
               {.title = "DRIVER"},
               {.title = "TYPE", .least_width = 6},
               {.title = "PROTOCOL"},
               {.title = "FIRMWARE", .least_width = 8},
               {.title = "PCI", .least_width = 7},
               {.title = "NUMA"},
               {.title = "PORTS"},
               {.title = "STATE"}});
  for (const core::DeviceEntry& entry : host.devices) {
    if (!entry.snapshot) {
      table.add_row(
          {entry.name, {}, {}, {}, {}, {}, {}, {}, Cell(absent_state(entry).text, Paint::kBad)});
      continue;
    }
    const DeviceSnapshot& device = *entry.snapshot;
    table.add_row({device.name, device.driver, device.hca_type,
                   std::string(core::protocol_name(device.protocol)), device.firmware,
                   device.pcie.address, number(device.pcie.numa_node),
                   std::to_string(device.ports.size())});
  }
  return table.render(style);
}

// "name: value" lines with aligned values; what is empty is left out.
class Facts {
 public:
  explicit Facts(const TerminalStyle& style, std::size_t indent) : style_(style), indent_(indent) {}

  void add(std::string_view name, const std::string& value) {
    if (value.empty()) return;
    std::string line(indent_, ' ');
    line.append(name).append(std::max<std::size_t>(kNameWidth, name.size() + 1) - name.size(), ' ');
    text_ += wrapped(line + value, indent_ + 2, style_) + "\n";
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  static constexpr std::size_t kNameWidth = 18;
  const TerminalStyle& style_;
  std::size_t indent_;
  std::string text_;
};

std::string temperatures(const DeviceSnapshot& device) {
  std::string text;
  for (const core::TemperatureSample& sample : device.temperatures) {
    if (!text.empty()) text += ", ";
    text += sample.sensor + " " + core::number_text(sample.celsius) + " C";
    if (sample.critical_celsius) {
      text += " (critical " + core::number_text(*sample.critical_celsius) + " C)";
    }
  }
  return text;
}

std::string resources(const DeviceSnapshot& device) {
  std::string text;
  for (const core::ResourceCount& count : device.resources) {
    if (!text.empty()) text += ", ";
    text += std::to_string(count.current);
    if (count.max) text += " of " + std::to_string(*count.max);
    text += " " + count.object;
  }
  return text;
}

std::string aer(const core::PcieSnapshot& pcie) {
  if (!pcie.aer_correctable && !pcie.aer_nonfatal && !pcie.aer_fatal) return {};
  const auto count = [](const std::optional<std::uint64_t>& value) {
    return value ? std::to_string(*value) : "?";
  };
  return count(pcie.aer_correctable) + " correctable, " + count(pcie.aer_nonfatal) + " nonfatal, " +
         count(pcie.aer_fatal) + " fatal";
}

std::string port_facts(const PortSnapshot& port, const TerminalStyle& style) {
  Facts facts(style, 2);
  facts.add("port " + std::to_string(port.number), port_state(port).text);
  facts.add("  link layer", std::string(core::link_layer_name(port.link_layer)));
  facts.add("  rate", port_rate(port));
  facts.add("  netdev", port.netdev);
  facts.add("  active MTU", number(port.active_mtu_bytes));
  facts.add("  max MTU", number(port.max_mtu_bytes));
  if (port.link_layer == core::LinkLayer::kInfiniband) {
    facts.add("  LID", number(port.lid));
    facts.add("  SM LID", number(port.sm_lid));
    facts.add("  LMC", number(port.lid_mask_count));
  }
  if (port.cap_mask) facts.add("  capabilities", hex(*port.cap_mask));
  if (port.subnet_prefix) facts.add("  subnet prefix", hex(*port.subnet_prefix));
  facts.add("  GIDs", std::to_string(port.gids.size()));
  facts.add("  pkeys", number(port.pkeys));
  return facts.text();
}

std::string full(const DeviceSnapshot& device, const TerminalStyle& style) {
  Facts facts(style, 2);
  facts.add("driver", device.driver);
  facts.add("protocol", std::string(core::protocol_name(device.protocol)));
  if (device.node_type) facts.add("node type", core::node_type_name(*device.node_type));
  facts.add("firmware", device.firmware);
  for (const core::FirmwareVersion& version : device.firmware_versions) {
    if (version.reset_pending()) {
      facts.add("firmware waiting", version.name + " " + version.stored + " after a reset");
    }
  }
  facts.add("board", device.board_id);
  facts.add("type", device.hca_type);
  facts.add("description", device.node_description);
  facts.add("node GUID", device.node_guid);
  facts.add("system GUID", device.sys_image_guid);
  facts.add("PCI address", device.pcie.address);
  facts.add("PCIe link", pcie_text(device.pcie));
  facts.add("PCIe errors", aer(device.pcie));
  facts.add("NUMA node", number(device.pcie.numa_node));
  facts.add("CPUs", device.pcie.local_cpus);
  facts.add("temperature", temperatures(device));
  facts.add("resources", resources(device));
  std::string out = painted(device.name, Paint::kBold, style) + "\n" + facts.text();
  for (const PortSnapshot& port : device.ports) out += port_facts(port, style);
  return out;
}

}  // namespace

std::string render_devices(const core::HostSnapshot& host, DeviceDetail detail,
                           const TerminalStyle& style) {
  if (host.devices.empty()) return "no RDMA device\n";
  if (detail == DeviceDetail::kBrief) return brief(host, style);
  std::string out;
  for (const core::DeviceEntry& entry : host.devices) {
    if (!out.empty()) out += "\n";
    if (entry.snapshot) {
      out += full(*entry.snapshot, style);
    } else {
      out += painted(entry.name, Paint::kBold, style) + "\n  " +
             painted(absent_state(entry).text, Paint::kBad, style) + "\n";
    }
  }
  return out;
}

}  // namespace rdmadiag::exporters
