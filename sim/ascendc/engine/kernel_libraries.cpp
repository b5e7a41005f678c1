// SPDX-License-Identifier: Apache-2.0
#include "kernel_libraries.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <mutex>
#include <set>
#include <sstream>
#include <stdexcept>

namespace sim {
namespace {

struct Libraries {
  std::mutex mutex;
  std::map<std::pair<std::string, bool>, Replacement> replacements;  // by name and kind of core
  std::set<std::string> loaded;                                      // files
  std::set<std::string> header_folders;

  static Libraries &Get() {
    static auto *libraries = new Libraries;  // never destroyed: threads may outlive main
    return *libraries;
  }
};

std::string Normal(const std::string &path) {
  std::string text = std::filesystem::path(path).lexically_normal().string();
  while (!text.empty() && text.back() == '/') text.pop_back();
  return text;
}

// Compilers put a relative folder behind the one in which they run, or leave it as it is.
bool Below(const std::string &file, const std::string &folder) {
  const std::string inner = folder + "/";
  if (file.compare(0, inner.size(), inner) == 0) return true;
  return folder.front() != '/' && file.find("/" + inner) != std::string::npos;
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

void LoadKernels(const std::string &folder) {
  std::vector<std::string> files;
  for (const auto &entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".so") files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  for (const std::string &file : files) {
    {
      Libraries &libraries = Libraries::Get();
      std::lock_guard<std::mutex> lock(libraries.mutex);
      if (!libraries.loaded.insert(file).second) continue;
    }
    // Its symbols stay its own: kernels for cube and for vector cores have functions of the same names.
    if (dlopen(file.c_str(), RTLD_LAZY | RTLD_LOCAL) == nullptr) {
      throw std::runtime_error(std::string("a library of kernels could not be loaded: ") + dlerror());
    }
  }
}

Replacement ReplacementOf(const std::string &kernel, bool cube) {
  static const bool loaded = [] {
    const char *folder = std::getenv("AVO_SIM_KERNELS");
    if (folder != nullptr && *folder != '\0') LoadKernels(folder);
    return true;
  }();
  static_cast<void>(loaded);
  Libraries &libraries = Libraries::Get();
  std::lock_guard<std::mutex> lock(libraries.mutex);
  const auto found = libraries.replacements.find({kernel, cube});
  return found != libraries.replacements.end() ? found->second : Replacement{};
}

}  // namespace sim
