// Temperatures of a device from hwmon, below its PCI function.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "agent/core/snapshot.h"
#include "agent/host/issue_log.h"
#include "agent/host/read_session.h"
#include "agent/host/value_file.h"

namespace rdmadiag::host {

class HwmonSensors {
 public:
  // The session must outlive it.
  HwmonSensors(ReadSession& session, std::string pci_directory);

  // Finds the sensors, their labels and limits.
  void list(IssueLog& issues);
  // Adds the temperatures, at most kInterval old.
  void read(std::vector<core::TemperatureSample>& samples, IssueLog& issues);

  // The driver asks its firmware for each, and they change slowly.
  static constexpr std::chrono::seconds kInterval{10};

 private:
  struct Sensor {
    std::string label;
    std::optional<double> critical_celsius;
    ValueFile input;
    std::optional<double> celsius;  // of the last read
  };

  void list_chip(const std::string& chip, IssueLog& issues);
  std::string label_of(const std::string& chip, const std::string& sensor);

  ReadSession* session_;
  std::string pci_directory_;
  std::vector<Sensor> sensors_;
  core::SteadyTime next_read_{};
};

}  // namespace rdmadiag::host
