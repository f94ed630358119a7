// Matrices whose elements are spread over the lanes of one or more simdgroups: Metal Shading Language Specification 4,
// section 2.22, and Metal Performance Primitives.
//
// No document says which lane has which element; shaders ask get_multidimensional_index(). Some published ones know it,
// and are followed here: fragments of 16 x 16, in each of which a lane has four neighbours of a row, and four of the
// row that is eight further down. Fragments are numbered along the rows, and go to the simdgroups in turn.
#pragma once

#include <assay/compute.h>
#include <assay/tensor.h>

namespace metal {

template <int count>
struct execution_simdgroups {
  static constexpr int simdgroups = count;
};
using execution_simdgroup = execution_simdgroups<1>;

namespace assay_detail {

inline constexpr int fragment_side = 16, elements_per_fragment = 8;

ASSAY_OWN constexpr int fragments(int extent) {
  return (extent + fragment_side - 1) / fragment_side;
}

}  // namespace assay_detail

template <class T, int rows, int columns, int simdgroups>
class cooperative_tensor {
 public:
  using element_type = T;

  ASSAY_IN_PLACE T& operator[](uint16_t n) { return elements[n]; }
  ASSAY_IN_PLACE const T& operator[](uint16_t n) const { return elements[n]; }

  /// The number of elements that a lane has, some of which may be outside of the matrix.
  static constexpr uint16_t get_capacity() { return capacity; }
  ASSAY_OWN bool is_valid_element(uint16_t n) const { return at(n).is_valid; }
  ASSAY_OWN bool get_mask(uint16_t n) const { return at(n).is_valid; }
  /// The column, then the row.
  ASSAY_OWN array<int, 2> get_multidimensional_index(uint16_t n) const {
    const Place place = at(n);
    return {place.column, place.row};
  }

  /// Elements outside of the tensor's extents are 0.
  template <class Tensor>
  ASSAY_IN_PLACE void load(const Tensor& from) {
    for (uint16_t n = 0; n < capacity; ++n) {
      const Place place = at(n);
      elements[n] = place.is_inside(from) ? T(*from.place(place.row, place.column)) : T(0);
    }
  }
  /// Elements outside of the tensor's extents are left out.
  template <class Tensor>
  ASSAY_IN_PLACE void store(const Tensor& to) const {
    for (uint16_t n = 0; n < capacity; ++n) {
      const Place place = at(n);
      if (place.is_inside(to)) *to.place(place.row, place.column) = typename Tensor::value_type(elements[n]);
    }
  }

  struct Place {
    int row, column;
    bool is_valid;
    template <class Tensor>
    ASSAY_OWN bool is_inside(const Tensor& tensor) const {
      return is_valid && column < int(tensor.get_extent(0)) && row < int(tensor.get_extent(1));
    }
  };
  ASSAY_OWN static Place at(uint16_t n) { return at(n, assay_detail::lane_of_group()); }
  ASSAY_OWN static Place at(uint16_t n, assay_detail::LaneOfGroup mine) {
    constexpr int across = assay_detail::fragments(columns), side = assay_detail::fragment_side;
    const int fragment = n / assay_detail::elements_per_fragment * simdgroups + int(mine.simdgroup) % simdgroups;
    const int inside = n % assay_detail::elements_per_fragment, quarter = int(mine.lane) >> 2;
    const int row = fragment / across * side + (quarter & 4) + (int(mine.lane) >> 1 & 3) + inside / 4 * 8;
    const int column = fragment % across * side + ((quarter & 2) + (int(mine.lane) & 1)) * 4 + inside % 4;
    return {row, column, fragment < count && row < rows && column < columns};
  }

  static constexpr int count = assay_detail::fragments(rows) * assay_detail::fragments(columns);
  static constexpr uint16_t capacity = (count + simdgroups - 1) / simdgroups * assay_detail::elements_per_fragment;
  T elements[capacity];
};

}  // namespace metal
