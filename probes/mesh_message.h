// GET /api/v1/probes and GET /api/v1/pinglist, written and read. Written as docs/schemas/probes and
// pinglist say; read field by field with bounds, since `rdmadiag mesh` and `locate` read what other
// hosts say. Histograms and the responder's counters are for /metrics and do not travel here.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "agent/core/mesh.h"
#include "agent/core/result.h"

namespace rdmadiag::probes {

inline constexpr int kMeshSchemaVersion = 1;
inline constexpr std::size_t kMaxMeshBytes = std::size_t{64} << 20;

// Text that is no valid UTF-8 arrives with replacement characters.
[[nodiscard]] std::string encode_mesh(const core::MeshReport& report);
// The error names the field. Fields it does not know are passed over.
[[nodiscard]] core::Result<core::MeshReport> decode_mesh(std::string_view json);

// Whom one RNIC probes and why, as plain data.
struct PinglistTarget {
  std::string peer;   // "host/device"; "agent/place" before the agent answered
  std::string agent;  // discovery's id; empty for this host's own RNICs
  std::string leaf;
  core::ProbeScope scope = core::ProbeScope::kLeaf;
  double interval_seconds = 0;
  bool datagrams = false;   // probed by UD
  bool connection = false;  // and by RC
  bool resolved = false;    // its queue pair is known
  std::string reason;
};

struct PinglistRnic {
  std::string nic;
  std::vector<PinglistTarget> targets;
};

[[nodiscard]] std::string encode_pinglist(const std::vector<PinglistRnic>& rnics);
[[nodiscard]] core::Result<std::vector<PinglistRnic>> decode_pinglist(std::string_view json);

}  // namespace rdmadiag::probes
