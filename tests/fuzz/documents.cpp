// JSON of users: reports that are merged, bindings of shaders, scripts of `metal run`, requests for steps.
#include "tests/fuzz/targets.h"
#include "tests/validation/sample_report.h"
#include "validation/registry.h"
#include "validation/report/html.h"
#include "validation/report/json.h"
#include "validation/report/junit.h"
#include "validation/report/merge.h"
#include "validation/shader/instantiate.h"
#include "validation/steps/steps.h"
#include "validation/transport/metal/kernel.h"

namespace assay::validation::fuzz {
namespace {

std::vector<std::string> files_in(const char* folder, const char* extension) {
  std::vector<std::string> texts;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == extension) texts.push_back(content_of(entry.path()));
  return texts;
}

template <class Operation>
void read_as(const std::filesystem::path& path) {
  may_refuse([&] { read_document(path, transport::interface_of<Operation>()); });
}

constexpr const char* script = R"({"source": "sort.metal", "metal_version": 310, "macros": {"N": 4}, "seed": 7,
 "extents": {"N": 64, "H": "N / 2"}, "scratch": {"t": {"type": "half", "elements": "N"}}, "fill": {"t": 1},
 "arrays": {"x": "random:{N}x2:float16", "y": "unset:64", "n": "{2 * H}"},
 "structs": {"Shape": [{"type": "uint", "value": "N"}, {"type": "bool", "value": true}]},
 "passes": [{"repeat": {"variable": "i", "from": "N", "step": -1, "times": 3}, "condition": "i > 62",
   "function": "merge", "groups": ["H"], "group": [1], "constants": [{"index": 0, "type": "char", "value": "i"}],
   "buffers": [{"index": 0, "array": "t"}, {"index": 1, "struct": "Shape"}, {"index": 2, "type": "long", "value": -1}]},
  {"function": "sort", "grid": [64, 2], "group": [32],
   "buffers": [{"index": 0, "array": "x", "offset": 4}, {"index": 1, "array": "y"}],
   "textures": [{"index": 0, "array": "x"}], "samplers": [{"index": 0, "sampler": "linear,repeat"}],
   "threadgroup_memory": [{"index": 0, "bytes": 128}], "constants": [{"index": 3, "value": 2.5}]},
  {"threadgroups": {"array": "n"}, "group": [8, 8, 1]}],
 "outputs": {"y": "y.npy"}})";

}  // namespace

void run_report(const std::string& text) {
  may_refuse([&] {
    const Report report = report_from_json(text, "report.json");
    report_from_json(to_json(report), "again.json");
    to_html(report);
    to_junit(report);
    merge({{"report.json", report}});
  });
  may_refuse([&] { json_of_html(text, "report.html"); });
  may_refuse([&] { to_json(unit_from_json(text, "unit.json")); });
}

std::vector<std::string> report_seeds() {
  return {to_json(sample_report()), to_html(sample_report())};
}

void run_binding(const std::string& text) {
  const std::filesystem::path path = file_of(text);
  read_as<CtcOperation>(path);
  read_as<CceOperation>(path);
  read_as<SvdOperation>(path);
}

std::vector<std::string> binding_seeds() {
  return files_in(ASSAY_TEST_BINDINGS, ".json");
}

void run_script(const std::string& text) {
  may_refuse([&] { read_script(file_of(text)); });
}

std::vector<std::string> script_seeds() {
  return {script};
}

void run_steps(const std::string& text) {
  for (const auto respond : {ctc_steps, log_sum_exp_steps, cce_steps, jacobi_steps, ctc_bounds})
    may_refuse([&] { respond(text); });
}

std::vector<std::string> steps_seeds() {
  return {
      R"({"labels": [1, 2], "logits": [[1, 0, 2], ["0.5", 1, 0], [0, 0, 1]], "blank": 0, "number": "half", "space": "log"})",
      R"({"labels": [1], "outputs": [["1/2", "1/2"], ["1/4", "3/4"]], "number": "exact", "without": {"t": 1, "from": 0, "to": 1}})",
      R"({"logits": [1, "-inf", 3], "chunk": 2, "number": {"digits": 30}})",
      R"({"hidden": [[1, 2]], "weight": [[0, 1], [1, 0]], "targets": [1], "label_smoothing": 0.1, "number": "float"})",
      R"({"A": [[1, 2], [3, 4]], "ordering": "cyclic"})",
      R"({"labels": [1], "logits": [[0, 1], [2, 3]], "arithmetic": "log_space", "unit_roundoff": 5.96e-8})"};
}

}  // namespace assay::validation::fuzz
