// What the page calls: the reference's steps, as functions of C from the text of a request to that of the response,
// which stays until the next call.
#include <emscripten.h>

#include <string>

#include "validation/steps/steps.h"

namespace {

std::string response;

const char* kept(std::string text) {
  response = std::move(text);
  return response.c_str();
}

}  // namespace

extern "C" {

EMSCRIPTEN_KEEPALIVE const char* ctc_steps(const char* request) {
  return kept(assay::validation::ctc_steps(request));
}

EMSCRIPTEN_KEEPALIVE const char* alignment_steps(const char* request) {
  return kept(assay::validation::alignment_steps(request));
}
}
