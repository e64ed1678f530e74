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

void CheckedObject::fail(std::string problem) { document_.fail(std::move(problem)); }

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

std::optional<double> CheckedObject::real(const char* field, double least, double most) {
  const nlohmann::json* value = find(field);
  if (value == nullptr) return std::nullopt;
  if (value->is_number() && value->get<double>() >= least && value->get<double>() <= most)
    return value->get<double>();
  document_.fail(std::string(field) + " is no number in its range");
  return std::nullopt;
}

bool CheckedObject::flag(const char* field) {
  const nlohmann::json* value = find(field);
  if (value == nullptr) return false;
  if (value->is_boolean()) return value->get<bool>();
  document_.fail(std::string(field) + " is neither true nor false");
  return false;
}

const nlohmann::json* CheckedObject::find_list(const char* field, std::size_t most) {
  const nlohmann::json* value = find(field);
  if (value == nullptr) return nullptr;
  if (value->is_array() && value->size() <= most) return value;
  document_.fail(std::string(field) + " is no list of at most " + std::to_string(most));
  return nullptr;
}

void CheckedObject::each(const char* field, std::size_t most,
                         const std::function<void(CheckedObject&)>& use) {
  const nlohmann::json* list = find_list(field, most);
  if (list == nullptr) return;
  for (const nlohmann::json& item : *list) {
    if (!item.is_object()) return document_.fail(std::string(field) + " holds what is no object");
    CheckedObject object(&item, document_);
    use(object);
  }
}

void CheckedObject::within(const char* field, const std::function<void(CheckedObject&)>& use) {
  const nlohmann::json* value = find(field);
  if (value == nullptr) return;
  if (!value->is_object()) return document_.fail(std::string(field) + " is no object");
  CheckedObject object(value, document_);
  use(object);
}

std::vector<std::string> CheckedObject::texts(const char* field, std::size_t most,
                                              std::size_t limit) {
  std::vector<std::string> texts;
  const nlohmann::json* list = find_list(field, most);
  if (list == nullptr) return texts;
  for (const nlohmann::json& item : *list) {
    const bool good = item.is_string() && item.get_ref<const std::string&>().size() <= limit &&
                      is_printable(item.get_ref<const std::string&>());
    if (!good) {
      document_.fail(std::string(field) + " holds what is no short text");
      return {};
    }
    texts.push_back(item.get<std::string>());
  }
  return texts;
}

bool CheckedObject::read_row(const nlohmann::json& list, std::span<std::uint64_t> row) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 53;
  if (!list.is_array() || list.size() != row.size()) return false;
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (!list[i].is_number_unsigned() || list[i].get<std::uint64_t>() > kMost) return false;
    row[i] = list[i].get<std::uint64_t>();
  }
  return true;
}

void CheckedObject::rows(const char* field, std::size_t most, std::size_t width,
                         const std::function<void(std::span<const std::uint64_t>)>& use) {
  const nlohmann::json* list = find_list(field, most);
  if (list == nullptr) return;
  std::vector<std::uint64_t> row(width);
  for (const nlohmann::json& item : *list) {
    if (!read_row(item, row)) {
      return document_.fail(std::string(field) + " holds what is no row of " +
                            std::to_string(width) + " numbers");
    }
    use(row);
  }
}

}  // namespace rdmadiag::probes
