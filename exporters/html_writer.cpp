#include "exporters/html_writer.h"

#include <algorithm>

#include "exporters/json_words.h"
#include "exporters/utf8.h"

namespace rdmadiag::exporters {
namespace {

std::string_view mark_of(Wellness wellness) {
  switch (wellness) {
    case Wellness::kGood: return "● ";
    case Wellness::kWarning: return "▲ ";
    case Wellness::kBad: return "■ ";
    case Wellness::kUnknown: return "○ ";
  }
  return "";
}

}  // namespace

std::string html_escaped(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) {
    switch (c) {
      case '&': out.append("&amp;"); break;
      case '<': out.append("&lt;"); break;
      case '>': out.append("&gt;"); break;
      case '"': out.append("&quot;"); break;
      case '\'': out.append("&#39;"); break;
      default: out.push_back(c);
    }
  }
  return out;
}

void HtmlWriter::preformatted(std::string_view lines) {
  while (!lines.empty()) {
    const auto end = std::min(lines.find('\n'), lines.size());
    text(lines.substr(0, end));
    out_.push_back('\n');
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
}

std::string_view wellness_class(Wellness wellness) {
  switch (wellness) {
    case Wellness::kGood: return "good";
    case Wellness::kWarning: return "warning";
    case Wellness::kBad: return "bad";
    case Wellness::kUnknown: return "unknown";
  }
  return "unknown";
}

void HtmlWriter::element(std::string_view tag, std::string_view content, std::string_view css) {
  out_.append("<").append(tag);
  if (!css.empty()) out_.append(" class=\"").append(css).append("\"");
  out_.append(">");
  text(content);
  out_.append("</").append(tag).append(">");
}

void HtmlWriter::open_section(std::string_view id, std::string_view heading) {
  out_.append("<section aria-labelledby=\"").append(id).append("\">\n<h2 id=\"").append(id);
  out_.append("\">").append(heading).append("</h2>\n");
}

void HtmlWriter::open_table(std::string_view id, std::initializer_list<Heading> headings,
                            std::size_t rows) {
  const std::string_view length = rows > 400 ? " longest" : rows > 100 ? " long" : "";
  out_.append("<div class=\"scroll")
      .append(length)
      .append("\" role=\"group\" tabindex=\"0\" aria-labelledby=\"");
  out_.append(id).append("\"><table aria-labelledby=\"").append(id).append("\"><thead><tr>");
  for (const Heading& heading : headings) {
    out_.append("<th scope=\"col\"");
    if (!heading.css.empty()) out_.append(" class=\"").append(heading.css).append("\"");
    out_.append(">").append(heading.text).append("</th>");
  }
  out_.append("</tr></thead>\n<tbody>\n");
}

void HtmlWriter::row_head(std::string_view content) {
  out_.append("<th scope=\"row\">");
  text(content);
  out_.append("</th>");
}

void HtmlWriter::cell(std::string_view content, std::string_view css) {
  element("td", content, css);
}

void HtmlWriter::verdict_cell(const Verdict& verdict) {
  out_.append("<td class=\"").append(wellness_class(verdict.wellness)).append("\">");
  out_.append("<span aria-hidden=\"true\">").append(mark_of(verdict.wellness)).append("</span>");
  text(verdict.text);
  out_.append("</td>");
}

void HtmlWriter::time(core::SystemTime time) {
  const std::string exact = format_time(time);
  // "2026-01-01 00:00:00 UTC": milliseconds are for machines.
  const std::string shown = exact.substr(0, 10) + " " + exact.substr(11, 8) + " UTC";
  out_.append("<time datetime=\"").append(exact).append("\">").append(shown).append("</time>");
}

}  // namespace rdmadiag::exporters
