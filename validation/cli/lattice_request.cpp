#include "validation/cli/lattice_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <stdexcept>
#include <string_view>

#include "reference/ctc/repeats.h"
#include "validation/cli/data.h"
#include "validation/ctc/operation.h"

namespace assay::validation {
namespace {

using Json = nlohmann::json;

constexpr std::string_view alphabet = "abcdefghijklmnopqrstuvwxyz ";

std::string name_of(char letter) {
  return {letter == ' ' ? '_' : letter};
}

std::vector<std::int64_t> labels_of(const std::string& word, const std::vector<std::string>& classes) {
  std::vector<std::int64_t> labels;
  for (const char letter : word) {
    const auto found = std::find(classes.begin(), classes.end(), name_of(letter));
    if (alphabet.find(letter) == std::string_view::npos || found == classes.end())
      throw std::invalid_argument(fmt::format("--word = '{}': expected letters a to z and spaces", word));
    labels.push_back(found - classes.begin());
  }
  return labels;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

/// The unconverted texts of "a,b;c,d": frames are separated by semicolons, classes by commas.
std::vector<std::vector<std::string>> rows_of(const std::string& text, const char* name, std::size_t C) {
  std::vector<std::vector<std::string>> rows;
  for (const auto row : split(text, ';')) {
    rows.emplace_back();
    for (const auto element : split(row, ',')) rows.back().emplace_back(element);
    if (rows.back().size() != C)
      throw std::invalid_argument(fmt::format("{}: frame {} has {} numbers: expected {}, one a class", name,
                                              rows.size() - 1, rows.back().size(), C));
  }
  return rows;
}

double number_of(const std::string& text) {
  char* end = nullptr;
  const double x = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0') throw std::invalid_argument(fmt::format("--logits: '{}': expected a number", text));
  return x;
}

/// The logits of row 0 of the speech batch, "hello", [13][28].
Json speech(double scale) {
  const CtcCase batch = CtcOperation::read(data_file("speech.npz"));
  Json rows = Json::array();
  for (std::int64_t t = 0; t < batch.input_lengths[0]; ++t) {
    rows.push_back(Json::array());
    for (std::int64_t k = 0; k < batch.C; ++k)
      rows.back().push_back(static_cast<double>(batch.activation(t, 0, k)) * scale);
  }
  return rows;
}

Json logits_of(const LatticeArguments& a, std::span<const std::int64_t> labels, std::size_t C) {
  if (a.logits == "speech") return speech(a.scale);
  if (a.logits == "uniform") {
    const std::int64_t fewest = std::ssize(labels) + reference::repeats(labels);
    const std::int64_t frames = a.frames > 0 ? a.frames : std::max<std::int64_t>(5, fewest);
    return Json(static_cast<std::size_t>(frames), Json(C, 0));
  }
  Json rows = Json::array();
  for (const auto& row : rows_of(a.logits, "--logits", C)) {
    rows.push_back(Json::array());
    for (const auto& text : row) rows.back().push_back(number_of(text) * a.scale);
  }
  return rows;
}

/// The member "number" of a request: a name, or {"digits": n} for a number of digits.
Json number_type(const std::string& name) {
  if (name.empty() || name.find_first_not_of("0123456789") != std::string::npos || name.size() > 6) return name;
  return {{"digits", std::stoi(name)}};
}

}  // namespace

std::vector<std::string> lattice_classes(const LatticeArguments& a) {
  const bool all = a.classes == "all" || (a.logits == "speech" && a.outputs.empty());
  std::vector<std::string> classes = {"-"};
  for (const char letter : alphabet)
    if (all || a.word.find(letter) != std::string::npos) classes.push_back(name_of(letter));
  return classes;
}

Json lattice_request(const LatticeArguments& a) {
  const std::vector<std::string> classes = lattice_classes(a);
  const std::vector<std::int64_t> labels = labels_of(a.word, classes);
  Json request = {{"labels", labels}, {"blank", 0}, {"number", number_type(a.number)}, {"space", a.space}};
  const char* const given = a.outputs.empty() ? "logits" : "outputs";
  request[given] =
      a.outputs.empty() ? logits_of(a, labels, classes.size()) : Json(rows_of(a.outputs, "--outputs", classes.size()));
  const std::size_t T = request[given].size();
  if (a.frames > 0 && static_cast<std::size_t>(a.frames) != T)
    throw std::invalid_argument(fmt::format("--frames = {}: expected {}, as many as the rows given", a.frames, T));
  request["T"] = T;
  return request;
}

}  // namespace assay::validation
