// The table of an operation's fields: each field of its problems and each of its results is named once, in a row that
// says its type, its shape, its default, whether a kernel may decline it and where the plug-in header has it. Text,
// files, equality, guarded runs, what a kernel supports, every transport and the shrinking of values follow from the
// rows. A table is a tuple of them, in the order of the text; validation/cce/fields.h is one to read.
//
// Pointers to members say where a field is: in the Case, which owns its arrays; in the Statement, which is the
// reference's problem in float32; in the Problem, which a kernel is given: a Statement called `options`, and beside it
// the arrays of the case's dtype; in the structs of assay_plugin.h. An operation lists these types once, as T:
//
//   Case, Kernel, Run and what follows from them (FieldTypes in core/run.h), Image (of an element: float, or double),
//   Input (a variant of spans), PluginKernel (the declaration in assay_plugin.h)
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "validation/core/dtype.h"

namespace assay::validation {

/// Something that a kernel may decline to do.
struct Claim {
  const char* key = nullptr;    ///< in declarations; null: a kernel must do it
  const char* words = nullptr;  ///< "the kernel does not do ..."
  std::uint32_t flag = 0;       ///< of assay_plugin.h, for a kernel that declines
};

/// The shape of an array in words of extents: "N,H"; "" is a scalar, and "1" an array of one element.
template <class T>
struct ShapeWords {
  const char* words;
  const char* (*choose)(const typename T::Statement&) = nullptr;  ///< where it depends on an option
  const char* chosen_by = nullptr;                                ///< the name of that option

  std::string_view of(const typename T::Statement& statement) const {
    return choose != nullptr ? choose(statement) : words;
  }
};

/// A size of the problem.
template <class T>
struct Extent {
  const char* name;
  std::int64_t T::Case::* in_case;
  std::int64_t T::Statement::* in_statement;
  std::int64_t T::PluginKernel::* plugin_limit;  ///< the largest that a kernel takes
  std::int64_t min = 0;
  std::int64_t (*limited)(const typename T::Case&) = nullptr;  ///< what the limit is for, if not the extent itself
};

/// A size that follows from others.
template <class T>
struct DerivedExtent {
  const char* name;
  std::int64_t (*of)(const typename T::Statement&);
};

/// The type that the arrays of the case's dtype are stored in.
template <class T>
struct DtypeField {
  const char* name;
  Dtype T::Case::* in_case;
  std::vector<Dtype> all;   ///< that the operation is stated in
  bool said_always = true;  ///< in text and files; else only where it is not the default
};

/// An integer, a number or a flag.
template <class T, class Value>
struct Option {
  const char* name;
  Value T::Case::* in_case;
  Value T::Statement::* in_statement;
  Claim declinable;                    ///< where it is not the default
  bool resets = false;                 ///< shrinking tries the default
  const char* same_type_as = nullptr;  ///< an array whose type in a shader must hold the value
};

/// One of an enumeration.
template <class T, class Enum>
struct Choice {
  const char* name;
  Enum T::Case::* in_case;
  Enum T::Statement::* in_statement;
  std::vector<std::string> values;   ///< in the order of the enumeration
  std::vector<Claim> declinable;     ///< one for each value
  const char* keyword = nullptr;     ///< by which functions in Python claim values
  bool resets = false;               ///< shrinking tries the default
  bool in_npz = true;                ///< else the arrays of a file imply it
  const char* call_name = nullptr;   ///< in calls of Python functions, where it is another
  const char* metal_flag = nullptr;  ///< in bindings of shaders: a flag in the place of the number
  Enum metal_true = {};              ///< the value for which that flag is 1
};

/// How the elements of an array become simpler.
template <class Element>
struct ValueShrinks {
  std::vector<Element (*)(Element)> all;   ///< changes of all elements
  std::vector<Element (*)(Element)> each;  ///< changes of a part of the elements, in the end of one
};

/// An array that a kernel reads.
template <class T, class Owner, class View, class Element>
struct InputArray {
  const char* name;
  std::vector<Element> T::Case::* in_case;
  View Owner::* in_problem;
  ShapeWords<T> shape;
  bool optional = false;  ///< no elements: there is none
  Claim declinable = {};  ///< where there is one
  ValueShrinks<Element> shrinks = {};
  const char* (*npz_name)(const typename T::Case&) = nullptr;  ///< where it is another
  const char* npz_words = nullptr;                             ///< "logits or log_probs"
  const char* npz_or = "";                                     ///< " or [T, C]": a shape that files may have too
  const char* metal_type = "";                                 ///< what shaders get unless they say otherwise
};

/// An array of the case's dtype.
template <class T>
using DtypeArray = InputArray<T, typename T::Problem, typename T::Input, typename T::Image>;

/// An array of a fixed type.
template <class T, class Element>
using PlainArray = InputArray<T, typename T::Statement, std::span<const Element>, Element>;

/// What a kernel of others declares, in the plug-in header's struct or in JSON.
template <class T, class Value, class PluginValue>
struct Declaration {
  const char* name;
  Value T::Info::* in_info;
  PluginValue T::PluginKernel::* in_plugin;  ///< 0: the default; of a flag, false
  double max;
  const char* expected;                  ///< in words
  std::vector<std::string> values = {};  ///< of an enumeration
};

/// What a kernel may decline beyond fields; `asked` says whether a case asks for it.
template <class T>
struct Further {
  Claim declinable;
  bool (*asked)(const typename T::Case&) = nullptr;  ///< null: no case alone does
};

/// An array that a kernel writes.
template <class T, class View>
struct Result {
  const char* name;
  std::vector<typename T::Image> T::Run::* in_run;
  View T::Output::* in_output;
  ShapeWords<T> shape;
  const char* indices;                                              ///< one letter an axis, for messages
  const char* wanted_with = nullptr;                                ///< null: it is always wanted
  std::vector<typename T::Image> T::Case::* gradient_of = nullptr;  ///< it has that array's size
  bool plugin_dtype = false;    ///< plug-ins write the case's dtype, whatever in_output is
  const char* metal_type = "";  ///< what shaders write unless they say otherwise
};

// What kind of row it is.
template <class Row>
concept IsExtent = requires(const Row& row) { row.plugin_limit; };
template <class Row>
concept IsDerived = requires(const Row& row) { row.of; };
template <class Row>
concept IsDtype = requires(const Row& row) { row.said_always; };
template <class Row>
concept IsChoice = requires(const Row& row) { row.values; };
template <class Row>
concept IsArray = requires(const Row& row) { row.shrinks; };
template <class Row>
concept IsFurther = requires(const Row& row) { row.asked; };
template <class Row>
concept IsOption = requires(const Row& row) { row.in_statement; } && !IsExtent<Row> && !IsChoice<Row>;
/// An extent, an option or a choice: one number.
template <class Row>
concept IsScalar = IsExtent<Row> || IsOption<Row> || IsChoice<Row>;

/// Calls use(row) for each row of a table, in its order.
template <class Rows, class Use>
void for_each_row(const Rows& rows, Use&& use) {
  std::apply([&](const auto&... row) { (use(row), ...); }, rows);
}

/// A case that a table describes.
template <class Case>
concept HasFields = requires { typename Case::Fields; };

template <class Row>
inline constexpr bool is_of_dtype = false;
template <class T>
inline constexpr bool is_of_dtype<DtypeArray<T>> = true;

/// The array of the problem that the row speaks of: beside its options, or in them.
template <class Problem, class Row>
auto& array_of(Problem& problem, const Row& row) {
  if constexpr (is_of_dtype<Row>) {
    return problem.*row.in_problem;
  } else {
    return problem.options.*row.in_problem;
  }
}

/// The extent called `name`; 1 for "1". -1 where no row has the name.
template <class Fields>
std::int64_t extent_of(std::string_view name, const typename Fields::Statement& statement) {
  std::int64_t value = name == "1" ? 1 : -1;
  for_each_row(Fields::problem(), [&]<class Row>(const Row& row) {
    if constexpr (IsExtent<Row>) value = name == row.name ? statement.*row.in_statement : value;
    if constexpr (IsDerived<Row>) value = name == row.name ? row.of(statement) : value;
  });
  return value;
}

/// The names between commas.
inline std::vector<std::string_view> names_in(std::string_view words) {
  std::vector<std::string_view> names;
  while (!words.empty()) {
    names.push_back(words.substr(0, words.find(',')));
    words.remove_prefix(std::min(words.size(), names.back().size() + 1));
  }
  return names;
}

/// The extents that the words of a shape speak of.
template <class Fields>
std::vector<std::int64_t> dimensions(std::string_view words, const typename Fields::Statement& statement) {
  std::vector<std::int64_t> all;
  for (const std::string_view name : names_in(words)) all.push_back(extent_of<Fields>(name, statement));
  return all;
}

/// The elements of such an array; 0 where an extent is negative, or the product no size of an array in memory.
inline std::int64_t elements_of(const std::vector<std::int64_t>& dimensions) {
  constexpr std::int64_t max_elements = std::int64_t{1} << 30;
  std::int64_t product = 1;
  for (const std::int64_t extent : dimensions)
    if (extent < 0 || __builtin_mul_overflow(product, extent, &product)) return 0;
  return product > max_elements ? 0 : product;
}

/// The case's numbers and its arrays of fixed types, as the reference states a problem.
template <HasFields Case>
auto statement_of(const Case& c) {
  typename Case::Fields::Statement statement;
  for_each_row(Case::Fields::problem(), [&]<class Row>(const Row& row) {
    if constexpr (IsScalar<Row>) statement.*row.in_statement = c.*row.in_case;
    if constexpr (IsArray<Row> && !is_of_dtype<Row>) statement.*row.in_problem = c.*row.in_case;
  });
  return statement;
}

/// A case with the numbers of `c` and no arrays.
template <HasFields Case>
Case without_arrays(const Case& c) {
  Case d;
  for_each_row(Case::Fields::problem(), [&]<class Row>(const Row& row) {
    if constexpr (IsScalar<Row> || IsDtype<Row>) d.*row.in_case = c.*row.in_case;
  });
  return d;
}

}  // namespace assay::validation
