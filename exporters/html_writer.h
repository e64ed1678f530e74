// HTML with every text from outside escaped: markup() takes literals of ours, text() the rest.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "exporters/words.h"

namespace rdmadiag::exporters {

// Fit for an element's content and for a quoted attribute; control characters spelled out.
[[nodiscard]] std::string html_escaped(std::string_view text);

// "good", "warning", "bad", "unknown": the style's classes.
[[nodiscard]] std::string_view wellness_class(Wellness wellness);

// A column's heading, a literal of ours; `css` as for its cells.
struct Heading {
  Heading(const char* heading, std::string_view heading_css = {})  // NOLINT: a text is a heading
      : text(heading), css(heading_css) {}
  std::string_view text;
  std::string_view css;
};

class HtmlWriter {
 public:
  void markup(std::string_view literal) { out_.append(literal); }
  void text(std::string_view text) { out_.append(html_escaped(text)); }
  // Text of several lines, for the content of a <pre>.
  void preformatted(std::string_view text);

  // <tag>text</tag>; `css` may be empty. Tag and class are literals of ours.
  void element(std::string_view tag, std::string_view text, std::string_view css = {});

  // A section with a heading it is labelled by, and a table in it that scrolls by itself where the
  // screen is narrow. Headings are literals of ours.
  void open_section(std::string_view id, std::string_view heading);
  void close_section() { markup("</section>\n"); }
  // A browser lays a table of many `rows` out when it comes into sight.
  void open_table(std::string_view id, std::initializer_list<Heading> headings,
                  std::size_t rows = 0);
  void close_table() { markup("</tbody></table></div>\n"); }

  void open_row() { markup("<tr>"); }
  void close_row() { markup("</tr>\n"); }
  void row_head(std::string_view text);
  void cell(std::string_view text, std::string_view css = {});
  // A state in colour, with a mark beside the word for those who do not see it.
  void verdict_cell(const Verdict& verdict);
  void time(core::SystemTime time);

  [[nodiscard]] std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

}  // namespace rdmadiag::exporters
