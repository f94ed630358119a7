// Batches of users: .npz, and the .npy inside, which the checksums of an .npz hide from a fuzzer.
#include "tests/fuzz/targets.h"
#include "validation/core/npz.h"
#include "validation/ctc/diagnosis/advice.h"
#include "validation/ctc/diagnosis/diagnose.h"
#include "validation/registry.h"

namespace assay::validation::fuzz {
namespace {

template <class Operation>
void read_batch(const std::filesystem::path& path) {
  may_refuse([&] {
    std::vector<std::string> notes;
    const auto batch = Operation::read(path, notes);
    if constexpr (std::is_same_v<Operation, CtcOperation>) {
      constexpr int digits = 20;
      if (batch.activations.size() < 1000 && batch.T * batch.B < 1000) diagnose(batch, digits);
    }
    require_valid(batch);
  });
}

template <class Operation>
std::string batch() {
  Random random(1);
  const std::filesystem::path path = file_of("");
  Operation::write(path, Operation::generate(random, 10, {}));
  return content_of(path);
}

}  // namespace

void run_npz(const std::string& text) {
  const std::filesystem::path path = file_of(text);
  read_batch<CtcOperation>(path);
  read_batch<CceOperation>(path);
  read_batch<SvdOperation>(path);
}

std::vector<std::string> npz_seeds() {
  return {batch<CtcOperation>(), batch<CceOperation>(), batch<SvdOperation>()};
}

void run_npy(const std::string& text) {
  may_refuse([&] {
    const NpyArray array = parse_npy(text);
    std::size_t rounded = 0;
    may_refuse([&] { npy_floats(array, rounded); });
    may_refuse([&] { npy_doubles(array); });
    may_refuse([&] { npy_integers(array); });
    may_refuse([&] { npy_text(array); });
    may_refuse([&] { npy_flag(array); });
    may_refuse([&] { npy_number(array); });
    if (array.header.item_size == 2) may_refuse([&] { npy_floats(npy_from_bfloat16_bits(array), rounded); });
    parse_npy(format_npy(array));
  });
}

std::vector<std::string> npy_seeds() {
  const NpyArray bits{{'V', 2, false, true, {2, 1}}, "\x80\x3f\x01\xc0"};
  return {format_npy(npy_array(std::vector<float>{1, -2, 0.5F, 3}, {2, 2})),
          format_npy(npy_array(std::vector<double>{0.1, -0.0}, {2})),
          format_npy(npy_array(std::vector<std::int64_t>{-1}, {})),
          format_npy(npy_text_array("bfloat16")),
          format_npy(npy_flag_array(true)),
          format_npy(bits)};
}

}  // namespace assay::validation::fuzz
