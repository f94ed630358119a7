// The cache and the temporary folders of the compiler: who may write them, and what a killed process leaves behind.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>

#include "metal/device/descriptor.h"
#include "metal/emulator/compile/cache_folder.h"
#include "metal/emulator/compile/clang.h"
#include "metal/emulator/compile/files.h"
#include "shader_stand_in.h"
#include "tests/matchers.h"

namespace assay::metal::emulator::test {
namespace {

namespace fs = std::filesystem;

class Folders : public testing::Test {
 protected:
  Folders() {
    std::string pattern = (fs::temp_directory_path() / "assay-files-XXXXXX").string();
    folder_ = fs::canonical(mkdtemp(pattern.data()));
  }
  ~Folders() override { fs::remove_all(folder_); }

  /// A new folder with these rights, whatever the umask.
  fs::path made(const std::string& name, mode_t mode) const {
    const fs::path path = folder_ / name;
    fs::create_directories(path);
    chmod(path.c_str(), mode);
    return path;
  }

  /// That a folder of another place is used, and the reason.
  void expect_unusable(const fs::path& cache, const std::string& reason) const {
    testing::internal::CaptureStderr();
    const auto other = cache_folder(cache);
    EXPECT_THAT(testing::internal::GetCapturedStderr(),
                AllOf(HasSubstr("compiled shaders are not kept for later runs: "), HasSubstr(reason)));
    ASSERT_TRUE(other);
    EXPECT_THAT(other->string(), Not(StartsWith(folder_.string())));
    EXPECT_EQ(mode_of(*other), 0700U);
    testing::internal::CaptureStderr();
    EXPECT_EQ(cache_folder(cache).value(), *other);
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "") << "it was said already";
  }

  static mode_t mode_of(const fs::path& path) {
    struct stat status{};
    stat(path.c_str(), &status);
    return status.st_mode & 07777U;
  }

  fs::path folder_;
};

TEST_F(Folders, OfTheCacheAreMadeForThisUserAlone) {
  const mode_t before = umask(0);
  const auto cache = cache_folder(folder_ / "a/b");
  umask(before);
  ASSERT_TRUE(cache);
  EXPECT_EQ(*cache, folder_ / "a/b");
  EXPECT_EQ(mode_of(*cache), 0700U);
  EXPECT_EQ(mode_of(folder_ / "a"), 0700U);
  EXPECT_TRUE(fs::is_empty(*cache));
}

TEST_F(Folders, ThatOthersCanWriteAreNoCache) {
  expect_unusable(made("open", 0777), "other users can write '" + (folder_ / "open").string() + "'");
  expect_unusable(made("group", 0720), "other users can write");
  expect_unusable(made("sticky", 01777), "other users can write");
  made("above", 0777);
  expect_unusable(made("above/own", 0700), "other users can write '" + (folder_ / "above").string() + "'");
  expect_unusable(folder_ / "above/new", "other users can write");
  EXPECT_FALSE(fs::exists(folder_ / "above/new"));
}

TEST_F(Folders, InAFolderOfAllUsersThatHasTheStickyBitAreACache) {
  const fs::path above = made("all", 01777);
  EXPECT_EQ(cache_folder(above / "own").value(), above / "own");
}

TEST_F(Folders, ThatAreReachedByALinkAreNamedWithoutIt) {
  fs::create_directory_symlink(made("real", 0700), folder_ / "link");
  EXPECT_EQ(cache_folder(folder_ / "link/cache").value(), folder_ / "real/cache");
}

TEST_F(Folders, OfAnotherUserAreNoCache) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  const fs::path theirs = made("theirs", 0700);
  ASSERT_EQ(chown(theirs.c_str(), 12345, 12345), 0);
  expect_unusable(theirs, "belongs to user 12345, and this process to user 0");
  expect_unusable(theirs / ".cache/assay", "belongs to user 12345, and this process to user 0");
  EXPECT_TRUE(fs::is_empty(theirs)) << "sudo keeps HOME: nothing of root's may be left there";
}

TEST_F(Folders, ThatCannotBeMadeAreNoCache) {
  ASSERT_TRUE(write_file(folder_ / "file", ""));
  expect_unusable(folder_ / "file/cache", "file");
  expect_unusable("/proc/none/cache", "/proc/none");
}

TEST_F(Folders, GiveOnlyFilesThatNoOtherUserCanWrite) {
  const fs::path file = folder_ / "file";
  ASSERT_TRUE(write_file(file, "text"));
  chmod(file.c_str(), 0644);
  EXPECT_EQ(read_own_file(file).value(), "text");
  fs::create_symlink(file, folder_ / "link");
  EXPECT_FALSE(read_own_file(folder_ / "link"));
  chmod(file.c_str(), 0664);
  EXPECT_THAT(read_own_file(file).error().text, HasSubstr("it is not a file of this user that no other can write"));
  ASSERT_EQ(mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  EXPECT_FALSE(read_own_file(folder_ / "pipe"));
  if (geteuid() != 0) return;
  chmod(file.c_str(), 0644);
  ASSERT_EQ(chown(file.c_str(), 12345, 12345), 0);
  EXPECT_FALSE(read_own_file(file));
}

/// Each is built again in its place.
TEST_F(Folders, HoldNoObjectThatOthersCouldWrite) {
  CompileOptions with = options();
  with.cache = folder_ / "cache";
  constexpr const char* text = "kernel void f(device int* x) { x[0] = 1; }";
  const auto object = compile(text, with)->object();
  chmod(object.c_str(), 0666);
  compile(text, with);
  EXPECT_EQ(mode_of(object) & 022U, 0U);
}

/// Runs `body` in a process of its own, which is killed once `body` has returned or this process says so.
class KilledProcess {
 public:
  template <class Body>
  explicit KilledProcess(const Body& body) {
    std::array<int, 2> ready{};
    if (pipe(ready.data()) != 0) return;
    process_ = fork();
    if (process_ == 0) {
      [[maybe_unused]] const auto kept = body();
      [[maybe_unused]] const auto written = write(ready[1], "r", 1);
      for (;;) pause();
    }
    const Descriptor reads(ready[0]);
    close(ready[1]);
    char letter = 0;
    is_ready_ = read(reads.number(), &letter, 1) == 1;
  }
  KilledProcess(const KilledProcess&) = delete;
  KilledProcess& operator=(const KilledProcess&) = delete;
  ~KilledProcess() { end(); }

  bool is_ready() const { return is_ready_; }
  void end() {
    if (process_ > 0) kill(process_, SIGKILL), waitpid(process_, nullptr, 0);
    process_ = -1;
  }

 private:
  pid_t process_ = -1;
  bool is_ready_ = false;
};

std::ptrdiff_t entries_of(const fs::path& folder) {
  return std::distance(fs::directory_iterator(folder), fs::directory_iterator());
}

TEST_F(Folders, OfKilledProcessesAreRemovedAndNoOthers) {
  const auto make = [&] { return TemporaryFolder::make(folder_); };
  KilledProcess killed(make), living(make);
  ASSERT_TRUE(killed.is_ready() && living.is_ready());
  killed.end();
  ASSERT_EQ(entries_of(folder_), 2);
  {
    const auto own = TemporaryFolder::make(folder_).value();
  }
  EXPECT_EQ(entries_of(folder_), 1) << "of the living process";
}

/// The program holds the end of a pipe that it inherits as its standard output until it has ended.
TEST(Child, EndsWithThisProcessHoweverThatEnds) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe(ends.data()), 0);
  const Descriptor reads(ends[0]);
  KilledProcess starter([&] {
    return start_child(
        {.words = {"sleep", "1000"}, .input = ends[1], .output = ends[1], .messages = ends[1], .limits = {}});
  });
  close(ends[1]);
  ASSERT_TRUE(starter.is_ready());
  starter.end();
  char letter = 0;
  EXPECT_EQ(read(reads.number(), &letter, 1), 0);
}

class Runs : public Folders {
 protected:
  /// A program in clang's place.
  Result<ClangRun> run_script(const std::string& text, const ChildLimits& limits) const {
    const fs::path script = folder_ / "clang";
    if (const auto written = write_file(script, "#!/bin/sh\n" + text); !written) return tl::unexpected(written.error());
    fs::permissions(script, fs::perms::owner_all);
    return run_clang({script.string(), {}}, {"one", "two words"}, "/dev/null", folder_ / "output", limits);
  }
};

TEST_F(Runs, GiveWordsStreamsAndStatus) {
  const auto run = run_script("echo \"$2\"; echo wrong >&2; exit 3", {});
  ASSERT_TRUE(run);
  EXPECT_EQ(run->status, 3);
  EXPECT_EQ(run->messages, "wrong\n");
  EXPECT_EQ(read_own_file(folder_ / "output").value(), "two words\n");
  EXPECT_EQ(error_of(*run).text, "wrong\n");
}

TEST_F(Runs, EndAtTheLimitOfTime) {
  const auto run = run_script("while :; do :; done", {.cpu_seconds = 1});
  ASSERT_TRUE(run);
  EXPECT_EQ(run->status, 128 + SIGKILL);
  EXPECT_THAT(error_of(*run).text, HasSubstr("more than 1 s of processor time"));
}

TEST_F(Runs, EndWhileTheyWaitForWhatDoesNotCome) {
  ASSERT_EQ(mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  const auto run = run_script("exec cat '" + (folder_ / "pipe").string() + "'", {.seconds = 1});
  ASSERT_TRUE(run);
  EXPECT_EQ(run->status, 128 + SIGKILL);
  EXPECT_THAT(error_of(*run).text, HasSubstr("more than 1 s (docs"));
}

TEST_F(Runs, EndAtTheLimitOfMemory) {
  const auto run = run_script("ulimit -v", {.memory_bytes = std::uint64_t{1} << 30});
  ASSERT_TRUE(run);
  EXPECT_EQ(read_own_file(folder_ / "output").value(), "1048576\n");
  EXPECT_EQ(error_of({1, "", "", "1 GiB of memory"}).text,
            "this shader takes clang more than 1 GiB of memory (docs/limits.md)");
}

TEST_F(Runs, SayThatThereIsNoSpace) {
  const auto run = run_script("head -c 100000 /dev/zero", {.file_bytes = 4096});
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().kind, Error::Kind::environment);
  EXPECT_THAT(run.error().text, AllOf(HasSubstr("no space for its files in '" + folder_.string()), HasSubstr("large")));
  const auto other = run_script("echo 'k.metal:1:2: error: No space left on device' >&2; exit 1", {});
  EXPECT_TRUE(other) << "a shader's own words";
}

TEST_F(Runs, TakeNoCrashOfClangForAMessage) {
  const auto run = run_script("echo 'k.metal:1:2: error: bad' >&2; echo PLEASE submit a bug report >&2; exit 1", {});
  ASSERT_TRUE(run);
  EXPECT_EQ(error_of(*run).text, "k.metal:1:2: error: bad\nclang itself failed at this shader, with status 1");
}

}  // namespace
}  // namespace assay::metal::emulator::test
