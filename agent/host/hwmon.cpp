#include "agent/host/hwmon.h"

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <utility>

#include "agent/core/utf8.h"
#include "agent/host/sysfs_parse.h"

namespace rdmadiag::host {
namespace {

using core::Source;

constexpr std::string_view kInput = "_input";

std::optional<double> parse_celsius(std::string_view text) {
  const auto milli = parse_integer(text);
  if (!milli || *milli < -300'000 || *milli > 1'000'000) return std::nullopt;
  return static_cast<double>(*milli) / 1000;
}

std::vector<std::string> list_names(ReadSession& session, const std::string& path,
                                    IssueLog& issues) {
  std::vector<DirectoryEntry> entries;
  const int listed = session.files().list(path, entries);
  if (listed != 0 && listed != -ENOENT) issues.add_errno(Source::kPcie, path, -listed);
  std::vector<std::string> names;
  for (DirectoryEntry& entry : entries) names.push_back(std::move(entry.name));
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

HwmonSensors::HwmonSensors(ReadSession& session, std::string pci_directory)
    : session_(&session), pci_directory_(std::move(pci_directory)) {}

void HwmonSensors::list(IssueLog& issues) {
  sensors_.clear();
  next_read_ = session_->now();
  for (const std::string& name : list_names(*session_, pci_directory_ + "/hwmon", issues)) {
    if (name.starts_with("hwmon")) list_chip(pci_directory_ + "/hwmon/" + name, issues);
  }
}

void HwmonSensors::list_chip(const std::string& chip, IssueLog& issues) {
  for (const std::string& name : list_names(*session_, chip, issues)) {
    if (!name.starts_with("temp") || !name.ends_with(kInput)) continue;
    const std::string sensor = name.substr(0, name.size() - kInput.size());
    const ReadOutcome outcome = session_->read_once(chip + "/" + sensor + "_crit");
    const auto critical = outcome.ok() ? parse_celsius(outcome.text) : std::nullopt;
    sensors_.push_back(
        {label_of(chip, sensor), critical, ValueFile(*session_, chip + "/" + name), std::nullopt});
  }
}

// Labels of one device's sensors differ, also when it has several chips.
std::string HwmonSensors::label_of(const std::string& chip, const std::string& sensor) {
  const ReadOutcome outcome = session_->read_once(chip + "/" + sensor + "_label");
  std::string label = outcome.ok() ? core::to_utf8(trim(outcome.text)) : std::string();
  if (label.empty()) label = sensor;
  const auto taken = [&] {
    return std::any_of(sensors_.begin(), sensors_.end(),
                       [&](const Sensor& other) { return other.label == label; });
  };
  if (taken()) label = chip.substr(chip.rfind('/') + 1) + " " + label;
  if (taken()) label += " " + sensor;
  return label;
}

void HwmonSensors::read(std::vector<core::TemperatureSample>& samples, IssueLog& issues) {
  if (session_->now() >= next_read_) {
    next_read_ = session_->now() + kInterval;
    for (Sensor& sensor : sensors_) {
      sensor.celsius = read_value(sensor.input, Source::kPcie, issues, parse_celsius);
      // Missing values and their issues are told of at every read.
      if (!sensor.celsius) next_read_ = session_->now();
    }
  }
  for (const Sensor& sensor : sensors_) {
    if (sensor.celsius) samples.push_back({sensor.label, *sensor.celsius, sensor.critical_celsius});
  }
}

}  // namespace rdmadiag::host
