#include "agent/daemon/reloader.h"

#include "agent/core/log.h"
#include "agent/daemon/service.h"
#include "config/load.h"

namespace rdmadiag::daemon {

Reloader::Reloader(std::filesystem::path file, Apply apply, const core::Clock& clock)
    : file_(std::move(file)), apply_(std::move(apply)), clock_(clock) {
  state_.succeeded_at = clock.system();
}

std::vector<std::string> Reloader::load_and_apply() {
  if (file_.empty()) return {};
  const auto config = config::load_config(file_);
  return config ? apply_(*config) : config.error();
}

std::vector<std::string> Reloader::reload() {
  const std::lock_guard one_at_a_time(reload_mutex_);
  notify_reloading(clock_.steady());
  std::vector<std::string> problems = load_and_apply();
  {
    const std::lock_guard lock(state_mutex_);
    state_.successful = problems.empty();
    if (problems.empty()) state_.succeeded_at = clock_.system();
  }
  for (const std::string& problem : problems)
    core::log_error("configuration not reloaded", {{"problem", problem}});
  if (problems.empty()) {
    core::log_info("configuration reloaded",
                   {{"file", file_.empty() ? "none, the defaults" : file_.string()}});
  }
  notify_ready(problems.empty() ? "serving" : "serving; the last reload was refused");
  return problems;
}

ReloadState Reloader::state() const {
  const std::lock_guard lock(state_mutex_);
  return state_;
}

}  // namespace rdmadiag::daemon
