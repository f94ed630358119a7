// tensor and extents: Metal Shading Language Specification 4, section 2.22. The first extent is that along which
// elements are neighbours in memory: of a matrix, the number of its columns.
#pragma once

#include <assay/containers.h>
#include <assay/scalar.h>

namespace metal {

inline constexpr size_t dynamic_extent = size_t(-1);

template <class Index, size_t... sizes>
struct extents {
  using index_type = Index;
  Index of[sizeof...(sizes)];

  constexpr extents() : of{Index(sizes)...} {}
  template <class... Given, class = enable_if_t<sizeof...(Given) == sizeof...(sizes)>>
  constexpr extents(Given... given) : of{Index(given)...} {}

  static constexpr size_t rank() { return sizeof...(sizes); }
  static constexpr size_t static_extent(size_t n) {
    const size_t all[] = {sizes...};
    return all[n];
  }
  ASSAY_OWN constexpr Index extent(size_t n) const { return of[n]; }
};

namespace assay_detail {
template <class Index, size_t rank, size_t... sizes>
struct Dynamic : Dynamic<Index, rank - 1, dynamic_extent, sizes...> {};
template <class Index, size_t... sizes>
struct Dynamic<Index, 0, sizes...> {
  using type = extents<Index, sizes...>;
};
}  // namespace assay_detail
template <class Index, size_t rank>
using dextents = typename assay_detail::Dynamic<Index, rank>::type;

struct tensor_inline {};
struct tensor_offset {};
/// Made by the host. The emulator has none, and refuses a kernel that takes one.
struct tensor_handle;

/// A view of memory. Its elements are read and written by tensor operations and cooperative tensors.
template <class T, class Extents, class Kind = tensor_handle, class... Options>
class tensor {
 public:
  using element_type = T;
  using value_type = remove_cv_t<T>;
  using extents_type = Extents;
  using index_type = typename Extents::index_type;
  using data_handle_type = T*;
  static constexpr size_t rank = Extents::rank();

  /// Elements without gaps.
  ASSAY_OWN constexpr tensor(T* data, Extents sizes) : data_(data), sizes_(sizes) {
    long stride = 1;
    for (size_t n = 0; n < rank; ++n) strides_[n] = stride, stride *= sizes.extent(n);
  }
  template <class Stride>
  ASSAY_OWN constexpr tensor(T* data, Extents sizes, array<Stride, Extents::rank()> strides)
      : data_(data), sizes_(sizes) {
    for (size_t n = 0; n < rank; ++n) strides_[n] = strides.elements[n];
  }

  static constexpr size_t get_rank() { return rank; }
  ASSAY_OWN constexpr index_type get_extent(size_t n) const { return sizes_.extent(n); }
  ASSAY_OWN constexpr long get_stride(size_t n) const { return strides_[n]; }

  /// The part of the tensor from `origin` to its end.
  template <class... Origin>
  ASSAY_OWN constexpr tensor<T, dextents<index_type, rank>, tensor_inline> slice(Origin... origin) const {
    return part<dextents<index_type, rank>>({index_type(origin)...});
  }
  /// A part of these extents, which must lie inside: nothing compares it with the tensor's own extents.
  template <size_t... sizes, class... Origin, class = enable_if_t<sizeof...(sizes) == sizeof...(Origin)>>
  ASSAY_OWN constexpr tensor<T, extents<index_type, sizes...>, tensor_inline> slice(Origin... origin) const {
    return part<extents<index_type, sizes...>>({index_type(origin)...});
  }

  /// The address of a matrix's element.
  ASSAY_OWN constexpr T* place(index_type row, index_type column) const {
    return data_ + column * strides_[0] + row * strides_[1];
  }

 private:
  struct Origin {
    index_type of[Extents::rank()];
  };
  template <class Sizes>
  ASSAY_OWN constexpr tensor<T, Sizes, tensor_inline> part(Origin origin) const {
    T* begin = data_;
    Sizes left;
    array<long, rank> strides{};
    for (size_t n = 0; n < rank; ++n) {
      begin += origin.of[n] * strides_[n];
      strides.elements[n] = strides_[n];
      if (Sizes::static_extent(n) == dynamic_extent) left.of[n] = sizes_.extent(n) - origin.of[n];
    }
    return {begin, left, strides};
  }

  T* data_;
  Extents sizes_;
  long strides_[Extents::rank()] = {};
};
template <class T, class Extents>
tensor(T*, Extents) -> tensor<T, Extents, tensor_inline>;
template <class T, class Extents, class Stride, size_t rank>
tensor(T*, Extents, array<Stride, rank>) -> tensor<T, Extents, tensor_inline>;

}  // namespace metal
