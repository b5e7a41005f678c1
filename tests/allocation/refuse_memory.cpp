// SPDX-License-Identifier: Apache-2.0
// A library to be preloaded: it counts allocations of some libraries, and lets one of them or all later ones
// fail.
//
//   AVO_REFUSE_TO=libascendcl,libnnopbase   whose allocations count, by parts of the libraries' names
//   AVO_REFUSE_AT=7                         the seventh of them after the start of main() fails
//   AVO_REFUSE_ALL=1                        all behind it fail too
//
// A program that has started already calls refuse_memory(7, 1) instead. At its end a process that has the
// first variable writes the number of such allocations to the file AVO_REFUSE_COUNT.
#include <dlfcn.h>
#include <link.h>

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

extern "C" {
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
}

namespace {

std::atomic<long> counted{0};  // since the last call of refuse_memory
std::atomic<long> refused_at{0};
std::atomic<bool> refuse_all{false};
std::atomic<bool> started{false};  // main() has begun
const char *libraries = "";

// Whether code at this address belongs to one of the libraries.
bool IsWatched(void *address) {
  dl_find_object object;
  if (*libraries == '\0' || _dl_find_object(address, &object) != 0) return false;
  const char *name = std::strrchr(object.dlfo_link_map->l_name, '/');
  if (name == nullptr) return false;
  for (const char *part = libraries; part != nullptr;) {
    const char *end = std::strchr(part, ',');
    const size_t length = end == nullptr ? std::strlen(part) : static_cast<size_t>(end - part);
    if (std::strncmp(name + 1, part, length) == 0) return true;
    part = end == nullptr ? nullptr : end + 1;
  }
  return false;
}

// Counts an allocation from this address, and says whether it fails.
bool Fails(void *caller) {
  if (!started || !IsWatched(caller)) return false;
  const long number = ++counted, at = refused_at;
  return at > 0 && (number == at || (refuse_all && number > at));
}

void *Allocate(void *caller, size_t size, size_t alignment = alignof(std::max_align_t)) {
  if (Fails(caller)) {
    errno = ENOMEM;
    return nullptr;
  }
  return alignment <= alignof(std::max_align_t) ? __libc_malloc(size) : __libc_memalign(alignment, size);
}

void *OrThrow(void *memory) {
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

struct Environment {
  Environment() {
    if (const char *names = std::getenv("AVO_REFUSE_TO")) libraries = names;
    if (const char *at = std::getenv("AVO_REFUSE_AT")) refused_at = std::atol(at);
    refuse_all = std::getenv("AVO_REFUSE_ALL") != nullptr;
  }
  ~Environment() {
    const char *path = std::getenv("AVO_REFUSE_COUNT");
    if (path == nullptr) return;
    if (std::FILE *file = std::fopen(path, "w")) {
      std::fprintf(file, "%ld\n", counted.load());
      std::fclose(file);
    }
  }
} environment;

using Main = int (*)(int, char **, char **);
Main program;

// Where memory is refused before, the constructors of globals end the process: nobody can catch what they
// throw.
int Begin(int count, char **arguments, char **variables) {
  started = true;
  return program(count, arguments, variables);
}

}  // namespace

#define CALLER __builtin_return_address(0)
#define EXPORT __attribute__((visibility("default")))

extern "C" {

EXPORT int __libc_start_main(Main main, int count, char **arguments, void (*init)(), void (*fini)(),
                             void (*rtld_fini)(), void *stack_end) {
  using Start = int (*)(Main, int, char **, void (*)(), void (*)(), void (*)(), void *);
  program = main;
  const auto next = reinterpret_cast<Start>(dlsym(RTLD_NEXT, "__libc_start_main"));
  return next(Begin, count, arguments, init, fini, rtld_fini, stack_end);
}

// Lets the at-th allocation from now on fail, or none for 0; with `all` those behind it too. Returns how many
// allocations there were since the last call.
EXPORT long refuse_memory(long at, int all) {
  refused_at = 0;
  refuse_all = all != 0;
  const long before = counted.exchange(0);
  refused_at = at;
  return before;
}

EXPORT void *malloc(size_t size) { return Allocate(CALLER, size); }
EXPORT void *calloc(size_t count, size_t size) {
  return Fails(CALLER) ? nullptr : __libc_calloc(count, size);
}
EXPORT void *realloc(void *memory, size_t size) {
  return Fails(CALLER) ? nullptr : __libc_realloc(memory, size);
}
EXPORT void *aligned_alloc(size_t alignment, size_t size) { return Allocate(CALLER, size, alignment); }
EXPORT int posix_memalign(void **memory, size_t alignment, size_t size) {
  void *made = Allocate(CALLER, size, alignment);
  if (made == nullptr) return ENOMEM;
  *memory = made;
  return 0;
}

}  // extern "C"

EXPORT void *operator new(size_t size) { return OrThrow(Allocate(CALLER, size)); }
EXPORT void *operator new[](size_t size) { return OrThrow(Allocate(CALLER, size)); }
EXPORT void *operator new(size_t size, const std::nothrow_t &) noexcept { return Allocate(CALLER, size); }
EXPORT void *operator new[](size_t size, const std::nothrow_t &) noexcept { return Allocate(CALLER, size); }
EXPORT void *operator new(size_t size, std::align_val_t alignment) {
  return OrThrow(Allocate(CALLER, size, static_cast<size_t>(alignment)));
}
EXPORT void *operator new[](size_t size, std::align_val_t alignment) {
  return OrThrow(Allocate(CALLER, size, static_cast<size_t>(alignment)));
}
EXPORT void operator delete(void *memory) noexcept { std::free(memory); }
EXPORT void operator delete[](void *memory) noexcept { std::free(memory); }
EXPORT void operator delete(void *memory, size_t) noexcept { std::free(memory); }
EXPORT void operator delete[](void *memory, size_t) noexcept { std::free(memory); }
EXPORT void operator delete(void *memory, std::align_val_t) noexcept { std::free(memory); }
EXPORT void operator delete[](void *memory, std::align_val_t) noexcept { std::free(memory); }
EXPORT void operator delete(void *memory, size_t, std::align_val_t) noexcept { std::free(memory); }
EXPORT void operator delete[](void *memory, size_t, std::align_val_t) noexcept { std::free(memory); }
