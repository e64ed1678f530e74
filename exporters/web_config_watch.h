// The web configuration as it is now: read again when any of its files changes, so that a renewed
// certificate or a new user needs no restart. A bad change is told once and the last good one
// stays. Used by the network thread only.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/core/clock.h"
#include "agent/core/result.h"
#include "exporters/tls_context.h"
#include "exporters/web_config.h"

namespace rdmadiag::exporters {

struct WebPolicy {
  std::shared_ptr<const WebConfig> config = std::make_shared<const WebConfig>();
  std::shared_ptr<const TlsContext> tls = nullptr;  // null: plain HTTP
};

// Reads the file and those it names, and makes of them what connections are set up with: what this
// accepts can be served with. The error has a line for each problem and names the file at fault.
[[nodiscard]] core::Result<WebPolicy> load_web_policy(const std::filesystem::path& file);

class WebConfigWatch {
 public:
  // A change that was taken, or why it was not.
  using OnReload = std::function<void(const core::Status&)>;

  // Without a file the policy is empty for good. `clock` outlives the watch.
  [[nodiscard]] static core::Result<WebConfigWatch> open(std::optional<std::filesystem::path> file,
                                                         const core::Clock& clock,
                                                         OnReload on_reload);

  // Looks at the files at most once a second.
  [[nodiscard]] const WebPolicy& current();

 private:
  WebConfigWatch(std::optional<std::filesystem::path> file, const core::Clock& clock,
                 OnReload on_reload)
      : file_(std::move(file)), clock_(&clock), on_reload_(std::move(on_reload)) {}

  [[nodiscard]] core::Result<WebPolicy> read();
  void note_reload(const core::Result<WebPolicy>& policy);
  [[nodiscard]] std::string state_of_files() const;

  std::optional<std::filesystem::path> file_;
  const core::Clock* clock_;
  OnReload on_reload_;
  WebPolicy policy_;
  std::vector<std::filesystem::path> watched_;
  std::string seen_;     // state of the files when they were last read
  std::string problem_;  // what was wrong then; empty when nothing was
  core::SteadyTime next_look_;
};

}  // namespace rdmadiag::exporters
