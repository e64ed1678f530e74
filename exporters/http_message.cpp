#include "exporters/http_message.h"

#include <strings.h>

namespace rdmadiag::exporters {

std::optional<std::string_view> HttpRequest::header(std::string_view name) const {
  for (const auto& [key, value] : headers) {
    if (key.size() == name.size() && strncasecmp(key.data(), name.data(), name.size()) == 0) {
      return value;
    }
  }
  return std::nullopt;
}

std::vector<std::string_view> HttpRequest::query_values(std::string_view name) const {
  std::vector<std::string_view> values;
  for (const auto& [key, value] : query) {
    if (key == name) {
      values.emplace_back(value);
    }
  }
  return values;
}

HttpResponse text_response(int status, std::string text) {
  HttpResponse response;
  response.status = status;
  response.body = std::make_shared<const std::string>(std::move(text));
  return response;
}

HttpResponse json_response(std::string json) {
  HttpResponse response = text_response(200, std::move(json));
  response.content_type = "application/json";
  return response;
}

}  // namespace rdmadiag::exporters
