#include "agent/cli/capture_json.h"

#include <array>
#include <charconv>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "agent/cli/capture_netlink.h"
#include "agent/core/version.h"
#include "agent/host/capture_path.h"

namespace rdmadiag::cli {
namespace {

using nlohmann::json;

constexpr int kVersion = 1;
constexpr std::string_view kFormat = "rdmadiag-capture";
constexpr std::int64_t kMaxErrno = 4095;

// Well-formed, and still nothing that this program could have written.
struct BadCapture : std::runtime_error {
  using std::runtime_error::runtime_error;
};

using Kind = host::DirectoryEntry::Kind;
constexpr std::array<std::pair<Kind, std::string_view>, 4> kKinds = {
    {{Kind::kFile, "file"},
     {Kind::kDirectory, "directory"},
     {Kind::kLink, "link"},
     {Kind::kOther, "other"}}};

std::string_view kind_name(Kind kind) {
  for (const auto& [value, name] : kKinds) {
    if (value == kind) return name;
  }
  return "other";
}

Kind parse_kind(std::string_view text) {
  for (const auto& [value, name] : kKinds) {
    if (name == text) return value;
  }
  return Kind::kOther;
}

json failures_json(const host::Capture& capture) {
  json out = json::object();
  for (const auto& [path, file] : capture.files) {
    if (file.open_error == 0 && file.read_error == 0) continue;
    out[encode_bytes(path)] = {{"open", file.open_error}, {"read", file.read_error}};
  }
  return out;
}

json directories_json(const host::Capture& capture) {
  json out = json::object();
  for (const auto& [path, directory] : capture.directories) {
    json entries = json::array();
    for (const host::DirectoryEntry& entry : directory.entries) {
      entries.push_back({encode_bytes(entry.name), kind_name(entry.kind)});
    }
    out[encode_bytes(path)] = {{"error", directory.error}, {"entries", std::move(entries)}};
  }
  return out;
}

json resolved_json(const host::Capture& capture) {
  json out = json::object();
  for (const auto& [path, target] : capture.resolved) {
    out[encode_bytes(path)] = encode_bytes(target);
  }
  return out;
}

// Whoever replays hands it on as the kernel would, negated: a size where it should be an error.
int read_errno(const json& number) {
  const auto value = number.get<std::int64_t>();
  if (value < 0 || value > kMaxErrno) throw BadCapture("no errno: " + std::to_string(value));
  return static_cast<int>(value);
}

std::string read_path(const std::string& text) {
  std::string path = decode_bytes(text);
  if (host::capture_path(path) != path) throw BadCapture("bad name '" + text + "'");
  return path;
}

host::Capture read_document(const json& document) {
  host::Capture capture;
  for (const auto& [path, failure] : document.at("failed").items()) {
    host::CapturedFile& file = capture.files[read_path(path)];
    file.open_error = read_errno(failure.at("open"));
    file.read_error = read_errno(failure.at("read"));
  }
  for (const auto& [path, directory] : document.at("directories").items()) {
    host::CapturedDirectory& into = capture.directories[read_path(path)];
    into.error = read_errno(directory.at("error"));
    for (const json& entry : directory.at("entries")) {
      into.entries.push_back({decode_bytes(entry.at(0).get<std::string>()),
                              parse_kind(entry.at(1).get<std::string>())});
    }
  }
  for (const auto& [path, target] : document.at("resolved").items()) {
    const auto to = target.get<std::string>();
    capture.resolved[read_path(path)] = to.empty() ? to : read_path(to);
  }
  if (!document.at("netlink").is_null()) capture.netlink = read_netlink(document.at("netlink"));
  if (const auto addresses = document.find("addresses"); addresses != document.end())
    capture.addresses = read_addresses(*addresses);
  return capture;
}

}  // namespace

std::string encode_bytes(std::string_view bytes) {
  std::string out;
  for (const char c : bytes) {
    if (c > ' ' - 1 && c <= '~' && c != '%') {
      out += c;
    } else {
      std::array<char, 4> text{};
      std::snprintf(text.data(), text.size(), "%%%02x", static_cast<unsigned char>(c));
      out += text.data();
    }
  }
  return out;
}

std::string decode_bytes(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    unsigned value = 0;
    const char* digits = text.data() + at + 1;
    if (text[at] == '%' && at + 2 < text.size() &&
        std::from_chars(digits, digits + 2, value, 16).ptr == digits + 2) {
      out += static_cast<char>(value);
      at += 2;
    } else {
      out += text[at];
    }
  }
  return out;
}

std::string render_capture_json(const host::Capture& capture) {
  json document = {{"format", kFormat},
                   {"schema_version", kVersion},
                   {"rdmadiag", core::kVersion},
                   {"failed", failures_json(capture)},
                   {"directories", directories_json(capture)},
                   {"resolved", resolved_json(capture)},
                   {"netlink", capture.netlink ? netlink_json(*capture.netlink) : json(nullptr)}};
  if (capture.addresses) document["addresses"] = addresses_json(*capture.addresses);
  return document.dump(1) + "\n";
}

core::Result<host::Capture> parse_capture_json(std::string_view text) {
  try {
    const json document = json::parse(text);
    if (document.at("format") != kFormat) return core::fail("capture.json: not a capture");
    if (document.at("schema_version") != kVersion) {
      return core::fail("capture.json: made by another version of rdmadiag");
    }
    return read_document(document);
  } catch (const json::exception& error) {
    return core::fail(std::string("capture.json: ") + error.what());
  } catch (const BadCapture& error) {
    return core::fail(std::string("capture.json: ") + error.what());
  }
}

}  // namespace rdmadiag::cli
