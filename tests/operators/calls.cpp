// SPDX-License-Identifier: Apache-2.0
// An operator that copies bytes, behind the stand-in of CANN's framework: what callers of its entry point
// see.
#include <algorithm>
#include <cstring>
#include <memory>

#include "../acl/acl_test.h"
#include "engine/launch.h"
#include "kernel_operator.h"
#include "operators/inner_entry.h"
#include "operators/kernels.h"
#include "register/op_impl_registry.h"

using namespace acl_test;
using namespace sim::operators;

namespace {

constexpr uint64_t kLibraryBytes = 16 * 1024 * 1024;
constexpr int kNullPointer = 161001, kInvalid = 161002, kTiling = 561002, kNoKernel = 561003;

struct BytesTiling {
  int64_t bytes;
};

void CopyBytes(GM_ADDR src, GM_ADDR dst, GM_ADDR tiling) {
  GET_TILING_DATA_WITH_STRUCT(BytesTiling, tilingData, tiling);
  AscendC::TPipe pipe;
  AscendC::TQueBind<AscendC::TPosition::VECIN, AscendC::TPosition::VECOUT, 1> queue;
  pipe.InitBuffer(queue, 1, 1024);
  AscendC::GlobalTensor<uint8_t> in, out;
  in.SetGlobalBuffer(src);
  out.SetGlobalBuffer(dst);
  const AscendC::DataCopyExtParams params(1, static_cast<uint32_t>(tilingData.bytes), 0, 0, 0);
  auto tile = queue.AllocTensor<uint8_t>();
  AscendC::DataCopyPad(tile, in, params, AscendC::DataCopyPadExtParams<uint8_t>(false, 0, 0, 0));
  queue.EnQue(tile);
  tile = queue.DeQue<uint8_t>();
  AscendC::DataCopyPad(out, tile, params);
  queue.FreeTensor(tile);
}

sim::Kernel KernelOf(sim::KernelType type) {
  sim::Kernel kernel;
  kernel.name = "copy_bytes";
  kernel.type = type;
  // Arguments: input, optional input, output, workspace, tiling.
  kernel.invoke = [](void *const *args) {
    CopyBytes(static_cast<GM_ADDR>(args[0]), static_cast<GM_ADDR>(args[2]), static_cast<GM_ADDR>(args[4]));
  };
  return kernel;
}

const sim::Kernel kVectorKernel = KernelOf(sim::KernelType::kVector);
const sim::Kernel kCubeKernel = KernelOf(sim::KernelType::kCube);

// The attributes: the bytes of an element, and the workspace that the tiling asks for.
ge::graphStatus Tile(gert::TilingContext *context) {
  const int64_t *item = context->GetAttrs()->GetInt(0);
  const int64_t *workspace = context->GetAttrs()->GetInt(1);
  if (item == nullptr || workspace == nullptr || context->GetAttrs()->GetFloat(0) != nullptr)
    return ge::GRAPH_FAILED;
  if (context->GetOptionalInputShape(1) != nullptr) return ge::GRAPH_FAILED;
  context->GetTilingData<BytesTiling>()->bytes =
      *item * context->GetInputShape(0)->GetOriginShape().GetShapeSize();
  *context->GetWorkspaceSizes(1) = static_cast<size_t>(*workspace);
  context->SetBlockDim(1);
  return context->SetTilingKey(0);
}

ge::graphStatus InferShape(gert::InferShapeContext *context) {
  *context->GetOutputShape(0) = *context->GetInputShape(0);
  return ge::GRAPH_SUCCESS;
}

ge::graphStatus InferDataType(gert::InferDataTypeContext *context) {
  return context->SetOutputDataType(0, context->GetInputDataType(0));
}

const TensorRule kInputs[] = {{"x", true, true}, {"extra", false, true}};
const TensorRule kAsTheyAre[] = {{"x", true, false}, {"extra", false, false}};
const TensorRule kOutputs[] = {{"y", true, false}};
const Cell kCells[] = {
    {ge::DT_INT32, ge::FORMAT_ND}, {ge::DT_FLOAT, ge::FORMAT_ND}, {ge::DT_INT32, ge::FORMAT_ND}};
const char *const kSocs[] = {"ascend310p", "ascend910b"};

OperatorRule Rule(const char *type) { return {type, kInputs, 2, kOutputs, 1, kCells, 1, kSocs, 2}; }

[[maybe_unused]] const bool registered = [] {
  gert::OpImplRegisterV2("Copy").Tiling(Tile).InferShape(InferShape).InferDataType(InferDataType);
  AddKernel("Copy", {ge::DT_INT32, ge::DT_FLOAT, ge::DT_INT32}, kVectorKernel);
  gert::OpImplRegisterV2("CopyOnCube").Tiling(Tile);
  AddKernel("CopyOnCube", {ge::DT_INT32, ge::DT_FLOAT, ge::DT_INT32}, kCubeKernel);
  gert::OpImplRegisterV2("CopyWithoutKernel").Tiling(Tile);
  return true;
}();

using Tensor = std::unique_ptr<aclTensor, aclnnStatus (*)(const aclTensor *)>;

Tensor MakeTensor(const std::vector<int64_t> &shape, void *data, const std::vector<int64_t> &strides = {},
                  aclDataType dtype = ACL_INT32, aclFormat format = ACL_FORMAT_ND) {
  return Tensor(aclCreateTensor(shape.data(), shape.size(), dtype, strides.empty() ? nullptr : strides.data(),
                                0, format, shape.data(), shape.size(), data),
                aclDestroyTensor);
}

// The two phases.
struct Call {
  explicit Call(OperatorRule rule) : rule(rule) {}

  aclnnStatus Plan(const aclTensor *x, const aclTensor *y) {
    InnerCall call(rule);
    call.Input(x);
    call.Input(nullptr);
    call.Attribute(int64_t{4});
    call.Attribute(asked);
    call.Output(y);
    return call.Plan(&workspace, &executor);
  }

  void Run(const aclTensor *x, const aclTensor *y) {
    CHECK_OK(Plan(x, y));
    const std::unique_ptr<Buffer> memory(workspace == 0 ? nullptr : new Buffer(workspace));
    Stream stream;
    CHECK_OK(RunInner(memory ? memory->data : nullptr, workspace, executor, stream.handle));
    CHECK_OK(aclrtSynchronizeStream(stream.handle));
  }

  OperatorRule rule;
  int64_t asked = 0;
  uint64_t workspace = 0;
  aclOpExecutor *executor = nullptr;
};

const std::vector<int32_t> kNumbers = {1, 2, 3, 4, 5, 6};

struct Memory {
  Memory() : x(24), y(24) {
    x.Upload(kNumbers);
    y.Upload(std::vector<int32_t>(6, -1));
  }
  Session session;
  Buffer x, y;
};

}  // namespace

ACL_TEST(a_call_reaches_the_kernel) {
  Memory memory;
  Call call(Rule("Copy"));
  call.Run(MakeTensor({2, 3}, memory.x.data).get(), MakeTensor({2, 3}, memory.y.data).get());
  CHECK(memory.y.Download<int32_t>() == kNumbers);
}

ACL_TEST(formats_that_name_dimensions_count_as_nd) {
  Memory memory;
  Call call(Rule("Copy"));
  call.Run(MakeTensor({1, 1, 2, 3}, memory.x.data, {}, ACL_INT32, ACL_FORMAT_NCHW).get(),
           MakeTensor({1, 1, 2, 3}, memory.y.data, {}, ACL_INT32, ACL_FORMAT_NCHW).get());
  CHECK(memory.y.Download<int32_t>() == kNumbers);
}

ACL_TEST(an_input_that_is_not_dense_is_copied_where_the_definition_says_so) {
  Memory memory;
  const Tensor transposed = MakeTensor({3, 2}, memory.x.data, {1, 3});
  const Tensor y = MakeTensor({3, 2}, memory.y.data);
  Call call(Rule("Copy"));
  call.Run(transposed.get(), y.get());
  CHECK((memory.y.Download<int32_t>() == std::vector<int32_t>{1, 4, 2, 5, 3, 6}));
  CHECK(call.workspace >= 24);
  Call as_it_is(Rule("Copy"));
  as_it_is.rule.inputs = kAsTheyAre;
  as_it_is.Run(transposed.get(), y.get());
  CHECK(memory.y.Download<int32_t>() == kNumbers);
}

ACL_TEST(a_result_is_written_dense_whatever_its_strides) {
  Memory memory;
  Call call(Rule("Copy"));
  call.Run(MakeTensor({3}, memory.x.data).get(), MakeTensor({3}, memory.y.data, {2}).get());
  CHECK((memory.y.Download<int32_t>() == std::vector<int32_t>{1, 2, 3, -1, -1, -1}));
}

ACL_TEST(an_executor_can_run_again_with_other_addresses) {
  Memory memory;
  const Tensor x = MakeTensor({6}, memory.x.data), y = MakeTensor({6}, memory.y.data);
  Call call(Rule("Copy"));
  CHECK_OK(call.Plan(x.get(), y.get()));
  CHECK_OK(aclSetAclOpExecutorRepeatable(call.executor));
  Buffer other(24);
  CHECK_OK(aclSetOutputTensorAddr(call.executor, 0, y.get(), other.data));
  CHECK_OK(RunInner(nullptr, 0, call.executor, nullptr));
  CHECK_OK(aclrtSynchronizeDevice());
  CHECK(other.Download<int32_t>() == kNumbers);
  CHECK(memory.y.Download<int32_t>() == std::vector<int32_t>(6, -1));
  CHECK_OK(aclDestroyAclOpExecutor(call.executor));
}

ACL_TEST(results_without_elements_need_no_tiling) {
  Memory memory;
  Call call(Rule("NobodyRegisteredThis"));
  call.Run(MakeTensor({0, 3}, memory.x.data).get(), MakeTensor({0, 3}, memory.y.data).get());
  CHECK(call.workspace == 0);
}

ACL_TEST(tensors_that_the_definition_does_not_take_are_refused) {
  Memory memory;
  const Tensor x = MakeTensor({6}, memory.x.data), y = MakeTensor({6}, memory.y.data);
  Call call(Rule("Copy"));
  CHECK_FAILS(call.Plan(nullptr, y.get()), kNullPointer, "x: expected a tensor, got null");
  CHECK_FAILS(call.Plan(x.get(), nullptr), kNullPointer, "y: expected a tensor, got null");
  CHECK_FAILS(call.Plan(MakeTensor({6}, memory.x.data, {}, ACL_FLOAT).get(), y.get()), kInvalid,
              "x of dtype 0");
  CHECK_FAILS(call.Plan(MakeTensor({6}, memory.x.data, {}, ACL_INT32, ACL_FORMAT_FRACTAL_NZ).get(), y.get()),
              kInvalid, "format 29");
  call.rule.soc_count = 1;
  CHECK_FAILS(call.Plan(x.get(), y.get()), kNoKernel, "no configuration for Ascend910B");
}

ACL_TEST(a_package_that_lacks_something_is_an_error) {
  Memory memory;
  const Tensor x = MakeTensor({6}, memory.x.data), y = MakeTensor({6}, memory.y.data);
  CHECK_FAILS(Call(Rule("NobodyRegisteredThis")).Plan(x.get(), y.get()), kTiling, "ASCEND_CUSTOM_OPP_PATH");
  CHECK_FAILS(Call(Rule("CopyWithoutKernel")).Plan(x.get(), y.get()), kNoKernel, "no kernel");
}

ACL_TEST(the_library_takes_its_part_of_a_workspace) {
  Memory memory;
  const Tensor x = MakeTensor({6}, memory.x.data), y = MakeTensor({6}, memory.y.data);
  Call call(Rule("Copy"));
  call.asked = kLibraryBytes + 64;
  call.Run(x.get(), y.get());
  CHECK(call.workspace >= kLibraryBytes + 64);
  Call cube(Rule("CopyOnCube"));
  cube.asked = kLibraryBytes;
  CHECK_OK(cube.Plan(x.get(), y.get()));
  cube.asked = 64;
  CHECK_FAILS(cube.Plan(x.get(), y.get()), kTiling, "expected a workspace of at least the 16777216 bytes");
}

ACL_TEST(the_inference_of_shapes_is_compared_with_the_results) {
  Memory memory;
  setenv("AVO_SIM_INFER", "1", 1);
  Call call(Rule("Copy"));
  const Tensor x = MakeTensor({2, 3}, memory.x.data);
  CHECK_OK(call.Plan(x.get(), MakeTensor({2, 3}, memory.y.data).get()));
  CHECK_FAILS(call.Plan(x.get(), MakeTensor({3, 2}, memory.y.data).get()), 561000,
              "y: the inference of shapes found [2, 3], the caller's has [3, 2]");
}
