// Colour for people at a terminal alone. The terminal here is a pseudo-terminal of our own.
#include "validation/core/terminal.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string>

#include "tests/hostile.h"
#include "tests/matchers.h"

namespace assay::validation {
namespace {

constexpr char escape = '\033';

/// Sets or unsets a variable of the environment, and puts it back.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* former = std::getenv(name)) former_ = former;
    set(value);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() { set(former_ ? former_->c_str() : nullptr); }

 private:
  void set(const char* value) {
    if (value == nullptr) {
      unsetenv(name_);
    } else {
      setenv(name_, value, 1);
    }
  }

  const char* name_;
  std::optional<std::string> former_;
};

/// A terminal that remembers what was written to it.
class PseudoTerminal {
 public:
  PseudoTerminal() : master_(posix_openpt(O_RDWR | O_NOCTTY)) {
    if (master_ < 0 || grantpt(master_) != 0 || unlockpt(master_) != 0) return;
    stream_ = std::fopen(ptsname(master_), "w");
  }
  PseudoTerminal(const PseudoTerminal&) = delete;
  PseudoTerminal& operator=(const PseudoTerminal&) = delete;
  ~PseudoTerminal() {
    if (stream_ != nullptr) std::fclose(stream_);
    close(master_);
  }

  std::FILE* stream() const { return stream_; }

  /// What has been written since. It arrives in its own time, so that a mark is sent after it and waited for.
  std::string read_all() const {
    constexpr char mark = '\a';
    std::fputc(mark, stream_);
    std::fflush(stream_);
    std::string text;
    for (char c = 0; read(master_, &c, 1) == 1 && c != mark;) text.push_back(c);
    return text;
  }

 private:
  int master_;
  std::FILE* stream_ = nullptr;
};

/// stderr goes elsewhere while it lives.
class Redirection {
 public:
  explicit Redirection(std::FILE* to) : former_(dup(STDERR_FILENO)) {
    std::fflush(stderr);
    dup2(fileno(to), STDERR_FILENO);
  }
  Redirection(const Redirection&) = delete;
  Redirection& operator=(const Redirection&) = delete;
  ~Redirection() {
    std::fflush(stderr);
    dup2(former_, STDERR_FILENO);
    close(former_);
  }

 private:
  int former_;
};

class Terminal : public testing::Test {
 protected:
  void SetUp() override { ASSERT_NE(terminal_.stream(), nullptr) << "no pseudo-terminal to be had"; }

  Variable no_color_{"NO_COLOR", nullptr};
  Variable ci_{"CI", nullptr};
  PseudoTerminal terminal_;
};

TEST_F(Terminal, WantsColour) {
  EXPECT_TRUE(wants_colour(terminal_.stream()));
}

TEST_F(Terminal, WantsNoneWhereTheEnvironmentSaysSo) {
  {
    const Variable no_color("NO_COLOR", "1");
    EXPECT_FALSE(wants_colour(terminal_.stream()));
  }
  const Variable ci("CI", "true");
  EXPECT_FALSE(wants_colour(terminal_.stream()));
}

TEST_F(Terminal, IsNotAFile) {
  std::FILE* file = std::tmpfile();
  EXPECT_FALSE(wants_colour(file));
  std::fclose(file);
}

TEST_F(Terminal, SeesAProgressBarThatClearsAfterItself) {
  {
    const Redirection redirection(terminal_.stream());
    ProgressBar bar;
    bar.show(1, 4, "gradient");
    EXPECT_THAT(terminal_.read_all(), HasSubstr("[==========                              ]  25 %  gradient"));
    int drawn = 0;  // of a hundred that follow each other: few, however late the machine runs this thread
    for (int i = 0; i < 100; ++i) {
      bar.show(2, 4, "too soon after the last one");
      drawn += terminal_.read_all().empty() ? 0 : 1;
    }
    EXPECT_LT(drawn, 50);
  }
  EXPECT_EQ(terminal_.read_all(), std::string("\r") + escape + "[K");
}

TEST_F(Terminal, SurvivesProgressPastItsEndAndOfNothing) {
  for (const double total : {0.0, 1.0}) {
    const Redirection redirection(terminal_.stream());
    ProgressBar bar;
    bar.show(7, total, "x");
    EXPECT_THAT(terminal_.read_all(), HasSubstr("[" + std::string(40, '=') + "]"));
  }
}

TEST_F(Terminal, IsSparedTheBarUnderCi) {
  const Variable ci("CI", "true");
  const Redirection redirection(terminal_.stream());
  ProgressBar bar;
  bar.show(1, 4, "gradient");
  EXPECT_EQ(terminal_.read_all(), "");
}

TEST(ProgressBar, WritesNothingIntoAFile) {
  std::FILE* file = std::tmpfile();
  {
    const Redirection redirection(file);
    ProgressBar bar;
    bar.show(1, 4, "gradient");
  }
  EXPECT_EQ(std::fseek(file, 0, SEEK_END), 0);
  EXPECT_EQ(std::ftell(file), 0);
  std::fclose(file);
}

TEST(Shown, KeepsTheColoursOfPaintAloneAndOnlyWhereTheyAreWanted) {
  const std::string painted = paint("fail", fmt::fg(fmt::terminal_color::red) | fmt::emphasis::bold, true);
  EXPECT_EQ(shown(painted + " \033[8mhidden\033[2J", true), painted + " ?[8mhidden?[2J");
  EXPECT_TRUE(is_clean(shown(painted, false)));
  EXPECT_TRUE(is_clean(shown(hostile_text, false)));
}

/// GitHub's runner takes such lines for commands: ::add-mask::, ::stop-commands::, ##[error].
TEST(Shown, GivesGitHubNoCommands) {
  EXPECT_EQ(shown("::error::x\n  ::set-env name=A::b\na::b, std::max, ##[group]", false),
            ": :error::x\n  : :set-env name=A::b\na::b, std::max, ## [group]");
}

TEST(WriteText, RefusesAStreamThatTakesNothing) {
  std::FILE* full = std::fopen("/dev/full", "w");
  if (full == nullptr) GTEST_SKIP() << "no /dev/full";
  const auto write_and_flush = [&] {
    write_text(full, "a line\n");
    flush(full);
  };
  EXPECT_THAT(write_and_flush, ThrowsMessage<std::runtime_error>(HasSubstr("cannot be written")));
  EXPECT_THAT([&] { flush(full); }, ThrowsMessage<std::runtime_error>(HasSubstr("cannot be written"))) << "for good";
  std::fclose(full);
}

TEST(Paint, AddsNothingWithoutColour) {
  EXPECT_EQ(paint("text", fmt::fg(fmt::terminal_color::red), false), "text");
  const auto painted = paint("text", fmt::fg(fmt::terminal_color::red), true);
  EXPECT_THAT(painted, HasSubstr("text"));
  EXPECT_THAT(painted, StartsWith(std::string(1, escape)));
}

TEST(Paint, KeepsNamesOfVerdictsInTheirColumn) {
  for (const auto verdict : {Verdict::pass, Verdict::skipped, Verdict::mistrusted, Verdict::error, Verdict::fail}) {
    const auto plain = painted_name(verdict, false);
    EXPECT_EQ(plain.size(), 10U);
    EXPECT_THAT(plain, StartsWith(std::string(name_of(verdict))));
    EXPECT_THAT(painted_name(verdict, true), HasSubstr(plain));
  }
  EXPECT_NE(painted_name(Verdict::pass, true).substr(0, 5), painted_name(Verdict::fail, true).substr(0, 5));
}

}  // namespace
}  // namespace assay::validation
