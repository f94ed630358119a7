#include "metal/emulator/air/divergence.h"

#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include "metal/emulator/air/control_flow.h"
#include "metal/emulator/numerics/ir_text.h"

namespace assay::metal::emulator::air {

namespace {

/// Functions whose result is the same in all lanes, whatever they are given.
bool is_same_in_all_lanes(std::string_view callee) {
  static constexpr std::array<std::string_view, 10> families = {"sum", "product", "min", "max", "and",
                                                                "or",  "xor",     "all", "any", "broadcast_first"};
  if (!callee.starts_with("@air.simd_")) return false;
  callee.remove_prefix(10);
  return std::ranges::find(families, callee.substr(0, callee.find('.'))) != families.end();
}

/// Functions that take a value from a lane: if all lanes name the same one, their results are the same.
bool is_of_one_lane(std::string_view callee) {
  return callee.starts_with("@air.simd_shuffle.") || callee.starts_with("@air.simd_broadcast.");
}

/// Functions whose result may differ between lanes, even of the same arguments.
bool is_own_of_a_lane(std::string_view callee) {
  static constexpr std::array<std::string_view, 5> begins = {"@air.simd_prefix_", "@air.quad_", "@air.simd_is_first",
                                                             "@air.get_thread_index_in_simdgroup", "@air.atomic."};
  return std::ranges::any_of(begins, [&](std::string_view one) { return callee.starts_with(one); });
}

bool is_own_position(std::string_view attribute) {
  return (attribute.starts_with("thread_position_in") || attribute.starts_with("thread_index_in") ||
          attribute == "quadgroup_index_in_threadgroup");
}

/// Follows what varies through a module, until nothing new does.
class Walk {
 public:
  Walk(std::string_view module, const KernelMetadata& kernel) {
    for (FlowFunction& function : functions_of(module)) {
      const std::string_view name = function.name;
      functions_.emplace(name, State(std::move(function)));
    }
    const auto start = functions_.find(kernel.function);
    if (start == functions_.end()) return;
    State& state = start->second;
    state.is_kernel = true;
    for (std::size_t n = 0; n < std::min(kernel.arguments.size(), state.flow.parameters.size()); ++n)
      if (is_own_position(kernel.arguments[n].attribute)) state.varying.insert(state.flow.parameters[n]);
    while (functions_changed()) {
    }
  }

  template <class Visit>
  void for_each_parted(const Visit& visit) const {
    for (const auto& [name, state] : functions_)
      for (std::size_t n = 0; n < state.flow.blocks.size(); ++n)
        if (state.parted[n] || state.is_parted) visit(name, state.flow.blocks[n].label);
  }

 private:
  struct State {
    explicit State(FlowFunction function)
        : flow(std::move(function)), joins(post_dominators(flow)), parted(flow.blocks.size()), split(parted) {}
    FlowFunction flow;
    std::vector<std::size_t> joins;      ///< where the ways from a block meet
    std::set<std::string_view> varying;  ///< values
    std::vector<bool> parted;            ///< blocks
    std::vector<bool> split;             ///< blocks at whose end lanes part
    bool is_parted = false;              ///< where it is called
    bool is_kernel = false;
  };

  bool functions_changed() {
    has_changed_ = false;
    for (auto& [name, state] : functions_)
      for (std::size_t n = 0; n < state.flow.blocks.size(); ++n) visit(state, n);
    return has_changed_;
  }

  void visit(State& state, std::size_t n) {
    const FlowBlock& block = state.flow.blocks[n];
    const bool is_parted = state.parted[n] || state.is_parted;
    for (const FlowLine& line : block.lines) {
      const bool varies = is_parted || this->varies(state, line) || is_chosen(state, line);
      if (!line.result.empty() && varies) has_changed_ |= state.varying.insert(line.result).second;
      if (const auto called = functions_.find(line.callee); called != functions_.end())
        pass(state, line, is_parted, called->second);
    }
    if (block.successors.size() > 1 && any_varies(state, block.condition) && !is_early_return(state, n)) part(state, n);
  }

  /// Lanes that have ended are not waited for. Those that leave a loop in order to end may wait for the others first.
  static bool is_early_return(const State& state, std::size_t n) {
    const auto returns = [&](std::size_t to) {
      const auto& lines = state.flow.blocks[to].lines;
      return std::ranges::all_of(lines,
                                 [](const FlowLine& line) {
                                   return line.opcode == "ret" || line.callee.starts_with("@llvm.lifetime.end");
                                 }) &&
             !lines.empty();
    };
    return state.is_kernel && std::ranges::any_of(state.flow.blocks[n].successors, returns) && !is_in_loop(state, n);
  }

  static bool is_in_loop(const State& state, std::size_t n) {
    std::vector<std::size_t> next = state.flow.blocks[n].successors;
    std::set<std::size_t> seen;
    while (!next.empty()) {
      const std::size_t at = next.back();
      next.pop_back();
      if (at == n) return true;
      if (!seen.insert(at).second) continue;
      next.insert(next.end(), state.flow.blocks[at].successors.begin(), state.flow.blocks[at].successors.end());
    }
    return false;
  }

  /// Whether lanes bring different values to where they meet.
  static bool is_chosen(const State& state, const FlowLine& phi) {
    std::string_view first;
    for (const FlowIncoming& one : phi.incoming) {
      if (!state.parted[one.block] && !state.split[one.block]) continue;
      if (!first.empty() && one.value != first) return true;
      first = one.value;
    }
    return false;
  }

  static bool any_varies(const State& state, const std::vector<std::string_view>& names) {
    return std::ranges::any_of(names, [&](std::string_view name) { return state.varying.contains(name); });
  }

  bool varies(const State& state, const FlowLine& line) const {
    if (line.opcode == "alloca" || is_own_of_a_lane(line.callee)) return true;
    if (is_same_in_all_lanes(line.callee)) return false;
    if (is_of_one_lane(line.callee) && line.arguments.size() == 2) return state.varying.contains(line.arguments[1]);
    return functions_.contains(line.callee) || any_varies(state, line.uses);
  }

  /// A call gives what it knows to the function.
  void pass(const State& from, const FlowLine& line, bool is_parted, State& to) {
    has_changed_ |= is_parted && !to.is_parted;
    to.is_parted = to.is_parted || is_parted;
    for (std::size_t n = 0; n < std::min(line.arguments.size(), to.flow.parameters.size()); ++n)
      if (from.varying.contains(line.arguments[n])) has_changed_ |= to.varying.insert(to.flow.parameters[n]).second;
  }

  /// Marks the blocks between `block` and the one where its ways meet.
  void part(State& state, std::size_t block) {
    const std::size_t join = state.joins[block];
    std::vector<std::size_t> next = state.flow.blocks[block].successors;
    set(state.split, block);
    while (!next.empty()) {
      const std::size_t at = next.back();
      next.pop_back();
      if (at == join || !set(state.parted, at)) continue;
      const auto& more = state.flow.blocks[at].successors;
      next.insert(next.end(), more.begin(), more.end());
    }
  }

  bool set(std::vector<bool>& flags, std::size_t n) {
    if (flags[n]) return false;
    flags[n] = has_changed_ = true;
    return true;
  }

  std::map<std::string_view, State> functions_;
  bool has_changed_ = false;
};

}  // namespace

Divergence::Divergence(std::string_view module, const KernelMetadata& kernel) {
  Walk(module, kernel).for_each_parted([&](std::string_view function, std::string_view block) {
    parted_.emplace(std::string(function), std::string(block));
  });
}

}  // namespace assay::metal::emulator::air
