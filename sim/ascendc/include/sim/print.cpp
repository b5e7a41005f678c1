// SPDX-License-Identifier: Apache-2.0
#include "print.h"

#include <algorithm>
#include <fstream>

#include "../../engine/core_state.h"

namespace sim {
namespace {

// The elements of dimension `dim` and those inside, from element *next on.
std::string Dimension(const std::vector<std::string> &elements, const std::vector<uint32_t> &shape,
                      size_t dim, size_t *next) {
  std::string text = "[";
  for (uint32_t i = 0; i < shape[dim]; ++i) {
    if (dim + 1 < shape.size()) {
      text += (i == 0 ? "" : ",\n") + Dimension(elements, shape, dim + 1, next);
    } else {
      text += (i == 0 ? "" : ", ") + (*next < elements.size() ? elements[*next] : "-");
      ++*next;
    }
  }
  return text + "]";
}

}  // namespace

std::vector<std::byte> Peek(Space space, uint64_t address, uint64_t bytes) {
  CoreState &state = Core::Current().state();
  uint64_t end = state.model->bytes[Index(space)];
  if (space == Space::GM) {
    void *start = nullptr;
    uint64_t size = 0;
    const bool found = state.memory->Find(reinterpret_cast<const void *>(address), 1, &start, &size);
    end = found ? reinterpret_cast<uint64_t>(start) + size : 0;
  }
  if (address >= end) return {};
  const std::byte *memory = state.Memory(space, address);
  return {memory, memory + std::min(bytes, end - address)};
}

std::string ShapedText(const std::vector<std::string> &elements, const std::vector<uint32_t> &shape) {
  size_t next = 0;
  return Dimension(elements,
                   shape.empty() ? std::vector<uint32_t>{static_cast<uint32_t>(elements.size())} : shape, 0,
                   &next);
}

int SaveBytes(Space space, uint64_t address, uint64_t bytes, const std::string &file) {
  const std::vector<std::byte> values = Peek(space, address, bytes);
  std::ofstream stream(file, std::ios::binary);
  stream.write(reinterpret_cast<const char *>(values.data()), static_cast<std::streamsize>(values.size()));
  stream.close();
  return stream ? 0 : 1;
}

}  // namespace sim
