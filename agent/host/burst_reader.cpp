#include "agent/host/burst_reader.h"

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "agent/host/sysfs_parse.h"

namespace rdmadiag::host {
namespace {

constexpr std::size_t kLongestValue = 64;

void add(std::optional<std::uint64_t>& sum, std::uint64_t value) { sum = sum.value_or(0) + value; }

}  // namespace

BurstReader::BurstReader(BurstPort port, std::shared_ptr<FileReader> files,
                         std::shared_ptr<EthtoolIoctl> ioctl)
    : port_(std::move(port)),
      files_(std::move(files)),
      ioctl_(std::move(ioctl)),
      descriptors_(port_.files.size(), -1) {}

BurstReader::~BurstReader() {
  for (const int descriptor : descriptors_)
    if (descriptor >= 0) files_->close(descriptor);
}

std::optional<std::uint64_t> BurstReader::read(std::size_t file) {
  int& descriptor = descriptors_[file];
  if (descriptor < 0) descriptor = files_->open(port_.files[file].path);
  if (descriptor < 0) return std::nullopt;
  std::array<char, kLongestValue> text{};
  const auto length = files_->read_from_start(descriptor, text);
  if (length > 0)
    return parse_counter(
        std::string(trim(std::string_view(text.data(), static_cast<std::size_t>(length)))));
  files_->close(std::exchange(descriptor, -1));  // the device may be another by now
  return std::nullopt;
}

void BurstReader::read_files(core::BurstSample& sample) {
  for (std::size_t i = 0; i < port_.files.size(); ++i) {
    const auto value = read(i);
    if (!value) continue;
    const BurstFile& file = port_.files[i];
    sample.values[static_cast<std::size_t>(file.counter)] =
        static_cast<std::uint64_t>(static_cast<long double>(*value) * file.scale);
  }
}

void BurstReader::read_pauses(core::BurstSample& sample) {
  core::NetdevSnapshot netdev;
  netdev.name = port_.pause_netdev;
  if (!statistics_.read(*ioctl_, port_.pause_driver, {}, netdev)) return;
  core::PerBurstCounter<std::optional<std::uint64_t>> unsplit{};
  for (const core::CounterSample& counted : netdev.counters) {
    const auto found = pause_statistic(counted);
    if (!found) continue;
    auto& sums = found->all_priorities ? unsplit : sample.values;
    add(sums[static_cast<std::size_t>(found->counter)], counted.value);
  }
  // Counts by priority say it all; where there are none their sum does.
  for (std::size_t i = 0; i < core::kBurstCounters; ++i)
    if (!sample.values[i]) sample.values[i] = unsplit[i];
}

}  // namespace rdmadiag::host
