// The request of `assay lattice` to the steps, as the interactive page makes it: a word, logits and a number type.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace assay::validation {

struct LatticeArguments {
  std::string word = "cat";
  int frames = 0;                ///< of uniform logits; 0: five, or as many as the word needs
  std::string classes = "word";  ///< "word": the blank and the word's letters; "all": those of the speech data
  std::string logits = "uniform";
  std::string outputs;
  double scale = 1;
  std::string number = "double";
  std::string space = "probability";
};

/// The names of the classes: "-" for the blank, then letters in alphabetical order, "_" for the space last.
std::vector<std::string> lattice_classes(const LatticeArguments& arguments);

/// The request for ctc_steps, and with "T" for alignment_steps. Throws std::invalid_argument that names the argument,
/// its value and what was expected.
nlohmann::json lattice_request(const LatticeArguments& arguments);

}  // namespace assay::validation
