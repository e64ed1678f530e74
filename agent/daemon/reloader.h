// The configuration in effect and its replacement: a file with a mistake changes nothing but what
// last_reload() says. Any thread may call; reloads run one at a time.
#pragma once

#include <filesystem>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "agent/core/clock.h"
#include "config/config.h"

namespace rdmadiag::daemon {

struct ReloadState {
  bool successful = true;
  core::SystemTime succeeded_at{};  // the start counts
};

class Reloader {
 public:
  // Takes the new configuration or says why not, in lines; called with reloads locked out.
  using Apply = std::function<std::vector<std::string>(const config::Config&)>;

  // `file` may be empty: then there is nothing to read and every reload succeeds. `clock` outlives
  // the reloader.
  Reloader(std::filesystem::path file, Apply apply, const core::Clock& clock);

  // Empty when the new configuration is in effect, else what is wrong, a line each.
  [[nodiscard]] std::vector<std::string> reload();
  [[nodiscard]] ReloadState state() const;

 private:
  std::vector<std::string> load_and_apply();

  std::filesystem::path file_;
  Apply apply_;
  const core::Clock& clock_;
  mutable std::mutex state_mutex_;
  ReloadState state_;
  std::mutex reload_mutex_;
};

}  // namespace rdmadiag::daemon
