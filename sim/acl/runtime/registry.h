// SPDX-License-Identifier: Apache-2.0
// The handles that programs hold. An unknown or destroyed handle is an error and never a crash.
#pragma once

#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace sim::runtime {

template <typename T>
class Registry {
 public:
  void *Add(std::shared_ptr<T> object) {
    std::lock_guard<std::mutex> lock(mutex_);
    void *handle = object.get();
    objects_.emplace(handle, std::move(object));
    return handle;
  }

  std::shared_ptr<T> Find(const void *handle) const {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto found = objects_.find(handle);
    return found == objects_.end() ? nullptr : found->second;
  }

  // Removes the object and returns it; nullptr where the handle is unknown.
  std::shared_ptr<T> Take(const void *handle) {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto found = objects_.find(handle);
    if (found == objects_.end()) return nullptr;
    std::shared_ptr<T> object = std::move(found->second);
    objects_.erase(found);
    return object;
  }

  std::vector<std::shared_ptr<T>> All() const {
    std::lock_guard<std::mutex> lock(mutex_);
    std::vector<std::shared_ptr<T>> all;
    all.reserve(objects_.size());
    for (const auto &entry : objects_) all.push_back(entry.second);
    return all;
  }

 private:
  mutable std::mutex mutex_;
  std::unordered_map<const void *, std::shared_ptr<T>> objects_;
};

}  // namespace sim::runtime
