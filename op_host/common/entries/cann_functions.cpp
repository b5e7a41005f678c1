// SPDX-License-Identifier: Apache-2.0
#include "op_host/common/entries/cann_functions.h"

#include <dirent.h>
#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

namespace avo {
namespace {

// Returns the names to load CANN's operator libraries by. Up to CANN 8.x there is one; later ones are
// several, one for each repository of operators, and lie in the toolkit's lib64.
std::vector<std::string> LibraryNames() {
  const std::string prefix = "libopapi_", suffix = ".so";
  std::vector<std::string> names;
  const char *const home = std::getenv("ASCEND_HOME_PATH");
  const std::string folder = home == nullptr ? "" : std::string(home) + "/lib64";
  if (DIR *const listing = folder.empty() ? nullptr : opendir(folder.c_str()); listing != nullptr) {
    while (const dirent *entry = readdir(listing)) {
      const std::string name = entry->d_name;
      const bool fits = name.size() > prefix.size() + suffix.size() && name.rfind(prefix, 0) == 0 &&
                        name.compare(name.size() - suffix.size(), suffix.size(), suffix) == 0;
      if (fits) names.push_back(folder + "/" + name);
    }
    closedir(listing);
  }
  if (names.empty()) names = {"libopapi_math.so", "libopapi_nn.so", "libopapi_cv.so"};
  std::sort(names.begin(), names.end());
  names.insert(names.begin(), "libopapi.so");
  return names;
}

const std::vector<void *> &Libraries() {
  static const std::vector<void *> libraries = [] {
    std::vector<void *> opened;
    for (const std::string &name : LibraryNames()) {
      if (void *const library = dlopen(name.c_str(), RTLD_LAZY); library != nullptr)
        opened.push_back(library);
    }
    return opened;
  }();
  return libraries;
}

// A library of CANN's may depend on this one, whose functions dlsym then finds as well.
bool IsOurs(const void *address) {
  Dl_info theirs{}, ours{};
  return dladdr(address, &theirs) != 0 &&
         dladdr(reinterpret_cast<const void *>(&LeaveTorchCache), &ours) != 0 &&
         theirs.dli_fbase == ours.dli_fbase;
}

void *Find(const std::string &name) {
  for (void *const library : Libraries()) {
    void *const address = dlsym(library, name.c_str());
    if (address != nullptr && !IsOurs(address)) return address;
  }
  return nullptr;
}

using CacheFunction = void (*)();

// CANN's second phase, for executors that CANN's first phase made.
class Handed : public Detour {
 public:
  explicit Handed(const CannFunction &function) : function_(function) {}
  aclnnStatus Run(SecondPhase, void *workspace, uint64_t bytes, aclOpExecutor *executor,
                  aclrtStream stream) const override {
    return function_.Second(workspace, bytes, executor, stream);
  }

 private:
  const CannFunction function_;
};

}  // namespace

void LeaveTorchCache() {
  static const auto leave = reinterpret_cast<CacheFunction>(Find("UnInitPTACacheThreadLocal"));
  if (leave != nullptr) leave();
}

// The first function that torch_npu calls before it gives a call a key in the cache. Without a key there is
// no caching.
WithoutCaches::WithoutCaches() {
  static const auto start = reinterpret_cast<CacheFunction>(Find("InitPTACacheThreadLocal"));
  if (start != nullptr) start();
}

CannFunction::CannFunction(const char *name)
    : first_(Find(std::string(name) + "GetWorkspaceSize")),
      second_(reinterpret_cast<SecondPhase>(Find(name))) {}

void CannFunction::SetSecondPhase(const aclOpExecutor *executor) const {
  SetDetour(executor, std::make_shared<const Handed>(*this));
}

}  // namespace avo
