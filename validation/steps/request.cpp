#include "validation/steps/request.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <new>
#include <string>

#include "validation/core/parse.h"
#include "validation/core/parse_json.h"

namespace assay::validation::steps {

using reference::detail::refuse;

std::string respond(std::string_view request, const std::function<Json(const Json&)>& answer) {
  try {
    const Json parsed = parse_json(request, "request");
    if (!parsed.is_object()) refuse("request = ", parsed.dump(), ": expected a JSON object");
    return answer(parsed).dump();
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    return Json{{"error", error.what()}}.dump(-1, ' ', false, Json::error_handler_t::replace);
  }
}

const Json& member(const Json& request, const char* name) {
  const auto found = request.find(name);
  if (found == request.end()) refuse(name, " is missing: expected it in the request");
  return *found;
}

namespace {

std::int64_t integer_of(const Json& value, const std::string& name) {
  if (!value.is_number_integer()) refuse(name, " = ", value.dump(), ": expected an integer");
  return value.get<std::int64_t>();
}

}  // namespace

std::int64_t integer(const Json& request, const char* name) {
  return integer_of(member(request, name), name);
}

std::int64_t integer_or(const Json& request, const char* name, std::int64_t fallback) {
  return request.contains(name) ? integer(request, name) : fallback;
}

double real_or(const Json& request, const char* name, double fallback) {
  return request.contains(name) ? real_of(request[name], name) : fallback;
}

std::string text_or(const Json& request, const char* name, const char* fallback) {
  const Json value = request.value(name, Json(fallback));
  if (!value.is_string()) refuse(name, " = ", value.dump(), ": expected a text");
  return value.get<std::string>();
}

std::vector<std::int64_t> integers(const Json& request, const char* name) {
  const Json& values = member(request, name);
  if (!values.is_array()) refuse(name, " = ", values.dump(), ": expected an array of integers");
  std::vector<std::int64_t> result;
  for (std::size_t i = 0; i < values.size(); ++i)
    result.push_back(integer_of(values[i], std::string(name) + "[" + std::to_string(i) + "]"));
  return result;
}

namespace {

/// The number of classes of the request's y. If y has no frames, as many classes as the labels and the blank need.
std::int64_t classes_of(const Json& request, std::int64_t blank) {
  for (const char* name : {"outputs", "logits"})
    if (request.contains(name) && request[name].is_array() && !request[name].empty())
      return static_cast<std::int64_t>(request[name][0].size());
  std::int64_t C = blank;
  for (const std::int64_t label : integers(request, "labels")) C = std::max(C, label);
  return C + 1;
}

}  // namespace

std::vector<std::int64_t> labels_of(const Json& request, std::int64_t blank) {
  const std::int64_t C = classes_of(request, blank);
  if (blank < 0 || blank >= C) refuse("blank = ", blank, ": expected a class in [0, C=", C, ")");
  std::vector<std::int64_t> labels = integers(request, "labels");
  for (std::size_t s = 0; s < labels.size(); ++s)
    if (labels[s] < 0 || labels[s] >= C || labels[s] == blank)
      refuse("labels[", s, "] = ", labels[s], ": expected a label in [0, C=", C, ") other than blank=", blank);
  return labels;
}

double real_of(const Json& value, const std::string& name) {
  if (value.is_number()) return value.get<double>();
  if (value.is_string())
    if (const auto x = parse_number<double>(value.get<std::string>())) return *x;
  refuse(name, " = ", value.dump(), ": expected a number");
}

reference::Rational fraction_of(const Json& value, const std::string& name) {
  using reference::Rational;
  if (value.is_string() && value.get<std::string>().find('/') != std::string::npos) {
    const auto text = value.get<std::string>();
    const auto digits = [](std::string_view part) {
      return !part.empty() && part.find_first_not_of("0123456789") == std::string_view::npos;
    };
    const std::size_t bar = text.find('/');
    const std::string over = text.substr(0, bar), under = text.substr(bar + 1);
    if (!digits(over) || !digits(under) || under.find_first_not_of('0') == std::string::npos)
      refuse(name, " = ", value.dump(), ": expected a fraction such as \"3/16\"");
    return Rational(reference::Integer(over)) / Rational(reference::Integer(under));
  }
  const double x = real_of(value, name);
  if (!std::isfinite(x)) refuse(name, " = ", value.dump(), ": expected a finite number or a fraction");
  return Rational(x);
}

}  // namespace assay::validation::steps
