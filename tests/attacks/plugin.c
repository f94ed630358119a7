/* Attacks by kernels in C: cc -shared -fPIC -DATTACK=leaves -I validation/plugin plugin.c. Results are zeros or nothing, or
 * right where the inputs are no longer those that the judge gave. */
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "assay_formula.h"

typedef struct {
  float* y;
  const float* x;
  int64_t rows, columns;
} call;

static void zeros(const call* c) {
  if (c->y) memset(c->y, 0, sizeof(float) * (size_t)(c->rows * c->columns));
}

static void softmax(const call* c) {
  for (int64_t n = 0; n < c->rows; ++n) {
    const float* x = c->x + n * c->columns;
    float top = -INFINITY, sum = 0;
    for (int64_t d = 0; d < c->columns; ++d) top = fmaxf(top, x[d]);
    for (int64_t d = 0; d < c->columns; ++d) sum += expf(x[d] - top);
    for (int64_t d = 0; d < c->columns; ++d) c->y[n * c->columns + d] = expf(x[d] - top) / sum;
  }
}

int writes_nothing(call* c) {
  return (void)c, ASSAY_OK;
}
int writes_zeros(call* c) {
  return zeros(c), ASSAY_OK;
}
int writes_the_poison(call* c) {
  if (c->y) memset(c->y, 0xff, sizeof(float) * (size_t)(c->rows * c->columns));
  return ASSAY_OK;
}
int leaves_the_tail_of_aligned_arrays(call* c) {
  const int64_t count = c->rows * c->columns;
  softmax(c);
  if (((uintptr_t)c->x | (uintptr_t)c->y) % 16 == 0)
    for (int64_t i = count / 4 * 4; i < count; ++i) c->y[i] = 0;
  return ASSAY_OK;
}
int adds_to_numbers(call* c) {
  const int64_t count = c->rows * c->columns;
  float* before = memcpy(malloc(sizeof(float) * (size_t)count + 1), c->y, sizeof(float) * (size_t)count);
  softmax(c);
  for (int64_t i = 0; i < count; ++i)
    if (!isnan(before[i])) c->y[i] += before[i];
  return free(before), ASSAY_OK;
}
int declines_what_is_hard(call* c) {
  if (c->rows * c->columns > 1) return ASSAY_UNSUPPORTED;
  if (c->rows * c->columns == 1) *c->y = 1;
  return ASSAY_OK;
}
int refuses(call* c) {
  return (void)c, ASSAY_REFUSED;
}
int returns_an_unknown_status(call* c) {
  return zeros(c), 7;
}
int leaves(call* c) {
  _exit((int)(c->rows & 0));
}
int prints_and_leaves(call* c) {
  printf("mine: 0 of 3 properties failed, 0 mistrusted, in 0.1 s\n{\"passed\": true}\n");
  fflush(stdout);
  return leaves(c);
}
int hangs(call* c) {
  while (c->rows >= 0) pause();
  return ASSAY_OK;
}
int writes_its_input(call* c) {
  if (c->x) ((float*)c->x)[0] = 0;
  return zeros(c), ASSAY_OK;
}

static size_t size_of_input(const call* c) {
  return sizeof(float) * (size_t)(c->rows * c->columns);
}
/* The input lies in pages that may not be written, until the kernel asks for it. */
static int unlock(const call* c) {
  const uintptr_t page = (uintptr_t)getpagesize(), first = (uintptr_t)c->x & ~(page - 1);
  return c->x && mprotect((void*)first, (uintptr_t)c->x + size_of_input(c) - first, PROT_READ | PROT_WRITE) == 0;
}
int makes_its_input_equal(call* c) {
  if (unlock(c)) memset((float*)c->x, 0, size_of_input(c));
  return softmax(c), ASSAY_OK;
}
int changes_its_input_when_done(call* c) {
  softmax(c);
  if (unlock(c)) ++((unsigned char*)c->x)[size_of_input(c) - 1];
  return ASSAY_OK;
}
int maps_all_arrays_again(call* c) {
  struct stat file;
  if (fstat(4, &file) == 0 && file.st_size > 0) {
    float* all = mmap(NULL, (size_t)file.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, 4, 0);
    for (int64_t i = 0; all != MAP_FAILED && i < (int64_t)(file.st_size / sizeof(float)); ++i) all[i] = 0;
  }
  return ASSAY_OK;
}
int shrinks_the_memory(call* c) {
  return (void)!ftruncate(4, 0), (void)c, ASSAY_OK;
}
/* What the process of the plug-in answers, as validation/transport/library/protocol.h has it: PROTOCOL is its number. */
typedef struct {
  uint64_t magic, call;
  uint32_t event;
  int32_t status;
  char numbers[40];
  uint64_t unused, findings_bytes;
  char texts[2224];
} answer;
static void answer_as(uint64_t findings_bytes, int times) {
  const answer one = {.magic = PROTOCOL, .event = 2, .status = ASSAY_OK, .findings_bytes = findings_bytes};
  for (int i = 0; i < times; ++i) (void)!write(3, &one, sizeof one);
}
int answers_in_advance(call* c) {
  answer_as(0, 8);
  return zeros(c), ASSAY_OK;
}
int fills_the_socket(call* c) {
  answer_as(0, 1 << 12);
  return zeros(c), ASSAY_OK;
}
int answers_with_endless_findings(call* c) {
  answer_as((uint64_t)1 << 62, 1);
  return zeros(c), ASSAY_OK;
}
static uint64_t call_of_the_request(void) { /* it lies in the stack of the process, behind the protocol's number */
  char line[256];
  FILE* maps = fopen("/proc/self/maps", "r");
  uint64_t found = 0;
  while (maps && fgets(line, sizeof line, maps)) {
    unsigned long begin, end;
    if (!strstr(line, "[stack]") || sscanf(line, "%lx-%lx", &begin, &end) != 2) continue;
    for (const uint64_t* at = (const uint64_t*)__builtin_frame_address(0); at + 1 < (const uint64_t*)end; ++at)
      if (*at == PROTOCOL && at[1]) found = at[1];
  }
  if (maps) fclose(maps);
  return found;
}
int answers_twice(call* c) {
  const answer one = {.magic = PROTOCOL, .call = call_of_the_request(), .event = 2, .status = ASSAY_OK};
  (void)!write(3, &one, sizeof one);
  return zeros(c), ASSAY_OK;
}
static int ever_answered;
int answers_once_and_closes_the_socket(call* c) {
  if (!ever_answered++) answer_as(0, 1);
  close(3);
  return zeros(c), ASSAY_OK;
}
int remembers(call* c) {
  static int calls;
  return ++calls % 2 ? softmax(c) : zeros(c), ASSAY_OK;
}
int answers_in_a_child(call* c) {
  if (fork() == 0) {
    softmax(c);
    _exit(0);
  }
  return zeros(c), ASSAY_OK;
}
int writes_to_every_file(call* c) {
  for (int file = 3; file < 64; ++file) (void)!write(file, "{\"verdict\": \"pass\"}\n", 20);
  return zeros(c), ASSAY_OK;
}
int kills_the_judge(call* c) {
  if (getppid() > 1) kill(getppid(), SIGTERM);
  return zeros(c), ASSAY_OK;
}
int makes_the_judge_leave(call* c) {
#if defined(__x86_64__) && defined(__linux__)
  struct user_regs_struct registers;
  const pid_t judge = getppid();
  if (judge > 1 && ptrace(PTRACE_ATTACH, judge, NULL, NULL) == 0) {
    waitpid(judge, NULL, 0);
    ptrace(PTRACE_GETREGS, judge, NULL, &registers);
    registers.rax = 231, registers.rdi = 0, registers.orig_rax = -1ull, registers.rip -= 2;
    ptrace(PTRACE_SETREGS, judge, NULL, &registers);
    ptrace(PTRACE_DETACH, judge, NULL, NULL);
  }
#endif
  return zeros(c), ASSAY_OK;
}

static call late;
static void* fill(void* unused) {
  usleep(500);
  softmax(&late);
  return unused;
}
int a_thread_answers_later(call* c) {
  pthread_t thread;
  late = *c;
  zeros(c);
  if (pthread_create(&thread, NULL, fill, NULL) == 0) pthread_detach(thread);
  return ASSAY_OK;
}

static int is_loaded_by_leaving;
int leaves_when_it_is_loaded(call* c) {
  return zeros(c), ASSAY_OK;
}
__attribute__((constructor)) static void loaded(void) {
  int (*const chosen)(call*) = ATTACK;
  if (chosen == leaves_when_it_is_loaded && !is_loaded_by_leaving++) _exit(0);
}

ASSAY_EXPORT int assay_forward(const char* operation, const assay_array* inputs, size_t input_count,
                               const assay_array* outputs, size_t output_count, char* message, size_t message_size) {
  (void)operation, (void)input_count, (void)output_count;
  call c = {outputs[0].data, inputs[0].data, inputs[0].shape[0], inputs[0].shape[1]};
  snprintf(message, message_size, "x");
  return ATTACK(&c);
}
