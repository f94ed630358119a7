#include "validation/formula/pictures.h"

#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <string>

#include "validation/core/number.h"
#include "validation/formula/casts.h"
#include "validation/formula/within_bounds.h"

namespace assay::validation::formula {
namespace {

using reference::BigFloat;

/// For more elements the reference takes seconds.
constexpr std::size_t most_in_a_picture = 100'000;

double share_of(double got, const BigFloat& exact, double bound) {
  const BigFloat ours(got);
  if (!std::isfinite(bound) || same_kind(ours, exact)) return 0;
  return share_of_bound(absolute_difference(ours, exact), bound);
}

Picture picture_of_result(const std::string& name, const Shape& shape, const std::vector<double>& got,
                          const std::vector<BigFloat>& exact, const std::vector<double>& bounds) {
  const std::int64_t columns = shape.back(), rows = std::ssize(exact) / columns;
  const auto at = [&](std::int64_t row, std::int64_t column) {
    const auto i = static_cast<std::size_t>(row * columns + column);
    return share_of(got.at(i), exact[i], bounds[i]);
  };
  return picture_of(fmt::format("error of {} as a share of its bound", name), "row", "column", rows, columns, at);
}

bool has_picture(const Shape& shape, const std::vector<BigFloat>& exact) {
  return !shape.empty() && !exact.empty() && exact.size() <= most_in_a_picture;
}

}  // namespace

std::vector<Picture> pictures_of(const Subject& subject, const Case& c) {
  if (c.is_sampled || elements_of(c) > most_in_a_picture) return {};
  std::vector<Picture> pictures;
  const auto truth = truth_of(subject, c);
  if (subject.forward) {
    const auto traced = subject.trace(c.extents);
    const Doubles got = subject.forward(c);
    for (std::size_t k = 0; k < truth->outputs.size(); ++k)
      if (has_picture(traced->shapes[k], truth->outputs[k]) && truth->choices[k] == nullptr &&
          cast_of(traced->graph, traced->graph.outputs[k]) == nullptr)
        pictures.push_back(picture_of_result(fmt::format("output {}", k), traced->shapes[k], got.at(k),
                                             truth->outputs[k], truth->output_bounds[k]));
  }
  if (subject.backward) {
    const auto shapes = gradient_shapes(subject, c);
    const Doubles got = subject.backward(c);
    for (std::size_t k = 0; k < truth->gradients.size(); ++k)
      if (has_picture(shapes[k], truth->gradients[k]))
        pictures.push_back(picture_of_result(fmt::format("gradient {}", k), shapes[k], got.at(k), truth->gradients[k],
                                             truth->gradient_bounds[k]));
  }
  return pictures;
}

}  // namespace assay::validation::formula
