#include "validation/cli/lattice_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <string_view>
#include <utility>

namespace assay::validation {
namespace {

using Json = nlohmann::json;

constexpr std::size_t frames_across = 7;

/// A decimal text to four digits, or three where its exponent is long; fractions and words as they are.
std::string shortened(const std::string& text) {
  const std::size_t e = text.find('e');
  if (text.find_first_not_of("0123456789+-.e") != std::string::npos) return text;
  const double mantissa = std::strtod(text.substr(0, e).c_str(), nullptr);
  if (e == std::string::npos) return fmt::format("{:.4g}", mantissa);
  const std::string power = text.substr(e);
  return fmt::format("{:.{}f}{}", mantissa, power.size() > 5 ? 2 : 3, power);
}

/// Whether the quantity is 0, which as a logarithm is minus infinity.
bool is_none(const Json& text, bool logarithm) {
  return text == (logarithm ? "-inf" : "0");
}

/// The number that a decimal text or a fraction spells, rounded to double; 0 for NaN and other texts.
double value_of(const std::string& text) {
  const std::size_t bar = text.find('/');
  const double over = std::strtod(text.c_str(), nullptr);
  const double x = bar == std::string::npos ? over : over / std::strtod(text.c_str() + bar + 1, nullptr);
  return std::isnan(x) ? 0 : x;
}

/// Rows of a table: for each row a name, and the texts of the frames.
struct Rows {
  std::vector<std::string> names;
  std::vector<std::vector<std::string>> cells;
};

std::string cell(const Json& text, const Json& exact, bool logarithm) {
  const bool lost = is_none(text, logarithm) && !exact.is_null() && !is_none(exact, logarithm);
  return shortened(text.get<std::string>()) + (lost ? "*" : " ");
}

/// The transpose of a matrix [T][columns].
Rows turned(const Json& matrix, const Json& exact, std::vector<std::string> names, bool logarithms) {
  Rows rows{std::move(names), {}};
  rows.cells.resize(rows.names.size());
  for (std::size_t t = 0; t < matrix.size(); ++t)
    for (std::size_t i = 0; i < rows.names.size(); ++i)
      rows.cells[i].push_back(cell(matrix[t][i], exact.is_null() ? Json() : exact[t][i], logarithms));
  return rows;
}

std::string to_text(const std::string& title, const Rows& rows) {
  std::string out = "\n" + title + "\n";
  const std::size_t T = rows.cells.empty() ? 0 : rows.cells[0].size();
  for (std::size_t first = 0; first < T; first += frames_across) {
    const std::size_t end = std::min(T, first + frames_across);
    out += fmt::format("  {:<10}", "frame");
    for (std::size_t t = first; t < end; ++t) out += fmt::format("{:>11} ", t);
    out.back() = '\n';
    for (std::size_t i = 0; i < rows.names.size(); ++i) {
      std::string line = fmt::format("  {:<10}", rows.names[i]);
      for (std::size_t t = first; t < end; ++t) line += fmt::format("{:>12}", rows.cells[i][t]);
      out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    }
  }
  return out;
}

Json member(const Json& object, const char* name) {
  return object.is_null() ? Json() : object[name];
}

/// A field of the steps and its title in the table; lists of fields follow the derivation.
struct Field {
  const char* name;
  const char* title;
};

constexpr Field of_states[] = {{"alpha", "alpha (6, 7)"},
                               {"beta_including", "beta with y (10, 11)"},
                               {"beta_excluding", "beta without y"},
                               {"product", "alpha times beta without y"}};
constexpr Field of_frames[] = {
    {"scale", "C_t"}, {"invariant_including", "with y"}, {"invariant_excluding", "without y"}};
constexpr Field of_classes[] = {{"posterior", "posterior"},
                                {"output_error", "dL/dy, the first of two steps (13, 15)"},
                                {"gradient_two_step", "dL/dlogits, in two steps"},
                                {"gradient", "dL/dlogits, directly (16)"}};

std::string frames_table(const Json& response, const Json& exact, bool logarithms) {
  Rows rows;
  for (const auto& [name, title] : of_frames) {
    if (response[name].is_null()) continue;
    rows.names.emplace_back(title);
    rows.cells.emplace_back();
    for (std::size_t t = 0; t < response[name].size(); ++t)
      rows.cells.back().push_back(cell(response[name][t], exact.is_null() ? Json() : exact[name][t],
                                       logarithms && std::string_view(name) != "scale"));
  }
  return to_text("sums over the states (14)", rows);
}

std::string result_lines(const Json& response, const Json& exact, bool logarithms) {
  const auto line = [](const char* name, const Json& value) {
    return value.is_null() ? std::string() : fmt::format("{:<22}{}\n", name, value.get<std::string>());
  };
  std::string out = line(logarithms ? "ln p" : "p", response["p"]) + line("loss", response["loss"]);
  return exact.is_null() ? out : out + line("loss with 50 digits", exact["loss"]);
}

}  // namespace

std::string lattice_table(const Json& response, const Json& exact, const std::vector<std::string>& classes,
                          bool logarithms) {
  std::vector<std::string> states;
  for (const auto& k : response["states"])
    states.push_back(fmt::format("{:>2} {}", states.size(), classes[k.get<std::size_t>()]));
  const auto table = [&](const Field& field, const std::vector<std::string>& names, bool ln) {
    if (response[field.name].is_null()) return std::string();
    return to_text((ln ? "ln " : "") + std::string(field.title),
                   turned(response[field.name], member(exact, field.name), names, ln));
  };
  std::string out = result_lines(response, exact, logarithms) + table({"y", "y"}, classes, logarithms);
  for (const auto& field : of_states) out += table(field, states, logarithms);
  out += frames_table(response, exact, logarithms);
  for (const auto& field : of_classes) out += table(field, classes, false);
  if (out.find('*') != std::string::npos) out += "\n* underflowed: not 0 with 50 digits\n";
  return out;
}

std::string alignments_table(const Json& response, const std::vector<std::string>& classes) {
  const auto line = [&](const Json& alignment, const Json& probability) {
    std::string text = "  ";
    for (const auto& k : alignment) text += classes[k.get<std::size_t>()];
    return text + "  " + probability.get<std::string>() + "\n";
  };
  std::string out = fmt::format("alignments            {}\n", response["count"].get<std::string>());
  if (response["alignments"].is_null()) {
    out += "Too many sequences would have to be tried to list them.\n";
    return response["best"].is_null() ? out : out + "best\n" + line(response["best"], response["best_probability"]);
  }
  std::vector<std::size_t> order(response["alignments"].size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto probability = [&](std::size_t i) { return value_of(response["probability"][i].get<std::string>()); };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t i, std::size_t j) { return probability(i) > probability(j); });
  for (const std::size_t i : order) out += line(response["alignments"][i], response["probability"][i]);
  return out + fmt::format("sum                   {}\n", response["p"].get<std::string>());
}

}  // namespace assay::validation
