// JSON from a peer, read field by field. The first thing that is wrong is kept, with the field's
// name; what is read after that is empty. A field that is missing is empty too, unless refused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "agent/core/result.h"
#include "agent/core/snapshot.h"

namespace rdmadiag::probes {

class CheckedDocument;

class CheckedObject {
 public:
  enum class Empty : std::uint8_t { kAllowed, kRefused };

  // Printable text of at most `limit` bytes.
  [[nodiscard]] std::string text(const char* field, std::size_t limit,
                                 Empty empty = Empty::kAllowed);
  [[nodiscard]] std::string name(const char* field, Empty empty = Empty::kAllowed) {
    return text(field, 128, empty);
  }
  [[nodiscard]] std::uint32_t number(const char* field, std::uint32_t most) {
    return static_cast<std::uint32_t>(number64(field, most));
  }
  [[nodiscard]] std::uint64_t number64(const char* field, std::uint64_t most);
  // A number from `least` to `most`; empty when it is missing.
  [[nodiscard]] std::optional<double> real(const char* field, double least, double most);
  [[nodiscard]] bool flag(const char* field);
  [[nodiscard]] core::Gid gid(const char* field);
  // Which of `words` it is; the first when it is missing.
  [[nodiscard]] std::size_t word(const char* field, std::span<const char* const> words);
  // Each object of a list of at most `most`.
  void each(const char* field, std::size_t most, const std::function<void(CheckedObject&)>& use);
  // The object in this field, read as far as it is there.
  void within(const char* field, const std::function<void(CheckedObject&)>& use);
  // A list of at most `most` printable texts of at most `limit` bytes.
  [[nodiscard]] std::vector<std::string> texts(const char* field, std::size_t most,
                                               std::size_t limit);
  // Each row of a list of at most `most` rows of exactly `width` numbers from 0 to 2^53.
  void rows(const char* field, std::size_t most, std::size_t width,
            const std::function<void(std::span<const std::uint64_t>)>& use);
  // For what only the caller can check; the first problem stands.
  void fail(std::string problem);

 private:
  friend class CheckedDocument;
  CheckedObject(const nlohmann::json* value, CheckedDocument& document)
      : value_(value), document_(document) {}
  [[nodiscard]] const nlohmann::json* find(const char* field) const;
  [[nodiscard]] const nlohmann::json* find_list(const char* field, std::size_t most);
  [[nodiscard]] static bool read_row(const nlohmann::json& list, std::span<std::uint64_t> row);

  const nlohmann::json* value_;  // null after an error
  CheckedDocument& document_;
};

class CheckedDocument {
 public:
  explicit CheckedDocument(std::string_view text);
  ~CheckedDocument();
  CheckedDocument(const CheckedDocument&) = delete;
  CheckedDocument& operator=(const CheckedDocument&) = delete;

  [[nodiscard]] CheckedObject root();
  [[nodiscard]] const std::string& problem() const { return problem_; }  // empty: all was right
  void fail(std::string problem);

 private:
  std::unique_ptr<nlohmann::json> value_;
  std::string problem_;
};

// What `read` makes of the object that is `json`, of at most `limit` bytes. The error begins with
// `what`.
template <class Read>
[[nodiscard]] auto read_document(const std::string& what, std::string_view json, std::size_t limit,
                                 const Read& read)
    -> core::Result<std::invoke_result_t<const Read&, CheckedObject&>> {
  if (json.size() > limit) return core::fail(what + ": too long");
  CheckedDocument document(json);
  CheckedObject root = document.root();
  auto value = read(root);
  if (!document.problem().empty()) return core::fail(what + ": " + document.problem());
  return value;
}

}  // namespace rdmadiag::probes
