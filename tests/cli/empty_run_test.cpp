// A run that judged nothing is no pass, in any format.
#include <gtest/gtest.h>

#include <pugixml.hpp>

#include <string>

#include "tests/cli/program.h"
#include "tests/matchers.h"

namespace assay::validation {
namespace {

class EmptyRun : public Program {};

TEST_F(EmptyRun, FailsInEveryFormat) {
  for (const std::string command : {"gate ctc --cases 0 --reach none --generated --kernel fault:best-path",
                                    "gate ctc --kernel '" ASSAY_TEST_PLUGINS
                                    "/minimal.so' --generated --reach none --cases 3 --filter '^reductions$'"}) {
    const Outcome outcome = run(command + " --junit run.xml --json run.json");
    EXPECT_EQ(outcome.status, 1) << command << outcome.out << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("nothing was judged, which is no pass: ask for cases")) << command;
    pugi::xml_document document;
    ASSERT_TRUE(document.load_file((folder_ / "run.xml").c_str()));
    EXPECT_EQ(document.child("testsuites").attribute("failures").as_int(), 1) << command;
    EXPECT_EQ(run("merge run.json").status, 1) << command;
  }
}

}  // namespace
}  // namespace assay::validation
