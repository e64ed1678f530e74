#include "agent/core/localise.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace rdmadiag::core {
namespace {

constexpr double kSigmas = 3;
constexpr double kLeastLoss = 0.002;
constexpr std::uint64_t kLeastLost = 3;
constexpr std::uint64_t kLeastFlows = 3;
constexpr std::size_t kMostBlamed = 6;
// A wider part with this much of a narrower one's loss ratio is where the loss is.
constexpr double kSpreads = 0.6;
constexpr std::array<std::uint32_t, 2> kSpans = {1, 4};  // windows of 30 s, and of 2 min

struct PartKey {
  FabricPart part;
  std::string name;
  std::string other;

  auto operator<=>(const PartKey&) const = default;
};

// One direction of one flow: what it crossed, how many set out, how many were lost on it.
struct Crossing {
  std::array<std::uint32_t, 10> parts{};  // indices, the first `count`
  std::uint32_t count = 0;
  std::uint64_t sent = 0;
  std::uint64_t lost = 0;

  [[nodiscard]] std::span<const std::uint32_t> crossed() const {
    return std::span(parts).first(count);
  }
  [[nodiscard]] bool crosses(std::uint32_t part) const {
    return std::ranges::find(crossed(), part) != crossed().end();
  }
};

struct PartSum {
  std::uint64_t sent = 0;
  std::uint64_t lost = 0;
  std::uint64_t flows = 0;
  std::uint64_t flows_with_loss = 0;

  [[nodiscard]] double loss() const {
    return sent == 0 ? 0 : static_cast<double>(lost) / static_cast<double>(sent);
  }
  [[nodiscard]] bool same(const PartSum& other) const {
    return sent == other.sent && lost == other.lost && flows == other.flows &&
           flows_with_loss == other.flows_with_loss;
  }
};

class Window {
 public:
  Window(std::span<const PathRow> rows, std::uint32_t first, std::uint32_t count) {
    for (const PathRow& row : rows) {
      if (row.window >= first && row.window < first + count) add(row);
    }
    for (const auto& [flow, crossing] : flows_) crossings_.push_back(crossing);
    flows_.clear();
  }

  std::vector<Blame> blame() {
    std::vector<Blame> blamed;
    while (blamed.size() < kMostBlamed) {
      const std::vector<PartSum> sums = this->sums();
      const auto narrow = most_certain(sums);
      if (!narrow) break;
      const std::uint32_t part = widened(*narrow, sums);
      blamed.push_back(blame_of(part, sums));
      std::erase_if(crossings_,
                    [part](const Crossing& crossing) { return crossing.crosses(part); });
    }
    return blamed;
  }

 private:
  struct Nic {
    std::uint32_t number = 0;
    std::uint32_t both = 0;
    std::uint32_t send = 0;
    std::uint32_t receive = 0;
  };
  using Flow = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, bool>;

  // A probe that was lost somewhere counts as lost on both ways.
  void add(const PathRow& row) {
    const Nic from = nic(row.from, row.from_leaf);
    const Nic to = nic(row.to, row.to_leaf);
    Crossing& there = flows_[{from.number, to.number, row.label, false}];
    if (there.count == 0) set_parts(there, from, row.from_leaf, to, row.to_leaf);
    there.sent += row.sent;
    there.lost += std::uint64_t{row.lost_forward} + row.lost_unknown;
    Crossing& back = flows_[{from.number, to.number, row.label, true}];
    if (back.count == 0) set_parts(back, to, row.to_leaf, from, row.from_leaf);
    back.sent += row.sent - std::min(row.sent, row.lost_forward);
    back.lost += std::uint64_t{row.lost_reverse} + row.lost_unknown;
  }

  Nic nic(const std::string& name, const std::string& leaf) {
    const auto [entry, added] = nics_.try_emplace(name);
    if (added) {
      entry->second = {.number = static_cast<std::uint32_t>(nics_.size()),
                       .both = index({FabricPart::kNic, name, ""}),
                       .send = index({FabricPart::kNicSend, name, ""}),
                       .receive = index({FabricPart::kNicReceive, name, ""})};
      leaves_of_[leaf].insert(name);
    }
    return entry->second;
  }

  void set_parts(Crossing& crossing, const Nic& from, const std::string& from_leaf, const Nic& to,
                 const std::string& to_leaf) {
    const auto cross = [&](std::uint32_t part) { crossing.parts.at(crossing.count++) = part; };
    cross(from.both);
    cross(from.send);
    cross(to.both);
    cross(to.receive);
    if (from_leaf.empty() || to_leaf.empty()) return;
    cross(index({FabricPart::kLeaf, from_leaf, ""}));
    if (from_leaf == to_leaf) return;
    cross(index({FabricPart::kLeaf, to_leaf, ""}));
    cross(index({FabricPart::kLeafPair, from_leaf, to_leaf}));
    cross(index({FabricPart::kLeafUp, from_leaf, ""}));
    cross(index({FabricPart::kLeafDown, to_leaf, ""}));
    cross(index({FabricPart::kBetweenLeaves, "", ""}));
  }

  std::uint32_t index(const PartKey& key) {
    const auto [entry, added] = index_.emplace(key, static_cast<std::uint32_t>(keys_.size()));
    if (added) keys_.push_back(key);
    return entry->second;
  }

  [[nodiscard]] std::vector<PartSum> sums() const {
    std::vector<PartSum> sums(keys_.size());
    for (const Crossing& crossing : crossings_) {
      for (const std::uint32_t part : crossing.crossed()) {
        PartSum& sum = sums[part];
        sum.sent += crossing.sent;
        sum.lost += crossing.lost;
        ++sum.flows;
        if (crossing.lost > 0) ++sum.flows_with_loss;
      }
    }
    return sums;
  }

  // Of parts that the same probes crossed, the first in the order of FabricPart.
  [[nodiscard]] std::optional<std::uint32_t> most_certain(const std::vector<PartSum>& sums) const {
    std::optional<std::uint32_t> best;
    double most = kLeastLoss;
    for (const auto& [key, part] : index_) {
      const PartSum& sum = sums[part];
      if (sum.lost < kLeastLost || sum.flows_with_loss < kLeastFlows) continue;
      const double least = wilson_lower(sum.lost, sum.sent, kSigmas);
      if (least < most || (best && least == most)) continue;
      most = least;
      best = part;
    }
    return best;
  }

  [[nodiscard]] std::vector<PartKey> wider(const PartKey& key) const {
    switch (key.part) {
      case FabricPart::kNicSend:
      case FabricPart::kNicReceive: return {{FabricPart::kNic, key.name, ""}};
      case FabricPart::kLeafPair:
        return {{FabricPart::kLeafUp, key.name, ""}, {FabricPart::kLeafDown, key.other, ""}};
      case FabricPart::kLeafUp:
      case FabricPart::kLeafDown:
        return {{FabricPart::kLeaf, key.name, ""}, {FabricPart::kBetweenLeaves, "", ""}};
      case FabricPart::kNic: {
        // Of a small leaf, one NIC is too large a part for its ratio to say anything.
        constexpr std::size_t kLeastNics = 4;
        for (const auto& [leaf, nics] : leaves_of_) {
          if (!leaf.empty() && nics.size() >= kLeastNics && nics.contains(key.name))
            return {{FabricPart::kLeaf, leaf, ""}};
        }
        return {};
      }
      case FabricPart::kLeaf:
      case FabricPart::kBetweenLeaves: return {};
    }
    return {};
  }

  [[nodiscard]] std::uint32_t widened(std::uint32_t part, const std::vector<PartSum>& sums) const {
    for (bool moved = true; moved;) {
      moved = false;
      for (const PartKey& key : wider(keys_[part])) {
        const auto found = index_.find(key);
        if (found == index_.end()) continue;
        const PartSum& wide = sums[found->second];
        if (wide.sent <= sums[part].sent || wide.loss() < kSpreads * sums[part].loss()) continue;
        part = found->second;
        moved = true;
        break;
      }
    }
    return part;
  }

  [[nodiscard]] Blame blame_of(std::uint32_t part, const std::vector<PartSum>& sums) const {
    const PartSum& sum = sums[part];
    Blame blame{.part = keys_[part].part,
                .name = keys_[part].name,
                .other = keys_[part].other,
                .probes = sum.sent,
                .lost = sum.lost,
                .flows = sum.flows,
                .flows_with_loss = sum.flows_with_loss,
                .least_loss = wilson_lower(sum.lost, sum.sent, kSigmas),
                .same_as = {}};
    for (const auto& [key, other] : index_) {
      if (other == part || !sums[other].same(sum) || key.name.empty()) continue;
      if (crossed_together(part, other))
        blame.same_as.push_back(describe({.part = key.part, .name = key.name, .other = key.other}));
    }
    return blame;
  }

  [[nodiscard]] bool crossed_together(std::uint32_t a, std::uint32_t b) const {
    return std::ranges::all_of(crossings_, [&](const Crossing& crossing) {
      return crossing.crosses(a) == crossing.crosses(b);
    });
  }

  std::unordered_map<std::string, Nic> nics_;
  std::map<Flow, Crossing> flows_;
  std::vector<Crossing> crossings_;
  std::map<PartKey, std::uint32_t> index_;
  std::vector<PartKey> keys_;
  std::map<std::string, std::set<std::string>> leaves_of_;
};

// What a part belongs to: two windows may differ in how much of it they blame.
std::tuple<int, std::string, std::string> owner(const Blame& blame) {
  switch (blame.part) {
    case FabricPart::kNic:
    case FabricPart::kNicSend:
    case FabricPart::kNicReceive: return {0, blame.name, ""};
    case FabricPart::kLeaf:
    case FabricPart::kLeafUp:
    case FabricPart::kLeafDown: return {1, blame.name, ""};
    case FabricPart::kLeafPair: return {2, blame.name, blame.other};
    case FabricPart::kBetweenLeaves: return {3, "", ""};
  }
  return {4, "", ""};
}

void judge(std::span<const PathRow> rows, std::uint32_t span, Localisation& result) {
  result.window_seconds = span * static_cast<std::uint32_t>(kProbeWindow.count());
  result.unconfirmed.clear();
  const std::vector<Blame> before = Window(rows, span, span).blame();
  for (Blame& blame : Window(rows, 0, span).blame()) {
    const bool again = std::ranges::any_of(
        before, [&](const Blame& earlier) { return owner(earlier) == owner(blame); });
    (again ? result.verdicts : result.unconfirmed).push_back(std::move(blame));
  }
}

}  // namespace

double wilson_lower(std::uint64_t k, std::uint64_t n, double z) {
  if (n == 0) return 0;
  const auto count = static_cast<double>(n);
  const double p = static_cast<double>(k) / count;
  const double z2 = z * z;
  const double middle = p + z2 / (2 * count);
  const double spread = z * std::sqrt(p * (1 - p) / count + z2 / (4 * count * count));
  return std::max(0.0, (middle - spread) / (1 + z2 / count));
}

Localisation localise(std::span<const PathRow> rows) {
  Localisation result;
  std::unordered_map<std::string, std::uint32_t> nics;
  std::set<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>> flows;
  const auto number = [&](const std::string& name) {
    return nics.emplace(name, static_cast<std::uint32_t>(nics.size())).first->second;
  };
  for (const PathRow& row : rows) {
    flows.emplace(number(row.from), number(row.to), row.label);
    if (row.window > 1) continue;
    result.probes += row.sent;
    result.lost += std::uint64_t{row.lost_forward} + row.lost_reverse + row.lost_unknown;
  }
  result.nics = nics.size();
  result.flows = flows.size();
  for (const std::uint32_t span : kSpans) {
    judge(rows, span, result);
    if (!result.verdicts.empty()) break;
  }
  return result;
}

}  // namespace rdmadiag::core
