#include "validation/shader/numerics_html.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "metal/device/read_file.h"
#include "validation/core/printable.h"
#include "validation/shader/finding.h"
#include "validation/shader/numerics_text.h"

namespace assay::validation {

namespace {

using metal::emulator::Check;
using metal::emulator::DispatchLosses;
using metal::emulator::Event;
using metal::emulator::LineLoss;

constexpr const char* head = R"(<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<style>
:root { color-scheme: light dark; --paper: #ffffff; --ink: #1b1f24; --faint: #59636e; --line: #d1d9e0;
  --error: #a4262c; --warning: #7a5b00; --hot: 235 120 40; --most: .7; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #14171b; --ink: #e6e9ed; --faint: #9aa4ae; --line: #343b43;
    --error: #ff9a91; --warning: #e6c15a; --hot: 215 85 20; --most: .6; }
}
body { margin: 0 auto; max-width: 80rem; padding: 1rem; background: var(--paper); color: var(--ink);
  font: 15px/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.2rem; margin-top: 2rem; } h3 { font-size: 1rem; }
h1, h2, h3, li { overflow-wrap: anywhere; }
.source { overflow-x: auto; border: 1px solid var(--line); border-radius: 6px; }
table { border-collapse: collapse; width: 100%; font: 13px/1.45 ui-monospace, monospace; }
th { text-align: right; font-weight: 400; color: var(--faint); border-bottom: 1px solid var(--line); }
th:last-child { text-align: left; }
th, td { padding: 0 .5rem; vertical-align: top; }
td { text-align: right; white-space: nowrap; }
td:last-child { text-align: left; white-space: pre-wrap; width: 100%; border-left: 1px solid var(--line); }
.number { color: var(--faint); }
.hot { background: rgb(var(--hot) / calc(var(--most) * var(--heat))); }
.hot .number { color: inherit; }
.error, .warning { font-family: system-ui, sans-serif; }
.error { color: var(--error); } .warning { color: var(--warning); }
td.mark { font-weight: 700; }
</style>
)";

std::string escaped(const std::string& text) {
  std::string html;
  for (const char c : printable(text)) {
    if (c == '&')
      html += "&amp;";
    else if (c == '<')
      html += "&lt;";
    else if (c == '>')
      html += "&gt;";
    else if (c == '"')
      html += "&quot;";
    else
      html += c;
  }
  return html;
}

/// A note below a line of the source.
struct Note {
  bool is_warning = false;
  std::string text;
};

/// A line of the source with its losses and notes.
struct AnnotatedLine {
  LineLoss loss;
  std::vector<Note> notes;
};
using AnnotatedFile = std::map<std::uint32_t, AnnotatedLine>;  ///< by line

std::string note_text(const metal::emulator::Report& report) {
  std::string text = report.event.action;
  if (!report.message.empty()) text = fmt::format("{}; {}", text, report.message);
  if (!report.address.empty()) text += fmt::format(" ({})", report.address);
  if (report.count > 1) text += fmt::format(", {} times", report.count);
  return text;
}

class Annotations {
 public:
  Annotations(const ShaderScript& script, const ShaderOutcome& outcome, const DispatchLosses& dispatch) {
    if (!script.passes.empty()) files_[path_in_folder(script.source.string())];  // else it may be no source
    for (const LineLoss& loss : dispatch.losses.lines)
      if (loss.is_notable()) files_[path_in_folder(loss.position.file)][loss.position.line].loss = loss;
    for (const auto* reports : {&outcome.reports, &outcome.warnings})
      for (const metal::emulator::Report& report : *reports) add(report, dispatch.kernel);
    for (const AllowedReport& allowed : outcome.allowed) add(allowed.report, dispatch.kernel);
  }

  const std::map<std::string, AnnotatedFile>& files() const { return files_; }

 private:
  void add(const metal::emulator::Report& report, const std::string& kernel) {
    if (report.check != Check::numcheck || report.kernel != kernel) return;
    note(report.event, {report.is_warning, note_text(report)});
    if (report.other)
      note(*report.other, {report.is_warning, fmt::format("{}, of the result of line {}", report.other->action,
                                                          report.event.position.line)});
  }

  void note(const Event& event, Note note) {
    if (event.position.line == 0) return;
    files_[path_in_folder(event.position.file)][event.position.line].notes.push_back(std::move(note));
  }

  std::map<std::string, AnnotatedFile> files_;
};

std::string row_of(std::uint32_t number, const std::string& source, const LineLoss& loss) {
  if (loss.position.line == 0)
    return fmt::format("<tr><td></td><td></td><td class=\"number\">{}</td><td>{}</td></tr>\n", number, escaped(source));
  return fmt::format(
      "<tr class=\"hot\" style=\"--heat: {:.3f}\"><td>{:.1f}</td><td>{:.0f} %</td><td class=\"number\">{}</td>"
      "<td>{}</td></tr>\n",
      loss.share, loss.lost_bits, 100 * loss.share, number, escaped(source));
}

std::string row_of(const Note& note) {
  const char* const kind = note.is_warning ? "warning" : "error";
  return fmt::format("<tr class=\"{}\"><td></td><td></td><td class=\"mark\">{}</td><td>{}: {}</td></tr>\n", kind,
                     note.is_warning ? "!" : "\u2717", kind, escaped(note.text));
}

std::string html_of(const std::string& file, const AnnotatedFile& lines) {
  std::string text = fmt::format("<h3>{}</h3>\n", escaped(file));
  const auto source = metal::read_named_lines(file);
  if (!source) return text + "<p>This file cannot be read.</p>\n";
  text +=
      "<div class=\"source\"><table>\n<thead><tr><th scope=\"col\">bits</th><th scope=\"col\">share</th>"
      "<th scope=\"col\">line</th><th scope=\"col\">source</th></tr></thead>\n<tbody>\n";
  std::uint32_t number = 0;
  for (const std::string& line : *source) {
    const auto known = lines.find(++number);
    text += row_of(number, line, known == lines.end() ? LineLoss() : known->second.loss);
    if (known == lines.end()) continue;
    for (const Note& note : known->second.notes) text += row_of(note);
  }
  return text + "</tbody></table></div>\n";
}

std::string html_of(const DispatchLosses& dispatch, const Annotations& annotations) {
  std::string text =
      fmt::format("<h2>kernel {}</h2>\n<p>{}</p>\n<ul>\n", escaped(dispatch.kernel), escaped(summary_of(dispatch)));
  for (const auto& one : dispatch.losses.worst) text += fmt::format("<li>{}</li>\n", escaped(text_of(one)));
  text += "</ul>\n";
  for (const auto& [file, lines] : annotations.files()) text += html_of(file, lines);
  return text;
}

}  // namespace

std::string numerics_html(const ShaderScript& script, const ShaderOutcome& outcome) {
  const std::string title = "Numerics of " + escaped(script.source.filename().string());
  std::string text = fmt::format(
      "{}<title>{}</title>\n</head>\n<body>\n<main>\n<h1>{}</h1>\n<p><em>Share</em> is the line's part of the error of "
      "the elements that lost more than half of their digits, or of all elements if there are none. <em>Bits</em> is "
      "by "
      "how much the line's worst operation made the relative error larger, as a power of two.</p>\n",
      head, title, title);
  for (const DispatchLosses& dispatch : outcome.losses)
    text += html_of(dispatch, Annotations(script, outcome, dispatch));
  if (outcome.error) text += fmt::format("<p class=\"error\">error: {}</p>\n", escaped(outcome.error->text));
  return text + "</main>\n</body>\n</html>\n";
}

}  // namespace assay::validation
