// SPDX-License-Identifier: Apache-2.0
#include "line_tables.h"

#include <fcntl.h>
#include <link.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <set>

namespace sim {
namespace {

// A program or library, and how far its addresses in memory lie above those in its file.
struct Module {
  uintptr_t address = 0;  // looked for
  std::string file;
  uintptr_t offset = 0;
};

int Visit(dl_phdr_info *info, size_t, void *into) {
  Module *module = static_cast<Module *>(into);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto &segment = info->dlpi_phdr[i];
    const uintptr_t begin = info->dlpi_addr + segment.p_vaddr;
    if (segment.p_type != PT_LOAD || module->address < begin || module->address >= begin + segment.p_memsz) {
      continue;
    }
    // The program itself has no name in this list.
    module->file = *info->dlpi_name != '\0' ? info->dlpi_name : "/proc/self/exe";
    module->offset = info->dlpi_addr;
    return 1;
  }
  return 0;
}

Module Find(uintptr_t address) {
  Module module;
  module.address = address;
  dl_iterate_phdr(Visit, &module);
  return module;
}

// Runs a program and returns what it prints; "" where it cannot be started.
std::string OutputOf(std::vector<std::string> arguments) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return "";
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::vector<char *> pointers;
  for (std::string &argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  pid_t child = 0;
  const int error = posix_spawnp(&child, pointers[0], &actions, nullptr, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  std::string text;
  if (error == 0) {
    char bytes[4096];
    for (ssize_t count = 0; (count = read(ends[0], bytes, sizeof(bytes))) > 0;) text.append(bytes, count);
    waitpid(child, nullptr, 0);
  }
  close(ends[0]);
  return text;
}

// "/src/row_copy.h:88 (discriminator 2)"; line 0 where there is no line table.
SourceCall ParseLine(const std::string &text) {
  SourceCall call;
  const size_t colon = text.rfind(':', text.find(" (discriminator"));
  if (colon == std::string::npos) return call;
  call.file = text.substr(0, colon);
  call.line = std::atoi(text.c_str() + colon + 1);
  return call;
}

std::string Hex(uintptr_t value) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (; value != 0; value /= 16) text.insert(text.begin(), kDigits[value % 16]);
  return "0x" + text;
}

// Asks addr2line about addresses of one file. For each of them it prints the address, and then a line with
// the function and a line with the place for each call.
void Ask(const std::string &file, const std::map<uintptr_t, uintptr_t> &addresses,
         std::map<uintptr_t, std::vector<SourceCall>> *calls) {
  std::string program = "/proc/" + std::to_string(getpid()) + "/exe";
  std::vector<std::string> arguments = {
      "addr2line", "-a", "-C", "-f", "-i", "-e", file == "/proc/self/exe" ? program : file};
  for (const auto &[in_file, address] : addresses) arguments.push_back(Hex(in_file));
  const std::string output = OutputOf(arguments);
  std::vector<SourceCall> *current = nullptr;
  std::string function;
  for (size_t begin = 0; begin < output.size();) {
    const size_t end = std::min(output.find('\n', begin), output.size());
    const std::string line = output.substr(begin, end - begin);
    begin = end + 1;
    if (line.compare(0, 2, "0x") == 0) {
      const auto found = addresses.find(std::strtoull(line.c_str(), nullptr, 16));
      current = found != addresses.end() ? &(*calls)[found->second] : nullptr;
      function.clear();
    } else if (function.empty()) {
      function = line;
    } else {
      SourceCall call = ParseLine(line);
      call.function = function;
      if (current != nullptr && call.line > 0) current->push_back(call);
      function.clear();
    }
  }
}

}  // namespace

std::map<uintptr_t, std::vector<SourceCall>> CallsAt(const std::vector<uintptr_t> &return_addresses) {
  std::map<std::string, std::map<uintptr_t, uintptr_t>> files;  // address in the file, return address
  for (const uintptr_t address : return_addresses) {
    const Module module = Find(address);
    // A call ends where it returns to: the byte before that belongs to it.
    if (!module.file.empty()) files[module.file][address - 1 - module.offset] = address;
  }
  std::map<uintptr_t, std::vector<SourceCall>> calls;
  for (const auto &[file, addresses] : files) Ask(file, addresses, &calls);
  return calls;
}

std::string ModuleOf(uintptr_t address) { return Find(address).file; }

}  // namespace sim
