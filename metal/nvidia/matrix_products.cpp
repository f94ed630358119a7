#include "metal/nvidia/matrix_products.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

namespace assay::metal::nvidia {

namespace {

using Pair = std::array<std::string_view, 2>;

/// One row of matrices of an instruction: `sums` plus the products of one or two left factors.
struct Rows {
  Pair results, sums;
  std::vector<std::string_view> left;
};

/// An instruction that takes the place of line `last`, and of earlier ones.
struct Product {
  std::string_view type;
  std::vector<Rows> rows;
  std::vector<std::string_view> right;
  std::size_t last = 0;
};

constexpr std::string_view opcode = "assay.product.";

bool is_of_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '.';
}

/// The registers that a text names, in order.
std::vector<std::string_view> registers_in(std::string_view text) {
  std::vector<std::string_view> found;
  for (std::size_t at = text.find('%'); at != std::string_view::npos; at = text.find('%', at + 1)) {
    std::size_t end = at + 1;
    while (end < text.size() && is_of_name(text[end])) ++end;
    found.push_back(text.substr(at, end - at));
  }
  return found;
}

/// The registers that an instruction may write: those of its first operand.
std::vector<std::string_view> written_by(std::string_view line) {
  const std::size_t brace = line.find('{'), comma = line.find(',');
  const bool is_group = brace < comma;
  return registers_in(line.substr(0, is_group ? line.find('}') : comma));
}

std::optional<Product> product_in(std::string_view line, std::size_t number) {
  const std::size_t at = line.find(opcode);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view rest = line.substr(at + opcode.size());
  const std::vector<std::string_view> named = registers_in(rest);
  if (named.size() != 6) return std::nullopt;
  return Product{
      rest.substr(0, rest.find(' ')), {{{named[0], named[1]}, {named[4], named[5]}, {named[2]}}}, {named[3]}, number};
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1);
    lines.push_back(text.substr(0, end + 1));
    text.remove_prefix(end + 1);
  }
  return lines;
}

/// Joins the products of a function.
class Joiner {
 public:
  explicit Joiner(const std::vector<std::string_view>& lines, std::size_t first, std::size_t last) {
    for (std::size_t n = first; n < last; ++n) {
      for (const std::string_view name : registers_in(lines[n])) mentions_[name].push_back(n);
      for (const std::string_view name : written_by(lines[n])) writes_[name].push_back(n);
    }
  }

  /// The products of a basic block, in order, of which fewer are left.
  void join(std::vector<Product>& products) const {
    join_if(
        products, [&](const Product& a, const Product& b) { return follows(a, b); },
        [](Product& a, const Product& b) {
          a.rows[0].results = b.rows[0].results;
          a.rows[0].left.push_back(b.rows[0].left[0]);
          a.right.push_back(b.right[0]);
        });
    join_if(
        products, [&](const Product& a, const Product& b) { return are_neighbours(a, b); },
        [](Product& a, const Product& b) { a.rows.push_back(b.rows[0]); });
  }

 private:
  using Places = std::map<std::string_view, std::vector<std::size_t>>;

  /// Whether the registers are in a line of (first, last).
  static bool is_between(const Places& places, std::string_view name, std::size_t first, std::size_t last) {
    const auto found = places.find(name);
    if (found == places.end()) return false;
    const auto next = std::ranges::upper_bound(found->second, first);
    return next != found->second.end() && *next < last;
  }
  bool are_mentioned(const Pair& names, std::size_t first, std::size_t last) const {
    return is_between(mentions_, names[0], first, last) || is_between(mentions_, names[1], first, last);
  }

  /// Whether product `a` can be computed in line `last` instead.
  bool can_wait(const Product& a, std::size_t last) const {
    const auto is_written = [&](std::string_view name) { return is_between(writes_, name, a.last, last); };
    return std::ranges::none_of(a.rows[0].sums, is_written) && std::ranges::none_of(a.rows[0].left, is_written) &&
           std::ranges::none_of(a.right, is_written);
  }

  /// Whether `b` adds to what `a` has summed, and nothing else takes that.
  bool follows(const Product& a, const Product& b) const {
    const Pair& sums = a.rows[0].results;
    if (a.type != b.type || a.right.size() != 1 || b.rows[0].sums != sums || !can_wait(a, b.last)) return false;
    if (are_mentioned(sums, a.last, b.last)) return false;
    if (b.rows[0].results == sums) return true;
    return std::ranges::all_of(sums, [&](std::string_view name) { return mentions_.at(name).size() == 2; });
  }

  /// Whether the two have the same right factors, and `b` and all before it do without what `a` has summed.
  bool are_neighbours(const Product& a, const Product& b) const {
    return a.type == b.type && a.right == b.right && a.rows.size() == 1 && can_wait(a, b.last) &&
           !are_mentioned(a.rows[0].results, a.last, b.last + 1);
  }

  /// Joins each product to the nearest one before it that it may join, which then takes its place.
  template <class May, class Join>
  static void join_if(std::vector<Product>& products, const May& may, const Join& join) {
    std::vector<Product> joined;
    for (const Product& product : products) {
      const auto before =
          std::find_if(joined.rbegin(), joined.rend(), [&](const Product& a) { return may(a, product); });
      if (before == joined.rend()) {
        joined.push_back(product);
        continue;
      }
      Product both = *before;
      join(both, product);
      both.last = product.last;
      joined.erase(std::next(before).base());
      joined.push_back(std::move(both));
    }
    products = std::move(joined);
  }

  Places mentions_, writes_;
};

/// One row of matrices alone fills both halves of the instruction, of which the second is thrown away.
std::string instruction(const Product& product) {
  const bool is_alone = product.rows.size() == 1;
  const Rows &upper = product.rows[0], &lower = product.rows[is_alone ? 0 : 1];
  std::string left;
  for (std::size_t k = 0; k < upper.left.size(); ++k)
    left += fmt::format("{}{}, {}", k == 0 ? "" : ", ", upper.left[k], lower.left[k]);
  const Pair thrown_away = {"%assay_other0", "%assay_other1"}, &results = is_alone ? thrown_away : lower.results;
  const std::string text = fmt::format(
      "mma.sync.aligned.m16n8k{0}.row.col.f32.{1}.{1}.f32 {{{2}, {3}, {4}, {5}}}, {{{6}}}, {{{7}{8}}}, {{{9}, {10}, "
      "{11}, "
      "{12}}};",
      8 * product.right.size(), product.type, upper.results[0], upper.results[1], results[0], results[1], left,
      product.right[0], product.right.size() == 1 ? "" : fmt::format(", {}", product.right[1]), upper.sums[0],
      upper.sums[1], lower.sums[0], lower.sums[1]);
  return is_alone ? fmt::format("\t{{ .reg .f32 %assay_other<2>; {} }}\n", text) : fmt::format("\t{}\n", text);
}

/// Whether a basic block ends in this line, whatever clang remarks behind it.
bool ends_block(std::string_view line) {
  const std::string_view code = line.substr(0, line.find("//"));
  const std::size_t end = code.find_last_not_of(" \t\r\n");
  if (end == std::string_view::npos) return false;
  return code[end] == ':' || code[end] == '}' || code.find("bra") != std::string_view::npos ||
         code.find("ret;") != std::string_view::npos || code.find("call") != std::string_view::npos;
}

}  // namespace

std::string with_matrix_products(const std::string& ptx) {
  if (ptx.find(opcode) == std::string::npos) return ptx;
  const std::vector<std::string_view> lines = lines_of(ptx);
  std::vector<std::string> written(lines.size());
  std::vector<bool> is_replaced(lines.size(), false);
  std::size_t begin = 0;
  for (std::size_t n = 0; n < lines.size(); ++n) {
    if (lines[n].front() != '}') continue;
    const Joiner joiner(lines, begin, n);
    std::vector<Product> products;
    for (std::size_t line = begin; line <= n; ++line) {
      if (auto product = product_in(lines[line], line)) {
        is_replaced[line] = true;
        products.push_back(std::move(*product));
      } else if (ends_block(lines[line])) {
        joiner.join(products);
        for (const Product& joined : products) written[joined.last] = instruction(joined);
        products.clear();
      }
    }
    begin = n + 1;
  }
  std::string text;
  for (std::size_t n = 0; n < lines.size(); ++n)
    if (is_replaced[n])
      text += written[n];
    else
      text += lines[n];
  return text;
}

}  // namespace assay::metal::nvidia
