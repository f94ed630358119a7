#include "validation/report/html.h"

#include <stdexcept>
#include <string_view>

#include "validation/report/json.h"
#include "validation/report/page.h"

namespace assay::validation {
namespace {

constexpr std::string_view place = "ASSAY_REPORT";  ///< the placeholder for the report in page/page.html
constexpr std::string_view before = R"(<script type="application/json" id="report">)";
constexpr std::string_view after = "</script>";

/// Escapes the characters of a JSON text that could end the HTML element around it or begin another one.
std::string escaped(const std::string& json) {
  std::string text;
  for (const char c : json) {
    if (c == '<') {
      text += "\\u003c";
    } else if (c == '>') {
      text += "\\u003e";
    } else if (c == '&') {
      text += "\\u0026";
    } else {
      text += c;
    }
  }
  return text;
}

}  // namespace

std::string to_html(const Report& report) {
  std::string text = page();
  return text.replace(text.find(place), place.size(), escaped(to_json(report)));
}

std::string json_of_html(const std::string& page, const std::string& source) {
  const auto begin = page.find(before);
  const auto end = page.find(after, begin == std::string::npos ? 0 : begin);
  if (begin == std::string::npos || end == std::string::npos)
    throw std::invalid_argument(source + ": an HTML page, but not one that `assay gate --html` wrote");
  return page.substr(begin + before.size(), end - begin - before.size());
}

}  // namespace assay::validation
