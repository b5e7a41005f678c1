// SPDX-License-Identifier: Apache-2.0
// Asks the tiling API of Matmul. A line of standard input is "cores m n k type transposes_b to_ub biased
// base_m base_n base_k", with -1 for what nobody fixes, and may go on with "single_m single_n single_k",
// where cores may divide k too, "a_in_tscm nine_blocks sparse", 0 or 1 each. The line of standard output has
// the fields of the tiling, or -1.
#include <iostream>
#include <sstream>

#include "tiling/tiling_api.h"

int main() {
  using namespace matmul_tiling;
  std::string line;
  while (std::getline(std::cin, line)) {
    std::istringstream words(line);
    int cores = 0, m = 0, n = 0, k = 0, type = 0, base_m = 0, base_n = 0, base_k = 0;
    int single_m = -1, single_n = -1, single_k = -1;
    bool transposed = false, to_ub = false, biased = false;
    words >> cores >> m >> n >> k >> type >> transposed >> to_ub >> biased >> base_m >> base_n >> base_k;
    words >> single_m >> single_n >> single_k;
    bool in_tscm = false, nine_blocks = false, sparse = false;
    words >> in_tscm >> nine_blocks >> sparse;
    MultiCoreMatmulTiling api(*platform_ascendc::PlatformAscendCManager::GetInstance());
    const auto factor = static_cast<DataType>(type);
    const auto sum = factor == DataType::DT_INT8 ? DataType::DT_INT32 : DataType::DT_FLOAT;
    api.SetDim(cores);
    api.SetAType(in_tscm ? TPosition::TSCM : TPosition::GM, CubeFormat::ND, factor);
    api.SetBType(TPosition::GM, CubeFormat::ND, factor, transposed);
    api.SetCType(to_ub ? TPosition::VECIN : TPosition::GM, CubeFormat::ND, sum);
    api.SetBiasType(TPosition::GM, CubeFormat::ND, sum);
    api.SetOrgShape(m, n, k);
    api.SetShape(m, n, k);
    api.EnableBias(biased);
    api.SetFixSplit(base_m, base_n, base_k);
    api.SetSingleShape(single_m, single_n, single_k);
    api.EnableMultiCoreSplitK(single_k > 0);
    api.SetSparse(sparse);
    if (nine_blocks) api.SetMatmulConfigParams({1, false, ScheduleType::N_BUFFER_33});
    api.SetBufferSpace(-1, -1, -1);
    AscendC::tiling::TCubeTiling plain;
    optiling::TCubeTiling data;
    if (api.GetTiling(plain) != 0 || api.GetTiling(data) != 0) {
      std::cout << "-1\n";
      continue;
    }
    AscendC::tiling::TCubeTiling saved;
    data.SaveToBuffer(&saved, data.GetDataSize());
#define PRINT(name) std::cout << (saved.name == plain.name ? plain.name : -99) << " ";
    SIM_CUBE_TILING_FIELDS(PRINT)
#undef PRINT
    std::cout << "\n";
  }
  return 0;
}
