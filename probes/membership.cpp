#include "probes/membership.h"

#include <algorithm>
#include <map>
#include <utility>

namespace rdmadiag::probes {

Membership::Membership(std::vector<Member> members) : members_(std::move(members)) {
  std::ranges::stable_sort(members_, {}, &Member::id);
  const auto repeated = std::unique(members_.begin(), members_.end(),
                                    [](const Member& a, const Member& b) { return a.id == b.id; });
  members_.erase(repeated, members_.end());

  std::map<std::string_view, std::vector<std::uint32_t>> by_leaf;
  for (std::uint32_t i = 0; i < size(); ++i) by_leaf[members_[i].leaf].push_back(i);
  leaf_of_.resize(members_.size());
  place_.resize(members_.size());
  for (auto& [name, indices] : by_leaf) {
    for (std::uint32_t place = 0; place < indices.size(); ++place) {
      leaf_of_[indices[place]] = static_cast<std::uint32_t>(leaves_.size());
      place_[indices[place]] = place;
    }
    leaves_.push_back({std::string(name), std::move(indices)});
  }
}

std::optional<std::uint32_t> Membership::find(std::string_view id) const {
  const auto found = std::ranges::lower_bound(members_, id, {}, &Member::id);
  if (found == members_.end() || found->id != id) return std::nullopt;
  return static_cast<std::uint32_t>(found - members_.begin());
}

}  // namespace rdmadiag::probes
