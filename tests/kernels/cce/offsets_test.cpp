// Rows that begin beyond 2^32 elements, in buffers of which only a few pages are ever touched.
#include <cstring>
#include <map>

#include "metal/host/kernel_file.h"
#include "metal/kernels/cce/interface.h"
#include "tests/kernels/cce/bench.h"
#include "tests/kernels/cce/paths.h"

namespace assay::metal::test {
namespace {

constexpr std::uint32_t H = 17, V = 5, far_row = 1U << 28;
constexpr std::uint64_t far_bytes = (std::uint64_t{far_row} + V) * H * sizeof(Half);

/// The case that all others are to equal: two tokens in rows 0 and 1.
CceCase near_case() {
  return some_cce(2, H, V, true);
}

/// Dispatches of half on buffers of a test's own, where the host would take its own.
class Direct {
 public:
  Direct() : device_(options()), library_(or_throw(device_.new_library_from_file(host::kernel_file("cce/cce.metal")))) {
    shape_.H = H;
    shape_.V = V;
    shape_.M = 2;
    shape_.tokens = 2;
    shape_.entries = V;
    shape_.chunk = 32;
    shape_.keep = 1;
    make(cce::lse_index, 2 * sizeof(cce::LogSum));
    make(cce::losses_index, 2 * sizeof(float));
    make(cce::scores_index, 1 << 16);
    make(cce::sums_index, 1 << 16);
  }

  bool has_room() const { return device_.limits().max_buffer_length >= far_bytes; }

  void make(cce::BufferIndex index, std::uint64_t bytes) { buffers_[index] = or_throw(device_.new_buffer(bytes, "")); }
  void give_tokens(std::uint32_t second_row, const CceCase& c) {
    const cce::Token tokens[] = {{0, static_cast<std::uint32_t>(c.targets[0]), 1},
                                 {second_row, static_cast<std::uint32_t>(c.targets[1]), 1}};
    make(cce::tokens_index, sizeof(tokens));
    std::memcpy(buffers_[cce::tokens_index]->contents(), tokens, sizeof(tokens));
  }
  /// Rows first .. first + count - 1 of a matrix, as half, to `row` and on.
  void put(cce::BufferIndex index, const std::vector<float>& matrix, std::size_t first, std::size_t count,
           std::uint64_t row, std::size_t width = H) {
    const std::vector<Half> values = converted<Half>(matrix);
    std::memcpy(buffers_[index]->contents() + row * width * sizeof(Half), values.data() + first * width,
                count * width * sizeof(Half));
  }
  /// Whether the row has the bits of `expected`, [H].
  bool has(cce::BufferIndex index, std::uint64_t row, const Half* expected) {
    return std::memcmp(buffers_[index]->contents() + row * H * sizeof(Half), expected, H * sizeof(Half)) == 0;
  }

  void run(const std::string& kernel, std::uint64_t groups, std::uint64_t threads) {
    run(kernel, Size{groups, 1, 1}, threads);
  }
  void run(const std::string& kernel, Size groups, std::uint64_t threads) {
    FunctionConstants constants;
    for (std::uint32_t index = 0; index <= cce::with_dbias_constant; ++index)
      constants.set(index, index == cce::has_bias_constant || index == cce::with_dweight_constant);
    const auto pipeline = or_throw(device_.new_pipeline(or_throw(library_->new_function(kernel, constants))));
    const auto commands = queue_->command_buffer();
    const auto encoder = or_throw(commands->compute_encoder());
    encoder->set_pipeline(pipeline);
    encoder->set_bytes(std::as_bytes(std::span(&shape_, 1)), cce::shape_index);
    for (const auto& [index, buffer] : buffers_) encoder->set_buffer(buffer, 0, static_cast<std::uint32_t>(index));
    encoder->dispatch_threadgroups(groups, {threads, 1, 1});
    or_throw(encoder->end_encoding());
    or_throw(commands->commit());
    or_throw(commands->wait_until_completed());
    if (commands->error()) throw std::runtime_error(commands->error()->text);
  }

  cce::Shape& shape() { return shape_; }

 private:
  static emulator::EmulatorOptions options() {
    emulator::EmulatorOptions options;
    options.is_checked = false;  // which would write to each page
    return options;
  }

  emulator::EmulatorDevice device_;
  std::shared_ptr<Library> library_;
  std::shared_ptr<CommandQueue> queue_ = device_.new_command_queue();
  cce::Shape shape_{};
  std::map<cce::BufferIndex, std::shared_ptr<Buffer>> buffers_;
};

class CceOffsets : public testing::TestWithParam<CcePath> {
 protected:
  void SetUp() override {
    if (!direct_.has_room()) GTEST_SKIP() << "the emulator takes no buffer of " << far_bytes << " bytes here";
  }
  void run_forward() {
    if (GetParam() == CcePath::plain) return direct_.run("cce_plain_forward_half", 2, 32);
    direct_.run("cce_logits_half", 1, cce::product_threads);
    direct_.run("cce_loss_half", 2, 32);
  }
  /// On `rows` tokens or entries.
  void run_backward(const std::string& which, std::uint64_t rows) {
    if (GetParam() == CcePath::plain) return direct_.run("cce_plain_" + which + "_half", rows, 32);
    direct_.run("cce_logits_half", 1, cce::product_threads);
    direct_.run("cce_differentiate_half", {1, 2, 1}, cce::product_threads);
    direct_.run("cce_" + which + "_half", 1, cce::product_threads);
  }

  CceCase c_ = near_case();
  CceResults<Half> expected_ = CceBench({.path = GetParam(), .chunk = 32}).run<Half>(c_);
  Direct direct_;
};

TEST_P(CceOffsets, OfATokensRow) {
  for (const cce::BufferIndex index : {cce::hidden_index, cce::dhidden_index}) direct_.make(index, far_bytes);
  direct_.make(cce::weight_index, V * H * sizeof(Half));
  direct_.make(cce::bias_index, V * sizeof(Half));
  direct_.give_tokens(far_row, c_);
  direct_.put(cce::hidden_index, c_.hidden, 0, 1, 0);
  direct_.put(cce::hidden_index, c_.hidden, 1, 1, far_row);
  direct_.put(cce::weight_index, c_.weight, 0, V, 0);
  direct_.put(cce::bias_index, c_.bias, 0, V, 0, 1);
  run_forward();
  run_backward("dhidden", 2);
  EXPECT_TRUE(direct_.has(cce::dhidden_index, 0, expected_.dhidden.data()));
  EXPECT_TRUE(direct_.has(cce::dhidden_index, far_row, expected_.dhidden.data() + H));
}

/// The last entries of a vocabulary of which only those are looked at: lse is as if there were no others.
TEST_P(CceOffsets, OfARowOfWeight) {
  direct_.make(cce::hidden_index, 2 * H * sizeof(Half));
  for (const cce::BufferIndex index : {cce::weight_index, cce::dweight_index}) direct_.make(index, far_bytes);
  direct_.make(cce::bias_index, (std::uint64_t{far_row} + V) * sizeof(Half));
  direct_.give_tokens(1, c_);
  direct_.put(cce::hidden_index, c_.hidden, 0, 2, 0);
  direct_.put(cce::weight_index, c_.weight, 0, V, 0);
  direct_.put(cce::bias_index, c_.bias, 0, V, 0, 1);
  run_forward();
  CceCase moved = c_;
  for (std::int64_t& target : moved.targets) target += far_row;
  direct_.give_tokens(1, moved);
  direct_.put(cce::weight_index, c_.weight, 0, V, far_row);
  direct_.put(cce::bias_index, c_.bias, 0, V, far_row, 1);
  direct_.shape().V = far_row + V;
  direct_.shape().first_entry = far_row;
  run_backward("dweight", V);
  for (std::uint32_t v = 0; v < V; ++v)
    EXPECT_TRUE(direct_.has(cce::dweight_index, far_row + v, expected_.dweight.data() + v * H)) << v;
}

INSTANTIATE_TEST_SUITE_P(All, CceOffsets, both_paths(), name_of_path);

}  // namespace
}  // namespace assay::metal::test
