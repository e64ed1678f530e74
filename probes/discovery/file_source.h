// file_sd: target groups in files, read again when one of them changes.
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "probes/discovery/peer.h"

namespace rdmadiag::probes {

class FileSource final : public PeerSource {
 public:
  // The last component of a pattern may hold *. `refresh` is how often the files are looked at
  // though no change was noticed (network file systems notify of nothing).
  FileSource(std::vector<std::string> patterns, std::chrono::nanoseconds refresh);

  [[nodiscard]] std::string name() const override;
  void run(const StopEvent& stop, const Publish& publish) override;

  // One look at every file. An error when no file at all could be read though there are some, or
  // one that is named without a * is missing; a single bad file is the reading's problem.
  [[nodiscard]] core::Result<SourceReading> read() const;

 private:
  std::vector<std::string> patterns_;
  std::chrono::nanoseconds refresh_;
};

}  // namespace rdmadiag::probes
