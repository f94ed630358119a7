// A folder with the input 1, ..., 8 as in.npy, and what a run leaves in other .npy files.
#pragma once

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/cli/program.h"
#include "validation/core/npy.h"

namespace assay::validation {

class NpyFiles : public Program {
 protected:
  NpyFiles() { write("in.npy", format_npy(npy_array(std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8}, {8}))); }

  NpyArray read(const std::string& name) const {
    std::ifstream file(folder_ / name, std::ios::binary);
    return parse_npy(std::string(std::istreambuf_iterator<char>(file), {}));
  }
  std::vector<float> floats(const std::string& name) const {
    std::size_t rounded = 0;
    return npy_floats(read(name), rounded);
  }
};

}  // namespace assay::validation
