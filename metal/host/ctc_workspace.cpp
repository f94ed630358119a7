#include "metal/host/ctc_workspace.h"

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "metal/host/buffers.h"

namespace assay::metal::host {

namespace {

/// Fills a workspace up to the first buffer that there is no memory for.
class Allocation {
 public:
  explicit Allocation(Device& device) : device_(device) {}

  template <class T>
  void copy(std::uint32_t index, const char* name, const std::vector<T>& values) {
    if (!error_) keep(index, new_buffer(device_, "ctc", name, std::as_bytes(std::span(values))));
  }
  void reserve(std::uint32_t index, const char* name, std::uint64_t bytes) {
    if (!error_) keep(index, new_buffer(device_, "ctc", name, bytes));
  }
  Result<CtcWorkspace> take() {
    if (error_) return tl::unexpected(*error_);
    return std::move(workspace_);
  }

 private:
  void keep(std::uint32_t index, Result<std::shared_ptr<Buffer>> buffer) {
    if (buffer)
      workspace_[index] = std::move(*buffer);
    else
      error_ = buffer.error();
  }

  Device& device_;
  CtcWorkspace workspace_;
  std::optional<Error> error_;
};

}  // namespace

Result<CtcWorkspace> ctc_workspace(Device& device, const CtcStatement& statement, const CtcRows& tables,
                                   const CtcSpace& space) {
  const bool is_plain = statement.path == CtcPath::plain;
  const std::uint64_t element = ctc_space_element(statement.path);
  const std::uint64_t emissions = is_plain ? statement.elements() : space.emissions;
  Allocation allocation(device);
  allocation.copy(ctc::rows_index, "rows", tables.rows);
  allocation.copy(ctc::slots_index, "slots", tables.slots);
  allocation.copy(ctc::order_index, "order", tables.order);
  allocation.copy(ctc::ends_index, "ends", tables.ends);
  allocation.copy(ctc::classes_index, "classes", tables.classes);
  allocation.reserve(ctc::emissions_index, "emissions", emissions * element);
  allocation.reserve(ctc::normalizers_index, "normalizers", statement.frames() * sizeof(float));
  allocation.reserve(ctc::alpha_index, "alpha", space.alpha * element);
  if (statement.with_gradient) allocation.reserve(ctc::beta_index, "beta", space.beta * element);
  if (statement.is_reduced) allocation.reserve(ctc::losses_index, "losses", tables.rows.size() * sizeof(float));
  return allocation.take();
}

}  // namespace assay::metal::host
