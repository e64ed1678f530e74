// What every netlink decoder owes: the expected values whatever the order and the company of the
// attributes, and never a part of a message that was cut.
#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "tests/support/netlink_fixture.h"

namespace rdmadiag::test {

template <class T>
nlohmann::json maybe(const std::optional<T>& value) {
  return value ? nlohmann::json(*value) : nlohmann::json(nullptr);
}

struct DecoderCheck {
  std::string file;        // fixtures/netlink/FILE.json
  NestTypes nests;         // those the kernel does not mark
  std::size_t header = 0;  // bytes before the attributes: struct genlmsghdr and the like
  bool order_matters = false;

  // `decode` gives the values as JSON, or nothing when it refuses the bytes.
  template <class Decode>
  void operator()(const std::string& name, Decode decode) const {
    INFO(name);
    const NetlinkCase stored = netlink_case(file, name);
    const host::Bytes payload = stored.payload();
    const host::Bytes attributes = payload.subspan(header);
    const auto decoded = [&](const std::vector<std::byte>& changed) {
      std::vector<std::byte> whole(payload.begin(),
                                   payload.begin() + static_cast<std::ptrdiff_t>(header));
      whole.insert(whole.end(), changed.begin(), changed.end());
      return decode(whole);
    };
    CHECK(decode(payload) == stored.expected);
    CHECK(decoded(with_unknown(attributes, nests)) == stored.expected);
    if (!order_matters) {
      const auto backwards = decoded(reversed(attributes, nests));
      REQUIRE(backwards);
      CHECK(sorted(*backwards) == sorted(stored.expected));
    }
    auto ends = attribute_ends(attributes);
    for (std::size_t& end : ends) end += header;
    for (const std::size_t length :
         lengths_taken(payload, [&](host::Bytes cut) { return decode(cut).has_value(); })) {
      if (length < header) continue;  // decode_generic() and its like refuse those
      INFO("cut to " << length);
      CHECK(std::find(ends.begin(), ends.end(), length) != ends.end());
    }
  }

 private:
  static nlohmann::json sorted(nlohmann::json value) {
    if (value.is_array()) std::sort(value.begin(), value.end());
    for (auto& inner : value)
      if (value.is_object() && inner.is_array() && !inner.empty() && !inner.front().is_number())
        std::sort(inner.begin(), inner.end());
    return value;
  }
};

}  // namespace rdmadiag::test
