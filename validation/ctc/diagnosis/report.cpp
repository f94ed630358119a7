#include "validation/ctc/diagnosis/report.h"

#include <fmt/color.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include "validation/ctc/diagnosis/advice.h"
#include "validation/ctc/diagnosis/certified_loss.h"

namespace assay::validation {
namespace {

constexpr std::size_t page_width = 100;
constexpr std::size_t loss_width = 42;

/// Writes to a stream, with or without colour.
class Page {
 public:
  Page(std::ostream& out, bool colour) : out_(out), colour_(colour) {}

  void text(std::string_view text, fmt::text_style style = {}) {
    out_ << (colour_ ? fmt::format(style, "{}", text) : std::string(text));
  }

  void heading(std::string_view words) {
    text("\n");
    text(words, fmt::emphasis::bold);
    text("\n");
  }

  /// `label`, then `words` from column `indent` on, broken at spaces to fit the page.
  void paragraph(std::string_view label, std::string_view words, std::size_t indent, fmt::text_style style = {}) {
    text(label, style);
    std::size_t column = label.size();
    if (column > 0 && column >= indent) {
      text("\n");
      column = 0;
    }
    while (!words.empty()) {
      text(std::string(indent - column, ' '));
      const std::string_view line = words.substr(0, line_length(words, page_width - indent));
      text(line);
      text("\n");
      words.remove_prefix(line.size());
      words.remove_prefix(std::min(words.find_first_not_of(' '), words.size()));
      column = 0;
    }
  }

 private:
  /// How many bytes of `words` fit in `width`, up to the end of a word if possible.
  static std::size_t line_length(std::string_view words, std::size_t width) {
    if (words.size() <= width) return words.size();
    const std::size_t space = words.rfind(' ', width);
    return space == words.npos || space == 0 ? width : space;
  }

  std::ostream& out_;
  bool colour_;
};

fmt::text_style style_of(Severity severity) {
  const auto colour = severity == Severity::fault   ? fmt::terminal_color::red
                      : severity == Severity::doubt ? fmt::terminal_color::yellow
                                                    : fmt::terminal_color::green;
  return fmt::fg(colour);
}

void print_batch(Page& page, const CtcCase& c) {
  constexpr const char* reductions[] = {"none", "sum", "mean"};
  page.text(fmt::format("{}: T={} frames, B={} rows, C={} classes, blank={}, {} targets, reduction {}{}\n\n",
                        c.input == CtcInput::logits ? "logits" : "log_probs", c.T, c.B, c.C, c.blank,
                        c.layout == CtcTargets::padded ? "padded" : "concatenated",
                        reductions[static_cast<std::size_t>(c.reduction)], c.zero_infinity ? ", zero_infinity" : ""));
}

/// The width in columns: "±" is two bytes but one column.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

bool is_cut(const RowDiagnosis& row) {
  return width_of(row.loss_text) > loss_width;
}

std::string loss_cell(const RowDiagnosis& row) {
  if (is_cut(row))
    return fmt::format("{:<{}}", row.loss_text.substr(0, std::min(row.loss_text.find(' '), loss_width - 3)) + "...",
                       loss_width);
  return row.loss_text + std::string(loss_width - width_of(row.loss_text), ' ');
}

/// A length in 6 columns. A longer one is shortened; the findings show it in full.
std::string length_cell(std::int64_t length) {
  std::string text = fmt::format("{}", length);
  if (text.size() <= 6) return text;
  return length < 0 ? "< 0" : "> 10^6";
}

void print_table(Page& page, const std::vector<RowDiagnosis>& rows) {
  page.text(fmt::format("{:>5} {:>6} {:>6} {:>7} {:>6}  {}\n", "row", "frames", "labels", "repeats", "needed",
                        losses_are_certified ? "loss, certified" : "loss"),
            fmt::emphasis::bold);
  for (const RowDiagnosis& row : rows) {
    const std::string repeats = row.repeats ? fmt::format("{}", *row.repeats) : "-";
    const std::string needed = row.repeats ? fmt::format("{}", row.target_length + *row.repeats) : "-";
    page.text(fmt::format("{:>5} {:>6} {:>6} {:>7} {:>6}  {} ", row.row, length_cell(row.input_length),
                          length_cell(row.target_length), repeats, needed, loss_cell(row)));
    const bool healthy = row.is_healthy();
    page.text(healthy ? "healthy" : name_of(row.symptoms.front().ailment),
              style_of(healthy ? Severity::note : row.symptoms.front().severity));
    page.text("\n");
  }
}

void print_long_losses(Page& page, const std::vector<RowDiagnosis>& rows) {
  if (std::none_of(rows.begin(), rows.end(), is_cut)) return;
  page.heading("Losses in full");
  for (const RowDiagnosis& row : rows)
    if (is_cut(row)) page.paragraph(fmt::format("  row {}", row.row), row.loss_text, 14);
}

void print_findings(Page& page, const std::vector<RowDiagnosis>& rows, Severity severity, std::string_view heading) {
  std::vector<std::pair<std::string, std::vector<std::int64_t>>> findings;  // each finding, and the rows that have it
  for (const RowDiagnosis& row : rows)
    for (const Symptom& symptom : row.symptoms) {
      if (symptom.severity != severity) continue;
      auto same =
          std::find_if(findings.begin(), findings.end(), [&](const auto& f) { return f.first == symptom.text; });
      if (same == findings.end()) same = findings.insert(findings.end(), {symptom.text, {}});
      same->second.push_back(row.row);
    }
  if (findings.empty()) return;
  page.heading(heading);
  for (const auto& [text, which] : findings) page.paragraph("  " + name_rows(which), text, 14, style_of(severity));
}

void print_advice(Page& page, const CtcCase& c, const std::vector<RowDiagnosis>& rows) {
  const std::vector<std::string> advice = advise(c, rows);
  if (!advice.empty()) page.heading("What to do");
  for (const std::string& sentence : advice) page.paragraph("  -", sentence, 4);
}

/// The loss of the batch after its reduction.
double reduced_loss(const CtcCase& c, const std::vector<RowDiagnosis>& rows) {
  double sum = 0;
  for (const RowDiagnosis& row : rows) {
    if (c.zero_infinity && row.kind == LossKind::infinite) continue;
    const double labels = static_cast<double>(std::max<std::int64_t>(row.target_length, 1));
    sum += c.reduction == Reduction::mean ? row.loss / (static_cast<double>(c.B) * labels) : row.loss;
  }
  return sum;
}

void print_summary(Page& page, const CtcCase& c, const std::vector<RowDiagnosis>& rows) {
  if (const std::string remark = float32_remark(rows); !remark.empty()) {
    page.text("\n");
    page.paragraph("", remark, 0);
  }
  std::vector<std::int64_t> bad;
  for (const RowDiagnosis& row : rows)
    if (!row.is_healthy()) bad.push_back(row.row);
  std::string text = fmt::format("{} {}, ", rows.size(), rows.size() == 1 ? "row" : "rows");
  text += bad.empty()
              ? "nothing wrong."
              : fmt::format("{} healthy; something is wrong with {}.", rows.size() - bad.size(), name_rows(bad));
  if (c.reduction != Reduction::none)
    text += fmt::format(" The loss of the batch, their {}, is {:.9g}.", c.reduction == Reduction::sum ? "sum" : "mean",
                        reduced_loss(c, rows));
  page.text("\n");
  page.paragraph("", text, 0);
}

}  // namespace

void print_diagnosis(std::ostream& out, const CtcCase& c, const std::vector<RowDiagnosis>& rows, bool colour) {
  Page page(out, colour);
  print_batch(page, c);
  print_table(page, rows);
  print_long_losses(page, rows);
  print_findings(page, rows, Severity::fault, "What is wrong");
  print_findings(page, rows, Severity::doubt, "What is doubtful");
  print_findings(page, rows, Severity::note, "What is harmless");
  print_advice(page, c, rows);
  print_summary(page, c, rows);
}

}  // namespace assay::validation
