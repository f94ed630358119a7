// What kernels that are followed compute: the functions of arrays by which assay/_followed.py keeps residues.
#include "validation/python/residues.h"

#include <pybind11/stl.h>

#include <cstring>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "reference/formula/evaluate.h"
#include "validation/python/bindings.h"

namespace assay::python {
namespace {

namespace py = pybind11;
using reference::Followed;
using reference::Residue;
using reference::formula::Op;
namespace rules = reference::formula::detail;

using Operand = std::pair<FloatArray, ResidueArray>;

class Writer {
 public:
  explicit Writer(std::size_t count)
      : array_({static_cast<py::ssize_t>(count), static_cast<py::ssize_t>(residue_words)}) {
    std::memset(array_.mutable_data(), 0, count * sizeof(Residue));
  }
  void put(std::size_t i, const Residue& residue) {
    std::memcpy(array_.mutable_data() + residue_words * i, &residue, sizeof(residue));
  }
  ResidueArray array() const { return array_; }

 private:
  ResidueArray array_;
};

ResidueArray residues_of(const FloatArray& values, bool are_constants) {
  const std::span numbers(values.data(), static_cast<std::size_t>(values.size()));
  const auto constants = are_constants ? reference::residues_of_constants(numbers) : std::vector<Residue>();
  Writer writer(numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i)
    writer.put(i, are_constants ? constants[i] : Residue::of(numbers[i]));
  return writer.array();
}

/// exp2(x) = exp(x ln 2); log2(x) = log(x) log2(e).
Followed unary(const std::string& name, const Followed& x) {
  using Traits = reference::NumberTraits<Followed>;
  if (name == "exp2") return Traits::exp(x * Followed(std::numbers::ln2, reference::symbol_ln2()));
  if (name == "log2") return Traits::log(x) * Followed(std::numbers::log2e, reference::symbol_log2e());
  return rules::unary(reference::formula::op_called(name), x);
}

/// The residues of a function of one, two or three arrays of one size.
ResidueArray elementwise(const std::string& name, const std::vector<Operand>& operands) {
  const auto count = static_cast<std::size_t>(operands.at(0).first.size());
  for (const auto& [values, residues] : operands)
    if (static_cast<std::size_t>(values.size()) != count ||
        static_cast<std::size_t>(residues.size()) != residue_words * count)
      throw std::invalid_argument(name + ": expected operands of one size");
  Writer writer(count);
  const auto number = [&](std::size_t k, std::size_t i) {
    return followed_number(operands[k].first, operands[k].second, i);
  };
  for (std::size_t i = 0; i < count; ++i) {
    if (operands.size() == 1)
      writer.put(i, unary(name, number(0, i)).residue);
    else if (operands.size() == 2)
      writer.put(i, rules::binary(reference::formula::op_called(name), number(0, i), number(1, i)).residue);
    else
      writer.put(i, rules::chosen(number(0, i), number(1, i), number(2, i)).residue);
  }
  return writer.array();
}

/// Reduces rows of `inner` elements: to one result a row, or with `is_scan` to the result so far at each element.
ResidueArray reduced(const std::string& name, const FloatArray& values, const ResidueArray& residues, std::size_t inner,
                     bool is_scan) {
  const Op op = reference::formula::op_called(name);
  const std::vector<Followed> numbers = followed_numbers(values, residues);
  const std::size_t rows = inner == 0 ? 0 : numbers.size() / inner;
  Writer writer(is_scan ? numbers.size() : rows);
  for (std::size_t row = 0; row < rows; ++row) {
    const auto elements = std::span(numbers).subspan(row * inner, inner);
    if (!is_scan) {
      writer.put(row, rules::reduced<Followed>(op, elements).residue);
      continue;
    }
    Followed so_far = elements[0];
    for (std::size_t k = 0; k < inner; ++k) {
      if (k > 0) so_far = rules::reduced<Followed>(op, std::vector{so_far, elements[k]});
      writer.put(row * inner + k, so_far.residue);
    }
  }
  return writer.array();
}

/// [batch, rows, inner] x [batch, inner, columns].
ResidueArray matmul(const Operand& left, const Operand& right, std::int64_t batch, std::int64_t rows,
                    std::int64_t inner, std::int64_t columns) {
  reference::formula::Node node{Op::matmul, batch * rows * columns};
  node.rows = rows, node.inner = inner, node.columns = columns;
  const auto a = followed_numbers(left.first, left.second), b = followed_numbers(right.first, right.second);
  Writer writer(static_cast<std::size_t>(node.size));
  for (std::int64_t i = 0; i < node.size; ++i)
    writer.put(static_cast<std::size_t>(i), rules::inner_product<Followed>(node, a, b, i).residue);
  return writer.array();
}

}  // namespace

std::pair<FloatArray, ResidueArray> arrays_of(const std::vector<Followed>& numbers) {
  FloatArray values(static_cast<py::ssize_t>(numbers.size()));
  Writer writer(numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    values.mutable_data()[i] = numbers[i].value;
    writer.put(i, numbers[i].residue);
  }
  return {values, writer.array()};
}

void add_residues(py::module_& core) {
  core.def("chain_in_use", [] { return std::pair(reference::chain_in_use, reference::roots_are_turned); });
  core.def("residues_of", &residues_of);
  core.def("residues_elementwise", &elementwise);
  core.def("residues_reduced", &reduced);
  core.def("residues_matmul", &matmul);
}

}  // namespace assay::python
