// A directory with one counter a file: counters, counters_ext, hw_counters, diag_counters. Listed
// once and at refresh; between, all counters are read by one system call where the kernel can, by
// one each where it cannot.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/core/catalogue.h"
#include "agent/core/snapshot.h"
#include "agent/host/issue_log.h"
#include "agent/host/read_session.h"
#include "agent/host/value_file.h"

namespace rdmadiag::host {

class CounterDirectory {
 public:
  // The session must outlive it. `driver` may be empty.
  CounterDirectory(ReadSession& session, std::string path, core::CounterSource counters,
                   core::Source source, std::string driver);

  // Appends what could be read. False when the directory could not be listed, or held counters of
  // which none could be read; an absent directory is true: there is nothing to read.
  bool read(std::vector<core::CounterSample>& samples, IssueLog& issues);
  // Lists without reading a counter: for the lifespan alone.
  bool prepare(IssueLog& issues) { return listed_ || list(issues); }
  void refresh() { listed_ = false; }

  // The cache time of hw_counters, which the kernel keeps in a file among them.
  [[nodiscard]] std::optional<std::uint64_t> lifespan_milliseconds() const { return lifespan_; }

 private:
  struct Counter {
    std::string name;
    const core::CounterSpec* spec;
    ValueFile file;
  };

  bool list(IssueLog& issues);
  void take_names(std::vector<std::string> names);
  void read_lifespan(IssueLog& issues);

  ReadSession* session_;
  std::string path_;
  core::CounterSource counter_source_;
  core::Source source_;
  std::string driver_;
  bool listed_ = false;
  bool has_lifespan_ = false;
  Backoff backoff_;
  std::vector<Counter> counters_;  // by name
  std::optional<std::uint64_t> lifespan_;
};

}  // namespace rdmadiag::host
