// The status page `/`: one document that is complete without script, and needs nothing from
// outside. Everything that comes from the host is escaped. Pure.
#pragma once

#include <string>
#include <string_view>

#include "agent/core/agent_status.h"
#include "agent/core/snapshot.h"
#include "agent/core/trails.h"

namespace rdmadiag::exporters {

struct PageInput {
  const core::HostSnapshot& now;
  const core::HostSnapshot* at_start;  // null: nothing is said about movement since then
  const core::HostSnapshot* previous;  // some time ago, for rates; may be null
  const core::AgentStatus& agent;
  core::Trails trails = {};  // for the course of the counters since the start
};

// Rows beyond this are counted, not shown, in each of the page's tables that can grow.
inline constexpr std::size_t kMaxPageRows = 1000;

[[nodiscard]] std::string render_page(const PageInput& input);

// What the page links to as /style.css.
[[nodiscard]] std::string_view page_style();

// What the page links to as /page.js: fetches the page every five seconds and replaces what
// changed.
[[nodiscard]] std::string_view page_script();

// The Content-Security-Policy the page needs; nothing else on the server needs more.
inline constexpr std::string_view kPagePolicy =
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'";

}  // namespace rdmadiag::exporters
