#include "probes/checked_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "agent/core/gid.h"

namespace rdmadiag::probes {
namespace {

constexpr int kMaxDepth = 16;

bool is_printable(const std::string& text) {
  return std::ranges::none_of(text, [](unsigned char c) { return c < 0x20 || c == 0x7f; });
}

nlohmann::json parse(std::string_view text, bool& too_deep) {
  const auto bounded = [&too_deep](int depth, nlohmann::json::parse_event_t /*event*/,
                                   nlohmann::json& /*value*/) {
    too_deep |= depth > kMaxDepth;
    return !too_deep;
  };
  return nlohmann::json::parse(text, bounded, false);
}

}  // namespace

CheckedDocument::CheckedDocument(std::string_view text) {
  bool too_deep = false;
  value_ = std::make_unique<nlohmann::json>(parse(text, too_deep));
  if (value_->is_discarded() || too_deep) fail("no JSON");
}

CheckedDocument::~CheckedDocument() = default;

CheckedObject CheckedDocument::root() {
  if (problem_.empty() && !value_->is_object()) fail("no object");
  return {problem_.empty() ? value_.get() : nullptr, *this};
}

void CheckedDocument::fail(std::string problem) {
  if (problem_.empty()) problem_ = std::move(problem);
}

const nlohmann::json* CheckedObject::find(const char* field) const {
  if (value_ == nullptr) return nullptr;
  const auto found = value_->find(field);
  return found == value_->end() || found->is_null() ? nullptr : &*found;
}

std::string CheckedObject::text(const char* field, std::size_t limit, Empty empty) {
  const nlohmann::json* value = find(field);
  std::string text;
  if (value != nullptr) {
    if (!value->is_string()) {
      document_.fail(std::string(field) + " is no text");
      return {};
    }
    text = value->get<std::string>();
  }
  if (text.size() > limit || !is_printable(text)) {
    document_.fail(std::string(field) + " is too long or not printable");
    return {};
  }
  if (text.empty() && empty == Empty::kRefused) document_.fail(std::string(field) + " is missing");
  return text;
}

std::uint64_t CheckedObject::number64(const char* field, std::uint64_t most) {
  const nlohmann::json* value = find(field);
  if (value == nullptr) return 0;
  if (!value->is_number_unsigned() || value->get<std::uint64_t>() > most) {
    document_.fail(std::string(field) + " is no number from 0 to " + std::to_string(most));
    return 0;
  }
  return value->get<std::uint64_t>();
}

core::Gid CheckedObject::gid(const char* field) {
  const std::string spelled = text(field, 64);
  if (spelled.empty()) return {};
  const auto gid = core::parse_gid(spelled);
  if (!gid) document_.fail(std::string(field) + " is no GID");
  return gid.value_or(core::Gid{});
}

std::size_t CheckedObject::word(const char* field, std::span<const char* const> words) {
  const std::string spelled = name(field);
  if (spelled.empty()) return 0;
  const auto found = std::ranges::find(words, spelled);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  document_.fail(std::string(field) + " is no word that is known");
  return 0;
}

void CheckedObject::each(const char* field, std::size_t most,
                         const std::function<void(CheckedObject&)>& use) {
  const nlohmann::json* value = find(field);
  if (value == nullptr) return;
  if (!value->is_array() || value->size() > most) {
    return document_.fail(std::string(field) + " is no list of at most " + std::to_string(most));
  }
  for (const nlohmann::json& item : *value) {
    if (!item.is_object()) return document_.fail(std::string(field) + " holds what is no object");
    CheckedObject object(&item, document_);
    use(object);
  }
}

}  // namespace rdmadiag::probes
