// What is wrong, and what could not be read.
#include <algorithm>

#include "exporters/html_sections.h"

namespace rdmadiag::exporters {
namespace {

using core::SourceStatus;

void write_finding(const core::Finding& finding, HtmlWriter& out) {
  out.markup("<li class=\"finding ");
  out.markup(wellness_class(wellness_of(finding.severity)));
  out.markup("\"><h3>");
  out.element("span", core::severity_name(finding.severity), "severity");
  out.text(" " + finding.subject.text() + ": " + finding.found);
  out.markup("</h3>\n<dl>");
  const auto fact = [&](std::string_view name, std::string_view value) {
    if (value.empty()) return;
    out.element("dt", name);
    out.element("dd", value);
  };
  fact("Expected", finding.expected);
  fact("Meaning", finding.meaning);
  fact("Do next", finding.next_step);
  fact("Rule", finding.rule);
  out.markup("</dl></li>\n");
}

void write_list(const std::vector<const core::Finding*>& findings, HtmlWriter& out) {
  out.markup("<ul class=\"findings\">\n");
  for (std::size_t i = 0; i < std::min(findings.size(), kMaxPageRows); ++i) {
    write_finding(*findings[i], out);
  }
  out.markup("</ul>\n");
  write_rest(findings.size(), out);
}

void write_unknown(const std::vector<core::Unknown>& unknown, HtmlWriter& out) {
  if (unknown.empty()) return;
  out.markup("<details><summary>");
  out.text(unknown.size() == 1 ? "1 question could not be answered"
                               : grouped(unknown.size()) + " questions could not be answered");
  out.markup("</summary><ul>\n");
  for (std::size_t i = 0; i < std::min(unknown.size(), kMaxPageRows); ++i) {
    out.element("li",
                unknown[i].subject.text() + ": " + unknown[i].rule + ": " + unknown[i].reason);
    out.markup("\n");
  }
  out.markup("</ul></details>\n");
  write_rest(unknown.size(), out);
}

std::uint64_t error_count(const SourceStatus& status) {
  std::uint64_t total = 0;
  for (const std::uint64_t count : status.errors) total += count;
  return total;
}

std::string error_reasons(const SourceStatus& status) {
  std::string text;
  for (std::size_t i = 0; i < core::kIssueReasonCount; ++i) {
    if (status.errors[i] == 0) continue;
    if (!text.empty()) text += ", ";
    text += grouped(status.errors[i]) + " ";
    text += core::reason_name(static_cast<core::IssueReason>(i));
  }
  return text;
}

void write_source(std::string_view device, const SourceStatus& status, HtmlWriter& out) {
  out.open_row();
  out.row_head(device.empty() ? "discovery" : device);
  out.cell(core::source_name(status.source));
  out.verdict_cell(status.success ? Verdict{Wellness::kWarning, "read, with gaps"}
                                  : Verdict{Wellness::kBad, "failed"});
  out.cell(error_reasons(status));
  out.close_row();
}

void write_issues(std::string_view device, const std::vector<core::ReadIssue>& issues,
                  std::size_t& rows, HtmlWriter& out) {
  for (const core::ReadIssue& issue : issues) {
    if (++rows > kMaxPageRows) continue;
    out.open_row();
    out.row_head(device.empty() ? "discovery" : device);
    out.cell(issue.path, "path");
    out.cell(core::reason_name(issue.reason));
    out.cell(issue.detail, "path");
    out.cell(issue.backing_off ? "waits before the next try" : "");
    out.close_row();
  }
}

template <class Visit>
void each_reader(const core::HostSnapshot& host, const Visit& visit) {
  visit(std::string_view(), host.sources, host.issues);
  for (const core::DeviceEntry& entry : host.devices) {
    static const std::vector<core::ReadIssue> kNone;
    const bool in_snapshot = entry.sources.empty() && entry.snapshot;
    visit(std::string_view(entry.name), in_snapshot ? entry.snapshot->sources : entry.sources,
          entry.snapshot ? entry.snapshot->issues : kNone);
  }
}

bool is_troubled(const SourceStatus& status) { return !status.success || error_count(status) > 0; }

void write_issue_table(const core::HostSnapshot& host, HtmlWriter& out) {
  std::size_t rows = 0;
  out.markup("<details><summary id=\"issues\">Values that could not be read</summary>\n");
  out.open_table("issues", {"Device", "What", "Reason", "Content", "Back-off"});
  each_reader(host, [&](std::string_view device, const auto&, const auto& issues) {
    write_issues(device, issues, rows, out);
  });
  out.close_table();
  write_rest(rows, out);
  out.markup("</details>\n");
}

std::string_view no_problem_text(const core::Diagnosis& diagnosis) {
  if (!diagnosis.any_device) return "There was no device to judge.";
  if (!diagnosis.unreadable.empty())
    return "Nothing is known to be wrong, but not every port could be read.";
  return "Nothing is known to be wrong.";
}

}  // namespace

void write_findings(const core::Diagnosis& diagnosis, HtmlWriter& out) {
  std::vector<const core::Finding*> problems;
  std::vector<const core::Finding*> notes;
  for (const core::Finding& finding : diagnosis.findings) {
    (finding.severity == core::FindingSeverity::kInfo ? notes : problems).push_back(&finding);
  }
  out.open_section("findings", "Findings");
  if (!problems.empty()) {
    write_list(problems, out);
  } else {
    out.markup("<p>");
    out.markup(no_problem_text(diagnosis));
    out.markup("</p>\n");
  }
  if (!notes.empty()) {
    out.markup("<details><summary>");
    out.text(grouped(notes.size()) + (notes.size() == 1 ? " note" : " notes"));
    out.markup("</summary>\n");
    write_list(notes, out);
    out.markup("</details>\n");
  }
  write_unknown(diagnosis.unknown, out);
  out.close_section();
}

void write_sources(const PageInput& input, HtmlWriter& out) {
  std::size_t troubled = 0;
  std::size_t issues_listed = 0;
  each_reader(input.now, [&](std::string_view, const auto& sources, const auto& issues) {
    troubled +=
        static_cast<std::size_t>(std::count_if(sources.begin(), sources.end(), is_troubled));
    issues_listed += issues.size();
  });
  out.open_section("sources", "Sources with errors");
  if (troubled == 0) {
    out.markup("<p>Every kernel interface was read without an error.</p>\n");
  } else {
    std::size_t rows = 0;
    out.open_table("sources", {"Device", "Source", "State", "Errors since start"});
    each_reader(input.now, [&](std::string_view device, const auto& sources, const auto&) {
      for (const SourceStatus& status : sources) {
        if (is_troubled(status) && ++rows <= kMaxPageRows) write_source(device, status, out);
      }
    });
    out.close_table();
    write_rest(rows, out);
  }
  if (issues_listed > 0) write_issue_table(input.now, out);
  out.close_section();
}

}  // namespace rdmadiag::exporters
