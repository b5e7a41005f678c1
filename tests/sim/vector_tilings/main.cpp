// SPDX-License-Identifier: Apache-2.0
// Asks the host functions of vector functions. A line of standard input is "name rows columns type_bytes
// work", of TopK with three more words; the line of standard output has the bytes of work memory, or the
// fields of a tiling, which must be the same in the struct of the kernel and in the class of the host. The
// line "Fields" asks for all tiling structs, a line for each: its fields with their types and places.
#include <cstddef>
#include <cstring>
#include <iostream>
#include <sstream>

#include "tiling/tiling_api.h"

namespace {

struct Question {
  std::string name;
  ge::Shape shape;
  uint32_t rows = 0, columns = 0, type = 0, work = 0;
  // Of TopK, where `work` is k.
  bool groups = false, indexed = false, largest = false;
};

constexpr int kNoPlatform = 0;  // TopK asks for one and does not look at it

AscendC::TopKMode ModeOf(const Question &q) {
  return q.groups ? AscendC::TopKMode::TOPK_NSMALL : AscendC::TopKMode::TOPK_NORMAL;
}

template <typename Struct, typename Class, typename Ask>
void PrintTiling(const Ask &ask) {
  Struct plain, saved;
  Class data;
  ask(plain);
  ask(data);
  data.SaveToBuffer(&saved, data.GetDataSize());
  if (data.GetDataSize() != sizeof(Struct) || std::memcmp(&saved, &plain, sizeof(plain)) != 0) {
    std::cout << "the struct and the class differ\n";
    return;
  }
  uint32_t words[sizeof(Struct) / 4];
  std::memcpy(words, &plain, sizeof(plain));
  for (const uint32_t word : words) std::cout << word << " ";
  std::cout << "\n";
}

void PrintSizes(const Question &q) {
  using namespace AscendC;
  uint32_t most = 0, least = 0;
  const auto float_type = q.type == 4 ? ge::DT_FLOAT : ge::DT_FLOAT16;
  if (q.name == "Sum") GetSumMaxMinTmpSize(q.columns, q.type, false, most, least);
  if (q.name == "Mean") GetMeanMaxMinTmpSize(q.columns, q.type, 4, false, most, least);
  if (q.name == "ReduceMax") {
    GetReduceMaxMaxMinTmpSize(q.shape, float_type, ReducePattern::AR, true, false, most, least);
  }
  if (q.name == "ReduceSum") {
    GetReduceSumMaxMinTmpSize(q.shape, float_type, ReducePattern::AR, true, false, most, least);
  }
  if (q.name == "RmsNorm") GetRmsNormMaxMinTmpSize(q.shape, q.type, most, least);
  if (q.name == "AscendDequant") GetAscendDequantMaxMinTmpSize(q.shape, q.type, most, least);
  if (q.name == "Power") GetPowerMaxMinTmpSize(q.shape, ge::Shape({1}), false, q.type, false, most, least);
  if (q.name == "GroupNorm") {
    // `work` is the number of groups.
    GetGroupNormMaxMinTmpSize(ge::Shape({1, q.rows, q.columns, 1}), q.type, false, q.work, most, least);
  }
  if (q.name == "TopK") {
    GetTopKMaxMinTmpSize(kNoPlatform, q.columns, q.rows, false, q.indexed, ModeOf(q), q.largest, q.type, most,
                         least);
  }
  if (q.name == "Gelu") GetGeluMaxMinTmpSize(q.shape, q.type, most, least);
  if (q.name == "SoftMax") {
    most = GetSoftMaxMaxTmpSize(q.shape, q.type, false);
    least = GetSoftMaxMinTmpSize(q.shape, q.type, false);
  }
  std::cout << most << " " << least << "\n";
}

template <typename Struct, typename Class>
void PrintFields(const char *name, const std::string &fields) {
  std::cout << name << " " << (Class().GetDataSize() == sizeof(Struct) ? "alike" : "differ") << fields
            << "\n";
}

void PrintAllFields() {
#define FIELD(type, name) \
  fields += std::string(" " #type " " #name " ") + std::to_string(offsetof(Struct, name));
#define PRINT_FIELDS(Name, FIELDS)                      \
  {                                                     \
    using Struct = AscendC::tiling::Name;               \
    std::string fields;                                 \
    FIELDS(FIELD)                                       \
    PrintFields<Struct, optiling::Name>(#Name, fields); \
  }
  SIM_VECTOR_TILINGS(PRINT_FIELDS)
#undef PRINT_FIELDS
#undef FIELD
}

}  // namespace

int main() {
  std::string line;
  while (std::getline(std::cin, line)) {
    std::istringstream words(line);
    Question q;
    words >> q.name >> q.rows >> q.columns >> q.type >> q.work >> q.groups >> q.indexed >> q.largest;
    q.shape = ge::Shape({q.rows, q.columns});
    if (q.name == "SoftMaxTiling") {
      PrintTiling<AscendC::tiling::SoftMaxTiling, optiling::SoftMaxTiling>(
          [&](auto &tiling) { AscendC::SoftMaxTilingFunc(q.shape, q.type, q.work, tiling); });
    } else if (q.name == "UnPadTiling") {
      PrintTiling<AscendC::tiling::UnPadTiling, optiling::UnPadTiling>(
          [&](auto &tiling) { AscendC::UnPadTilingFunc(q.shape, q.work, q.type, tiling); });
    } else if (q.name == "RmsNormTiling") {
      const ge::Shape shape({1, q.rows, q.columns});
      PrintTiling<AscendC::tiling::RmsNormTiling, optiling::RmsNormTiling>(
          [&](auto &tiling) { AscendC::GetRmsNormTilingInfo(shape, shape, q.work, q.type, tiling); });
    } else if (q.name == "LayerNormTiling") {
      const ge::Shape shape({1, q.rows, q.columns, q.columns});
      PrintTiling<AscendC::tiling::LayerNormTiling, optiling::LayerNormTiling>(
          [&](auto &tiling) { AscendC::GetLayerNormNDTilingInfo(shape, q.work, q.type, false, tiling); });
    } else if (q.name == "LayerNormGradTiling") {
      const ge::Shape shape({1, q.rows, q.columns, q.columns});
      PrintTiling<AscendC::tiling::LayerNormGradTiling, optiling::LayerNormGradTiling>(
          [&](auto &tiling) { AscendC::GetLayerNormGradNDTilingInfo(shape, q.work, q.type, false, tiling); });
    } else if (q.name == "LayerNormGradBetaTiling") {
      const ge::Shape shape({1, q.rows, q.columns, q.columns});
      PrintTiling<AscendC::tiling::LayerNormGradBetaTiling, optiling::LayerNormGradBetaTiling>(
          [&](auto &tiling) {
            AscendC::GetLayerNormGradBetaNDTilingInfo(shape, q.work, q.type, false, tiling);
          });
    } else if (q.name == "SwapTiling") {
      const ge::Shape shape({2, 3, q.rows, q.columns});
      PrintTiling<AscendC::tiling::ConfusionTransposeTiling, optiling::ConfusionTransposeTiling>(
          [&](auto &tiling) { AscendC::GetTransposeTilingInfo(shape, q.work, q.type, 1, tiling); });
    } else if (q.name == "GroupNormTiling") {
      const ge::Shape shape({1, q.rows, q.columns, 1});
      PrintTiling<AscendC::tiling::GroupNormTiling, optiling::GroupNormTiling>([&](auto &tiling) {
        AscendC::GetGroupNormNDTilingInfo(shape, 4096, q.type, false, q.work, tiling);
      });
    } else if (q.name == "TopKTiling") {
      PrintTiling<AscendC::tiling::TopkTiling, optiling::TopkTiling>([&](auto &tiling) {
        AscendC::TopKTilingFunc(kNoPlatform, q.columns, q.rows, q.work, q.type, q.indexed, ModeOf(q),
                                q.largest, tiling);
      });
    } else if (q.name == "Fields") {
      PrintAllFields();
    } else {
      PrintSizes(q);
    }
  }
  return 0;
}
