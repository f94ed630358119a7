// One run of a shader: makes the buffers and runs the passes in order.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "metal/device/command_queue.h"
#include "metal/device/device.h"
#include "metal/device/library.h"
#include "validation/transport/metal/binding.h"
#include "validation/transport/metal/call.h"

namespace assay::validation::transport {

class MetalRun {
 public:
  /// All arguments must outlive the run. Throws like run().
  MetalRun(metal::Device& device, metal::Library& library, const MetalBinding& binding, const MetalCall& call);

  /// Throws std::runtime_error like MetalShader::run.
  void run();

 private:
  void make_arrays();
  void make_scratch();
  void fill();
  void set_step_limit();
  void add_buffer(const std::string& name, std::uint64_t bytes);
  metal::FunctionConstants constants() const;

  void run_passes(const std::vector<MetalPass>& passes);
  void repeat(const MetalPass& pass);
  void dispatch(const MetalPass& pass);
  void expect_few_threads(const MetalPass& pass, metal::Size threads) const;
  void encode(const MetalPass& pass, metal::Size grid, metal::Size group, metal::ComputeCommandEncoder& encoder) const;
  std::vector<std::byte> bytes_of(const MetalBound& bound) const;
  metal::Size size_of(const std::vector<MetalExpression>& extents) const;
  void expect_inputs_kept() const;

  metal::Device& device_;
  metal::Library& library_;
  const MetalBinding& binding_;
  const MetalCall& call_;
  MetalVariables variables_;  ///< those of the call and of the repeats
  std::uint64_t step_limit_ = 0;
  std::int64_t passes_ = 0;  ///< run so far
  std::shared_ptr<metal::CommandQueue> queue_;
  std::map<std::string, std::shared_ptr<metal::Buffer>> buffers_;  ///< by array; an empty array has none
};

}  // namespace assay::validation::transport
