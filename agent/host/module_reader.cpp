#include "agent/host/module_reader.h"

#include <utility>

#include "agent/host/ethtool_messages.h"
#include "agent/host/module_eeprom.h"

namespace rdmadiag::host {
namespace {

core::Result<std::vector<std::uint8_t>> read_bytes(GenericNetlink& ethtool,
                                                   const std::string& netdev,
                                                   const ModuleAddress& at) {
  const auto reply = ethtool.request(kEthtoolModuleEepromGet, module_eeprom_request(netdev, at));
  if (!reply) return tl::make_unexpected(reply.error());
  if (reply->size() == 0) return core::fail("MODULE_EEPROM_GET: no reply");
  const auto message = decode_generic(reply->payload(0));
  if (!message) return tl::make_unexpected(message.error());
  return decode_module_eeprom(message->attributes, at.length);
}

ModuleResult read_now(GenericNetlink& ethtool, const std::string& netdev, core::SystemTime wall) {
  auto reading =
      read_module([&](const ModuleAddress& at) { return read_bytes(ethtool, netdev, at); });
  ModuleResult result;
  if (!reading) {
    result.problems.push_back(std::move(reading.error()));
    return result;
  }
  reading->module.read_at = wall;
  result.module = std::move(reading->module);
  result.problems = std::move(reading->missing);
  return result;
}

}  // namespace

ModuleReader::ModuleReader(std::string netdev, std::shared_ptr<GenericNetlink> ethtool,
                           Launch launch)
    : netdev_(std::move(netdev)), ethtool_(std::move(ethtool)), launch_(std::move(launch)) {}

ModuleResult ModuleReader::poll(core::SteadyTime now, core::SystemTime wall) {
  const bool due = !started_ || now - *started_ >= kInterval;
  {
    const std::lock_guard lock(shared_->mutex);
    if (shared_->busy || !due) return shared_->result;
    shared_->busy = true;
  }
  started_ = now;
  launch_([shared = shared_, ethtool = ethtool_, netdev = netdev_, wall] {
    ModuleResult fresh = read_now(*ethtool, netdev, wall);
    const std::lock_guard lock(shared->mutex);
    fresh.reads = shared->result.reads + 1;
    shared->result = std::move(fresh);
    shared->busy = false;
  });
  const std::lock_guard lock(shared_->mutex);
  return shared_->result;
}

}  // namespace rdmadiag::host
