// SPDX-License-Identifier: Apache-2.0
#include "kernel_libraries.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <set>
#include <sstream>
#include <stdexcept>

namespace sim {
namespace {

namespace fs = std::filesystem;

struct Libraries {
  std::mutex mutex;
  std::map<std::pair<std::string, bool>, Replacement> replacements;  // by name and kind of core
  std::set<std::string> loaded;                                      // files
  std::set<std::string> header_folders;
  std::map<std::string, std::string> listed;  // kernels of a list; with the reason where no library has it
  std::string headers;

  static Libraries &Get() {
    static auto *libraries = new Libraries;  // never destroyed: threads may outlive main
    return *libraries;
  }
};

std::string Normal(const std::string &path) {
  std::string text = fs::path(path).lexically_normal().string();
  while (!text.empty() && text.back() == '/') text.pop_back();
  return text;
}

// Compilers put a relative folder behind the one in which they run, or leave it as it is.
bool Below(const std::string &file, const std::string &folder) {
  const std::string inner = folder + "/";
  if (file.compare(0, inner.size(), inner) == 0) return true;
  return folder.front() != '/' && file.find("/" + inner) != std::string::npos;
}

void LoadLibrary(const std::string &file) {
  {
    Libraries &libraries = Libraries::Get();
    std::lock_guard<std::mutex> lock(libraries.mutex);
    if (!libraries.loaded.insert(file).second) return;
  }
  // Its symbols stay its own: kernels for cube and for vector cores have functions of the same names.
  if (dlopen(file.c_str(), RTLD_LAZY | RTLD_LOCAL) == nullptr) {
    throw std::runtime_error(std::string("a library of kernels could not be loaded: ") + dlerror());
  }
}

void LoadFolder(const fs::path &folder) {
  std::vector<std::string> files;
  for (const auto &entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".so") files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  for (const std::string &file : files) LoadLibrary(file);
}

// Takes a line of a list and returns the library that it names, or an empty text.
std::string TakeLine(const std::string &line) {
  std::istringstream fields(line);
  std::string word, value, reason;
  std::getline(fields, word, '\t');
  std::getline(fields, value, '\t');
  std::getline(fields, reason);
  if (word == "library") return value;
  Libraries &libraries = Libraries::Get();
  std::lock_guard<std::mutex> lock(libraries.mutex);
  if (word == "headers") {
    libraries.headers = value;
  } else if (word == "kernel" || word == "missing") {
    libraries.listed[value] = reason;
  } else {
    throw std::runtime_error(
        "a list of kernel libraries has a line that starts with none of headers, library, "
        "kernel, missing: " +
        line);
  }
  return "";
}

void LoadList(const fs::path &list) {
  std::ifstream file(list);
  for (std::string line; std::getline(file, line);) {
    const std::string library = TakeLine(line);
    if (!library.empty()) LoadLibrary((list.parent_path() / library).string());
  }
}

}  // namespace

void RegisterKernels(const KernelSet &set) {
  Libraries &libraries = Libraries::Get();
  std::lock_guard<std::mutex> lock(libraries.mutex);
  // The folder of compiler/kernel_library.h's folder.
  std::istringstream folders(std::string(set.header_folders) + ":" + set.own_header + "/../..");
  for (std::string folder; std::getline(folders, folder, ':');) {
    folder = Normal(folder);
    if (!folder.empty() && folder != "." && folder != "..") libraries.header_folders.insert(folder);
  }
  for (size_t i = 0; i < set.count; ++i) {
    libraries.replacements[{set.kernels[i].name, set.cube}] = {set.kernels[i].invoke, set.prepare,
                                                               set.marked};
  }
}

bool InHeaderFolder(const std::string &file) {
  Libraries &libraries = Libraries::Get();
  std::lock_guard<std::mutex> lock(libraries.mutex);
  const std::string path = Normal(file);
  return std::any_of(libraries.header_folders.begin(), libraries.header_folders.end(),
                     [&path](const std::string &folder) { return Below(path, folder); });
}

void LoadKernels(const std::string &path) {
  if (fs::is_directory(path)) {
    LoadFolder(path);
  } else if (fs::is_regular_file(path)) {
    LoadList(path);
  } else {
    throw std::runtime_error("kernel libraries: expected a folder or a list of libraries, got " + path);
  }
}

Replacement ReplacementOf(const std::string &kernel, bool cube) {
  static const bool loaded = [] {
    const char *path = std::getenv("AVO_SIM_KERNELS");
    if (path != nullptr && *path != '\0') LoadKernels(path);
    return true;
  }();
  static_cast<void>(loaded);
  Libraries &libraries = Libraries::Get();
  std::lock_guard<std::mutex> lock(libraries.mutex);
  const auto listed = libraries.listed.find(kernel);
  if (listed != libraries.listed.end() && !listed->second.empty()) throw std::runtime_error(listed->second);
  const auto found = libraries.replacements.find({kernel, cube});
  if (found != libraries.replacements.end()) return found->second;
  if (listed != libraries.listed.end()) {
    throw std::runtime_error(std::string("the loaded libraries have no code of it for ") +
                             (cube ? "cube" : "vector") + " cores");
  }
  return {};
}

std::string HeadersOf(const std::string &kernel) {
  Libraries &libraries = Libraries::Get();
  std::lock_guard<std::mutex> lock(libraries.mutex);
  const bool replaced =
      libraries.replacements.count({kernel, false}) + libraries.replacements.count({kernel, true}) != 0;
  return replaced ? libraries.headers : "";
}

}  // namespace sim
