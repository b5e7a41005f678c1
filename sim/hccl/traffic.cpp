// SPDX-License-Identifier: Apache-2.0
#include "traffic.h"

#include <map>
#include <mutex>
#include <sstream>
#include <tuple>

#include "hccl/hccl.h"

namespace sim::hccl {
namespace {

struct Count {
  uint64_t calls = 0;
  uint64_t given = 0;
  uint64_t gotten = 0;
};

struct Traffic {
  using Key = std::tuple<std::string, uint32_t, uint32_t, Kind>;  // communicator, ranks, rank, kind

  std::mutex mutex;
  std::map<Key, Count> counts;

  static Traffic &Get() {
    static auto *traffic = new Traffic;  // never destroyed: threads may outlive main
    return *traffic;
  }

  std::string Json() {
    std::lock_guard<std::mutex> lock(mutex);
    std::ostringstream text;
    const char *separator = "[";
    for (const auto &[key, count] : counts) {
      const auto &[name, ranks, rank, kind] = key;
      text << separator << "{\"communicator\": \"" << Escaped(name) << "\", \"ranks\": " << ranks
           << ", \"rank\": " << rank << ", \"call\": \"" << NameOf(kind) << "\", \"calls\": " << count.calls
           << ", \"sent\": " << count.given << ", \"received\": " << count.gotten << '}';
      separator = ", ";
    }
    text << (counts.empty() ? "[]" : "]");
    return text.str();
  }

 private:
  static std::string Escaped(const std::string &text) {
    std::string escaped;
    for (const char letter : text) {
      if (letter == '"' || letter == '\\') escaped += '\\';
      escaped += static_cast<unsigned char>(letter) < ' ' ? ' ' : letter;
    }
    return escaped;
  }
};

}  // namespace

void CountTraffic(const Communicator &communicator, Kind kind, size_t given, size_t gotten) {
  Traffic &traffic = Traffic::Get();
  std::lock_guard<std::mutex> lock(traffic.mutex);
  Count &count = traffic.counts[{communicator.name(), communicator.ranks(), communicator.rank(), kind}];
  ++count.calls;
  count.given += given;
  count.gotten += gotten;
}

}  // namespace sim::hccl

extern "C" const char *simHcclTraffic() try {
  thread_local std::string text;
  text = sim::hccl::Traffic::Get().Json();
  return text.c_str();
} catch (...) {
  return "[]";
}
