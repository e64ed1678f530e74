#include "tests/support/netlink_fixture.h"

#include <linux/netlink.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace rdmadiag::test {
namespace {

constexpr std::uint16_t kUnknownType = 0x3ff0;

struct RawAttribute {
  std::uint16_t type_and_flags = 0;
  host::Bytes payload;
};

std::vector<RawAttribute> split(host::Bytes attributes) {
  std::vector<RawAttribute> all;
  host::AttributeReader reader(attributes);
  while (const auto attribute = reader.next()) {
    nlattr header{};
    std::memcpy(&header, attribute->payload.data() - sizeof header, sizeof header);
    all.push_back({header.nla_type, attribute->payload});
  }
  return all;
}

bool is_nest(const RawAttribute& attribute, const NestTypes& nests) {
  const auto type = static_cast<std::uint16_t>(attribute.type_and_flags & NLA_TYPE_MASK);
  return (attribute.type_and_flags & NLA_F_NESTED) != 0 ||
         std::find(nests.begin(), nests.end(), type) != nests.end();
}

std::vector<std::byte> to_vector(const host::PayloadWriter& writer) {
  return {writer.bytes().begin(), writer.bytes().end()};
}

using Rewrite = std::vector<std::byte> (*)(host::Bytes, const NestTypes&);

void put(host::PayloadWriter& out, const RawAttribute& attribute, const NestTypes& nests,
         Rewrite rewrite) {
  if (is_nest(attribute, nests))
    out.attribute(attribute.type_and_flags, rewrite(attribute.payload, nests));
  else
    out.attribute(attribute.type_and_flags, attribute.payload);
}

}  // namespace

host::Bytes NetlinkCase::payload(std::size_t i) const {
  host::MessageReader reader(datagram);
  for (;; --i) {
    const auto message = reader.next();
    if (!message) throw std::runtime_error("fixture has fewer messages");
    if (i == 0) return message->payload;
  }
}

NetlinkCase netlink_case(const std::string& file, const std::string& name) {
  std::ifstream in(std::string(RDMADIAG_FIXTURES) + "/netlink/" + file + ".json");
  const auto found = nlohmann::json::parse(in).at(name);
  NetlinkCase result;
  for (const auto& line : found.at("hex")) {
    std::istringstream words(line.get<std::string>());
    for (std::string word; words >> word;)
      result.datagram.push_back(static_cast<std::byte>(std::stoul(word, nullptr, 16)));
  }
  result.expected = found.at("expected");
  return result;
}

std::vector<std::byte> reversed(host::Bytes attributes, const NestTypes& nests) {
  auto all = split(attributes);
  std::reverse(all.begin(), all.end());
  host::PayloadWriter out;
  for (const auto& attribute : all) put(out, attribute, nests, reversed);
  return to_vector(out);
}

std::vector<std::byte> with_unknown(host::Bytes attributes, const NestTypes& nests) {
  host::PayloadWriter out;
  out.text(kUnknownType, "?");
  for (const auto& attribute : split(attributes)) {
    put(out, attribute, nests, with_unknown);
    out.nest(kUnknownType, host::PayloadWriter().u64(kUnknownType, 1));
  }
  return to_vector(out);
}

std::vector<std::size_t> lengths_taken(host::Bytes bytes,
                                       const std::function<bool(host::Bytes)>& decode) {
  std::vector<std::size_t> taken;
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    const std::vector<std::byte> exact(bytes.begin(),
                                       bytes.begin() + static_cast<std::ptrdiff_t>(length));
    if (decode(exact)) taken.push_back(length);
  }
  return taken;
}

std::vector<std::size_t> attribute_ends(host::Bytes attributes) {
  std::vector<std::size_t> ends = {0};
  for (const auto& attribute : split(attributes)) {
    const auto start = static_cast<std::size_t>(attribute.payload.data() - attributes.data());
    ends.push_back(start + attribute.payload.size());  // a cut inside the padding loses nothing
    const std::size_t next = (ends.back() + 3) & ~std::size_t{3};
    for (std::size_t i = ends.back() + 1; i <= next; ++i) ends.push_back(i);
  }
  return ends;
}

}  // namespace rdmadiag::test
