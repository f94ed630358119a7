#include "metal/emulator/air/control_flow.h"

#include <algorithm>
#include <map>

#include "metal/emulator/air/words.h"
#include "metal/emulator/numerics/ir_text.h"

namespace assay::metal::emulator::air {

namespace {

std::vector<std::string_view> names_in(std::string_view text) {
  std::vector<std::string_view> names;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '"') at = std::min(text.find('"', at + 1), text.size() - 1);
    if (text[at] != '%') continue;
    const std::size_t end = end_of_name(text, at);
    names.push_back(text.substr(at, end - at));
    at = end - 1;
  }
  return names;
}

class Reader {
 public:
  void take(std::string_view line) {
    if (line.starts_with("define ")) return begin(line);
    if (functions_.empty() || !is_inside_) return;
    if (line == "}") return end();
    const std::size_t colon = line.find(':');
    if (!line.empty() && line.front() != ' ' && line.front() != ';' && colon != npos)
      return begin_block(line.substr(0, colon));
    add(line);
  }
  std::vector<FlowFunction> all() && { return std::move(functions_); }

 private:
  FlowFunction& function() { return functions_.back(); }

  void begin(std::string_view line) {
    const auto head = ir::call(line.substr(7));
    if (!head) return;
    functions_.push_back({head->callee, {}, {{}}});
    for (const ir::Value& one : head->arguments) function().parameters.push_back(one.name);
    ways_.assign(1, {});
    is_inside_ = true;
  }

  void begin_block(std::string_view label) {
    if (function().blocks.size() > 1 || !function().blocks.front().lines.empty()) {
      function().blocks.emplace_back();
      ways_.emplace_back();
    }
    function().blocks.back().label = label;
  }

  void add(std::string_view text) {
    for (std::size_t at = text.find("label %"); at != npos; at = text.find("label %", at + 1)) {
      const std::size_t begin = at + 7;
      ways_.back().push_back(text.substr(begin, end_of_name(text, at + 6) - begin));
    }
    const auto read = ir::instruction(text);
    if (!read) return;
    FlowBlock& block = function().blocks.back();
    if (read->opcode == "br" || read->opcode == "switch") block.condition = names_in(read->operands);
    FlowLine line{read->result, read->opcode, {}, {}, names_in(read->operands), {}};
    if (read->opcode == "phi") phis_.push_back({function().blocks.size() - 1, block.lines.size(), read->operands});
    const bool is_call = read->opcode == "call" || read->opcode == "tail" || read->opcode == "musttail";
    if (const auto call = is_call ? ir::call(read->operands) : std::nullopt) {
      line.callee = call->callee;
      for (const ir::Value& one : call->arguments) line.arguments.push_back(one.name);
    }
    block.lines.push_back(std::move(line));
  }

  void end() {
    std::map<std::string_view, std::size_t> numbers;
    auto& blocks = function().blocks;
    for (std::size_t n = 0; n < blocks.size(); ++n) numbers.emplace(blocks[n].label, n);
    for (std::size_t n = 0; n < blocks.size(); ++n)
      for (const std::string_view way : ways_[n])
        if (const auto to = numbers.find(way); to != numbers.end()) blocks[n].successors.push_back(to->second);
    for (const auto& [block, line, operands] : phis_) read_phi(operands, numbers, blocks[block].lines[line].incoming);
    phis_.clear();
    is_inside_ = false;
  }

  /// "float [ %x, %3 ], [ 1.0, %5 ]". The first block may have a number that no label names.
  static void read_phi(std::string_view operands, const std::map<std::string_view, std::size_t>& numbers,
                       std::vector<FlowIncoming>& incoming) {
    for (std::size_t open = operands.find("[ "); open != npos; open = operands.find("[ ", open + 1)) {
      const std::size_t end = operands.find(" ]", open), comma = operands.rfind(", %", end);
      if (end == npos || comma == npos || comma < open) return;
      const auto block = numbers.find(operands.substr(comma + 3, end - comma - 3));
      incoming.push_back({operands.substr(open + 2, comma - open - 2), block == numbers.end() ? 0 : block->second});
    }
  }

  std::vector<FlowFunction> functions_;
  struct Phi {
    std::size_t block, line;
    std::string_view operands;
  };
  std::vector<Phi> phis_;                            ///< of the last function
  std::vector<std::vector<std::string_view>> ways_;  ///< the labels to which the blocks of the last function lead
  bool is_inside_ = false;
};

/// Blocks in an order in which each comes after those that it leads to, but for loops; only those that lead to the end.
class BackwardOrder {
 public:
  explicit BackwardOrder(const FlowFunction& function) : end_(function.blocks.size()), before_(end_ + 1) {
    for (std::size_t n = 0; n < end_; ++n) {
      for (const std::size_t to : function.blocks[n].successors) before_[to].push_back(n);
      if (function.blocks[n].successors.empty()) before_[end_].push_back(n);
    }
    std::vector<bool> seen(end_ + 1);
    std::vector<std::pair<std::size_t, std::size_t>> open = {{end_, 0}};  // a block, and how many before it are done
    seen[end_] = true;
    while (!open.empty()) {
      auto& [block, next] = open.back();
      if (next == before_[block].size()) {
        order.push_back(block);
        open.pop_back();
        continue;
      }
      const std::size_t one = before_[block][next++];
      if (seen[one]) continue;
      seen[one] = true;
      open.emplace_back(one, 0);
    }
    std::ranges::reverse(order);
  }
  std::vector<std::size_t> order;  ///< begins with the end

 private:
  std::size_t end_;
  std::vector<std::vector<std::size_t>> before_;
};

}  // namespace

std::vector<FlowFunction> functions_of(std::string_view module) {
  Reader reader;
  for (std::size_t begin = 0; begin < module.size();) {
    const std::size_t end = std::min(module.find('\n', begin), module.size());
    reader.take(module.substr(begin, end - begin));
    begin = end + 1;
  }
  return std::move(reader).all();
}

/// Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm", on the graph with its edges turned round.
std::vector<std::size_t> post_dominators(const FlowFunction& function) {
  const std::size_t end = function.blocks.size(), none = end + 1;
  const std::vector<std::size_t> order = BackwardOrder(function).order;
  std::vector<std::size_t> place(end + 1, none), dominator(end + 1, none);
  for (std::size_t n = 0; n < order.size(); ++n) place[order[n]] = n;
  dominator[end] = end;
  const auto common = [&](std::size_t a, std::size_t b) {
    while (a != b) {
      while (place[a] > place[b]) a = dominator[a];
      while (place[b] > place[a]) b = dominator[b];
    }
    return a;
  };
  for (bool has_changed = true; has_changed;) {
    has_changed = false;
    for (const std::size_t block : order) {
      if (block == end) continue;
      std::vector<std::size_t> ways = function.blocks[block].successors;
      if (ways.empty()) ways.push_back(end);
      std::size_t meeting = none;
      for (const std::size_t to : ways)
        if (dominator[to] != none) meeting = meeting == none ? to : common(meeting, to);
      has_changed = has_changed || dominator[block] != meeting;
      dominator[block] = meeting;
    }
  }
  for (std::size_t& one : dominator) one = std::min(one, end);
  dominator.pop_back();
  return dominator;
}

}  // namespace assay::metal::emulator::air
