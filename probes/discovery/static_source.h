// The peers that the configuration names.
#pragma once

#include <string>
#include <utility>

#include "probes/discovery/peer.h"

namespace rdmadiag::probes {

class StaticSource final : public PeerSource {
 public:
  explicit StaticSource(SourceReading reading) : reading_(std::move(reading)) {}
  [[nodiscard]] std::string name() const override { return "static"; }
  void run(const StopEvent& /*stop*/, const Publish& publish) override { publish(reading_); }

 private:
  SourceReading reading_;
};

}  // namespace rdmadiag::probes
