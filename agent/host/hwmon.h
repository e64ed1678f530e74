// Temperatures of a device from hwmon, below its PCI function.
#pragma once

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
  void read(std::vector<core::TemperatureSample>& samples, IssueLog& issues);

 private:
  struct Sensor {
    std::string label;
    std::optional<double> critical_celsius;
    ValueFile input;
  };

  void list_chip(const std::string& chip, IssueLog& issues);
  std::string label_of(const std::string& chip, const std::string& sensor);

  ReadSession* session_;
  std::string pci_directory_;
  std::vector<Sensor> sensors_;
};

}  // namespace rdmadiag::host
