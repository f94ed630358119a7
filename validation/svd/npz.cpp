#include "validation/svd/npz.h"

#include <cmath>
#include <utility>

#include "validation/core/npz_batch.h"

namespace assay::validation {
namespace {

Dtype dtype_of(const NpzBatch& arrays) {
  if (arrays.find("dtype") != nullptr) return static_cast<Dtype>(arrays.choice("dtype", dtype_names()));
  const std::size_t bytes = arrays.get("A").header.item_size;
  return bytes == 2 ? Dtype::float16 : bytes == 8 ? Dtype::float64 : Dtype::float32;
}

SvdCase read_arrays(const NpzBatch& arrays) {
  const NpyArray& A = arrays.get("A");
  Shape shape = A.header.shape;
  if (shape.size() == 2) shape.insert(shape.begin(), 1);
  if (shape.size() != 3) refuse("A: {}: expected [B, M, N] or [M, N]", A.header.summary());
  SvdCase c{shape[0], shape[1], shape[2], dtype_of(arrays), NpzBatch::doubles("A", A)};
  for (const double value : c.A)
    if (!std::isnan(value) && rounded_to<double>(c.dtype, value) != value)
      refuse("A: {} is not a number of {}: round the array first", value, name_of(c.dtype));
  return c;
}

NpyArray to_array(const SvdCase& c) {
  if (c.dtype == Dtype::float64) return npy_array(c.A, {c.B, c.M, c.N});
  return npy_array(std::vector<float>(c.A.begin(), c.A.end()), {c.B, c.M, c.N});
}

}  // namespace

SvdCase read_svd_npz(const std::filesystem::path& path, std::vector<std::string>& notes) try {
  const NpzBatch arrays(read_npz_archive(path, {"A", "dtype"}), "A", notes);
  SvdCase c = read_arrays(arrays);
  arrays.note_others();
  return c;
} catch (const std::exception& error) {
  throw std::runtime_error(fmt::format("{}: {}", path.string(), error.what()));
}

void write_npz(const std::filesystem::path& path, const SvdCase& c) {
  write_npz_archive(path, {{"A", to_array(c)}, {"dtype", npy_text_array(name_of(c.dtype))}});
}

}  // namespace assay::validation
