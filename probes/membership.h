// Every RNIC of the cluster that an agent knows of, sorted and grouped by leaf: what the pinglist
// is a function of. Equal on every agent that knows the same peers, whatever order it learnt them
// in.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rdmadiag::probes {

struct Member {
  std::string id;    // "host/device", or "host/rail" while the device is not known yet
  std::string host;  // the agent it belongs to
  std::string leaf;  // empty without labels: then all are of one leaf
  std::string rail;
  std::string pod;
};

class Membership {
 public:
  struct Leaf {
    std::string name;
    std::vector<std::uint32_t> members;  // indices, sorted by id
  };

  Membership() = default;
  // Of members with one id only the first is kept.
  explicit Membership(std::vector<Member> members);

  [[nodiscard]] const Member& at(std::uint32_t index) const { return members_[index]; }
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(members_.size()); }
  [[nodiscard]] std::optional<std::uint32_t> find(std::string_view id) const;
  [[nodiscard]] std::span<const Leaf> leaves() const { return leaves_; }  // sorted by name
  [[nodiscard]] std::uint32_t leaf_of(std::uint32_t index) const { return leaf_of_[index]; }
  // Its index in Leaf::members.
  [[nodiscard]] std::uint32_t place_in_leaf(std::uint32_t index) const { return place_[index]; }

 private:
  std::vector<Member> members_;  // sorted by id
  std::vector<Leaf> leaves_;
  std::vector<std::uint32_t> leaf_of_;
  std::vector<std::uint32_t> place_;
};

}  // namespace rdmadiag::probes
