// Reads the declaration of a user's kernel, in the plug-in header's structs or in JSON, into the operation's Info. The
// rows of the operation's declarations hold names, members and allowed values; the table of fields holds what a kernel
// may decline.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "validation/core/fields.h"
#include "validation/core/roundoff_count.h"
#include "validation/core/support.h"
#include "validation/transport/declaration/binding_node.h"

namespace assay::validation::transport {

/// Sets the defaults of a user's kernel: arithmetic in float32, and results stored in the case's type.
template <class Info>
void assume_float32(Info& info) {
  info.unit_roundoff = format_of(Dtype::float32).roundoff;
  if constexpr (requires { info.losses_of_dtype; }) info.losses_of_dtype = true;
}

/// Reads a JSON value into the member that a row names.
template <class Row, class Value>
void read_declared(const BindingNode& node, const Row& row, Value& value) {
  if constexpr (std::is_same_v<Value, bool>) {
    value = node.flag();
  } else if constexpr (std::is_enum_v<Value>) {
    const auto found = std::ranges::find(row.values, node.text());
    if (found == row.values.end()) node.refuse(fmt::format("one of {}", fmt::join(row.values, ", ")));
    value = static_cast<Value>(found - row.values.begin());
  } else if constexpr (std::is_integral_v<Value>) {
    value = static_cast<Value>(node.integer(0, static_cast<std::int64_t>(row.max)));
  } else {
    value = node.number();
    if (!(value >= 0 && value <= row.max)) node.refuse(fmt::format("a number from 0 to {:g}", row.max));
  }
}

/// Reads the member `declares` of a kernel's JSON. Throws std::invalid_argument, naming an unknown key or a bad value.
template <class Fields>
void read_declares(const BindingNode& kernel, typename Fields::Info& info) {
  const auto declares = kernel.find("declares");
  if (!declares) return;
  std::set<std::string> known;
  for_each_row(Fields::declarations(), [&](const auto& row) {
    known.insert(row.name);
    if (const auto node = declares->find(row.name)) read_declared(*node, row, info.*row.in_info);
  });
  declares->expect_keys(known);
  if (const auto node = declares->find("unit_roundoff"); node && !(info.unit_roundoff > 0))
    node->refuse("a number above 0: that of float32 is 2^-24");
  for_each_row(Fields::declarations(), [&]<class Row>(const Row& row) {
    if constexpr (counts_roundoffs<Row>)
      if (const auto node = declares->find(row.name); node && !(node->number() <= most_roundoffs(row, info)))
        node->refuse(fmt::format("a number from 0 to {:g} where the roundoff is {:g}", most_roundoffs(row, info),
                                 info.unit_roundoff));
  });
}

/// Reads the member `support`: limits and flags under the keys of the table, except for those in `elsewhere`.
template <class Fields>
void read_support(const BindingNode& kernel, Support& support, const std::set<std::string>& elsewhere = {}) {
  const auto node = kernel.find("support");
  if (!node) return;
  std::set<std::string> known;
  for_each_row(Fields::problem(), [&]<class Row>(const Row& row) {
    if constexpr (IsExtent<Row>) {
      const std::string key = std::string("largest_") + row.name;
      known.insert(key);
      if (const auto limit = node->find(key)) support.limits[row.name] = limit->integer(0, no_limit);
    }
  });
  for (const auto& one : claims<Fields>()) {
    if (elsewhere.contains(one.claim.key)) continue;
    known.insert(one.claim.key);
    if (const auto flag = node->find(one.claim.key); flag && !flag->flag()) support.declined.insert(one.claim.key);
  }
  node->expect_keys(known);
}

/// Checks the fields of a plug-in's declaration. Throws std::invalid_argument, naming the field, its value and what was
/// expected.
class DeclaredFields {
 public:
  DeclaredFields(std::string path, std::string symbol) : path_(std::move(path)), symbol_(std::move(symbol)) {}

  template <class Value>
  void expect(bool holds, const char* field, Value value, const std::string& expected) const {
    if (holds) return;
    throw std::invalid_argument(fmt::format("{}: {}.{} is {}: expected {}", path_, symbol_, field, value, expected));
  }

 private:
  std::string path_, symbol_;
};

/// The dtypes that a plug-in declares, as one type or as a sum of bits.
template <class PluginKernel>
std::vector<Dtype> declared_dtypes(const PluginKernel& declared, Dtype last, const DeclaredFields& fields) {
  const auto max = static_cast<std::uint32_t>(last);
  if constexpr (requires { declared.dtype; }) {
    fields.expect(declared.dtype <= max, "dtype", declared.dtype, "ASSAY_FLOAT32, ASSAY_FLOAT16 or ASSAY_BFLOAT16");
    return {static_cast<Dtype>(declared.dtype)};
  } else {
    fields.expect(declared.dtypes < 2 * ASSAY_DTYPE_BIT(max), "dtypes", declared.dtypes,
                  fmt::format("0 for float32, or a sum of ASSAY_DTYPE_BIT of types up to {}", name_of(last)));
    std::vector<Dtype> types;
    for (std::uint32_t bit = 0; bit <= max; ++bit)
      if ((declared.dtypes & ASSAY_DTYPE_BIT(bit)) != 0) types.push_back(static_cast<Dtype>(bit));
    return types.empty() ? std::vector{Dtype::float32} : types;
  }
}

template <class Fields>
Support declared_support(const typename Fields::PluginKernel& declared, const DeclaredFields& fields) {
  Support support;
  std::uint32_t all = 0;
  for (const auto& one : claims<Fields>()) {
    all |= one.claim.flag;
    if ((declared.unsupported & one.claim.flag) != 0) support.declined.insert(one.claim.key);
  }
  fields.expect((declared.unsupported & ~all) == 0, "unsupported", declared.unsupported,
                "a sum of the flags in assay_plugin.h");
  for_each_row(Fields::problem(), [&]<class Row>(const Row& row) {
    if constexpr (IsExtent<Row>) {
      const std::int64_t limit = declared.*row.plugin_limit;
      fields.expect(limit >= 0, fmt::format("largest_{}", row.name).c_str(), limit,
                    "0 for no limit, or the largest size");
      if (limit > 0) support.limits[row.name] = limit;
    }
    if constexpr (IsDtype<Row>) support.dtypes = declared_dtypes(declared, row.all.back(), fields);
  });
  return support;
}

/// The Info that a plug-in's struct declares. `path` becomes the kernel's name, so that a line that replays a failure
/// can load the kernel again.
template <class Fields>
typename Fields::Info info_of(const typename Fields::PluginKernel& declared, const std::string& path) {
  const DeclaredFields fields(path, std::string("assay_") + Fields::name);
  typename Fields::Info info;
  info.name = path;
  assume_float32(info);
  for_each_row(Fields::declarations(), [&](const auto& row) {
    const auto value = declared.*row.in_plugin;
    using Value = std::remove_cvref_t<decltype(info.*row.in_info)>;
    fields.expect(value >= 0 && static_cast<double>(value) <= row.max, row.name, value, row.expected);
    if constexpr (std::is_same_v<Value, bool> || std::is_enum_v<Value>) {
      info.*row.in_info = static_cast<Value>(value != 0);
    } else if (value > 0) {
      info.*row.in_info = static_cast<Value>(value);
    }
  });
  for_each_row(Fields::declarations(), [&]<class Row>(const Row& row) {
    if constexpr (counts_roundoffs<Row>)
      fields.expect(
          static_cast<double>(declared.*row.in_plugin) <= most_roundoffs(row, info), row.name, declared.*row.in_plugin,
          fmt::format("at most {:g} where the roundoff is {:g}", most_roundoffs(row, info), info.unit_roundoff));
  });
  fields.expect(
      declared.alignment >= 0 && declared.alignment <= 4096 && (declared.alignment & (declared.alignment - 1)) == 0,
      "alignment", declared.alignment, "0, or a power of two up to 4096");
  info.support = declared_support<Fields>(declared, fields);
  return info;
}

}  // namespace assay::validation::transport
