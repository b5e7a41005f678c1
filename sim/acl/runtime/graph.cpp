// SPDX-License-Identifier: Apache-2.0
#include "graph.h"

#include <fstream>

#include "acl/acl_mdl.h"
#include "context.h"

namespace sim::runtime {

std::shared_ptr<Graph> Graph::Begin(const std::shared_ptr<Stream> &origin) {
  auto graph = std::make_shared<Graph>();
  graph->origin_ = origin.get();
  Join(graph, origin);
  return graph;
}

void Graph::Join(const std::shared_ptr<Graph> &graph, const std::shared_ptr<Stream> &stream) {
  {
    std::lock_guard<std::mutex> lock(graph->mutex_);
    graph->streams_.push_back(stream);
  }
  stream->SetCapture(graph);
}

void Graph::End() {
  std::vector<std::shared_ptr<Stream>> streams;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    capturing_ = false;
    streams.swap(streams_);
  }
  for (const std::shared_ptr<Stream> &stream : streams) stream->SetCapture(nullptr);
}

void Graph::Append(Task task) {
  std::lock_guard<std::mutex> lock(mutex_);
  tasks_.push_back(std::move(task));
}

void Graph::Replay(Stream &stream) const {
  std::lock_guard<std::mutex> lock(mutex_);
  for (const Task &task : tasks_) stream.Push(task);
}

size_t Graph::Tasks() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return tasks_.size();
}

bool Graph::Capturing() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return capturing_;
}

bool Graph::StartedBy(const Stream &stream) const { return origin_ == &stream; }

}  // namespace sim::runtime

using namespace sim::runtime;

namespace {

Registry<Graph> &Graphs() {
  static auto *graphs = new Registry<Graph>;  // never destroyed: threads may outlive main
  return *graphs;
}

std::shared_ptr<Graph> FindGraph(const char *call, aclmdlRI handle, aclError *code) {
  std::shared_ptr<Graph> graph = Graphs().Find(handle);
  if (graph == nullptr) {
    *code = Fail(ACL_ERROR_RT_INVALID_HANDLE, call, ": modelRI ", handle, " is no captured graph");
  } else if (graph->Capturing()) {
    *code = Fail(ACL_ERROR_RT_MODEL_CAPTURED, call,
                 ": modelRI is still being captured; call aclmdlRICaptureEnd first");
    graph = nullptr;
  }
  return graph;
}

aclError Execute(const char *call, aclmdlRI handle, aclrtStream stream_handle,
                 std::shared_ptr<Stream> *stream) {
  aclError code = ACL_SUCCESS;
  const std::shared_ptr<Graph> graph = FindGraph(call, handle, &code);
  if (graph == nullptr) return code;
  *stream = UseStream(call, stream_handle, &code);
  if (*stream != nullptr) graph->Replay(**stream);
  return code;
}

}  // namespace

extern "C" {

aclError aclmdlRICaptureBegin(aclrtStream stream, aclmdlRICaptureMode) try {
  aclError code = ACL_SUCCESS;
  const std::shared_ptr<Stream> origin = UseStream(__func__, stream, &code);
  if (origin == nullptr) return code;
  if (origin->Capture() != nullptr) {
    return Fail(ACL_ERROR_RT_STREAM_CAPTURED, __func__, ": stream ", origin->id(),
                " is being captured already");
  }
  Graphs().Add(Graph::Begin(origin));
  return ACL_SUCCESS;
}
SIM_CATCH

aclError aclmdlRICaptureGetInfo(aclrtStream stream, aclmdlRICaptureStatus *status, aclmdlRI *modelRI) try {
  aclError code = ACL_SUCCESS;
  const std::shared_ptr<Stream> found = FindStream(__func__, stream, &code);
  if (found == nullptr) return code;
  const std::shared_ptr<Graph> graph = found->Capture();
  if (status != nullptr) {
    *status = graph == nullptr ? ACL_MODEL_RI_CAPTURE_STATUS_NONE : ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE;
  }
  if (modelRI != nullptr) *modelRI = graph.get();
  return ACL_SUCCESS;
}
SIM_CATCH

aclError aclmdlRICaptureEnd(aclrtStream stream, aclmdlRI *modelRI) try {
  SIM_REQUIRE_POINTER(modelRI);
  aclError code = ACL_SUCCESS;
  const std::shared_ptr<Stream> found = UseStream(__func__, stream, &code);
  if (found == nullptr) return code;
  const std::shared_ptr<Graph> graph = found->Capture();
  if (graph == nullptr) {
    return Fail(ACL_ERROR_RT_STREAM_NOT_CAPTURED, __func__, ": stream ", found->id(),
                " is not being captured");
  }
  if (!graph->StartedBy(*found)) {
    return Fail(ACL_ERROR_RT_STREAM_CAPTURE_UNMATCHED, __func__, ": the capture was not begun on stream ",
                found->id());
  }
  graph->End();
  *modelRI = graph.get();
  return ACL_SUCCESS;
}
SIM_CATCH

// A capture never forbids other calls here, whatever its mode.
aclError aclmdlRICaptureThreadExchangeMode(aclmdlRICaptureMode *mode) try {
  SIM_REQUIRE_POINTER(mode);
  thread_local aclmdlRICaptureMode current = ACL_MODEL_RI_CAPTURE_MODE_GLOBAL;
  std::swap(*mode, current);
  return ACL_SUCCESS;
}
SIM_CATCH

aclError aclmdlRIExecuteAsync(aclmdlRI modelRI, aclrtStream stream) try {
  std::shared_ptr<Stream> target;
  return Execute(__func__, modelRI, stream, &target);
}
SIM_CATCH

aclError aclmdlRIExecute(aclmdlRI modelRI, int32_t timeout) try {
  std::shared_ptr<Stream> target;
  const aclError code = Execute(__func__, modelRI, nullptr, &target);
  return code != ACL_SUCCESS ? code : ReturnStatus(__func__, target->Synchronize(timeout));
}
SIM_CATCH

aclError aclmdlRIDebugJsonPrint(aclmdlRI modelRI, const char *path, uint32_t) try {
  SIM_REQUIRE_POINTER(path);
  aclError code = ACL_SUCCESS;
  const std::shared_ptr<Graph> graph = FindGraph(__func__, modelRI, &code);
  if (graph == nullptr) return code;
  std::ofstream file(path);
  file << "{\"tasks\": " << graph->Tasks() << "}\n";
  file.close();
  return file ? ACL_SUCCESS : Fail(ACL_ERROR_INVALID_FILE, __func__, ": cannot write ", path);
}
SIM_CATCH

aclError aclmdlRIDestroy(aclmdlRI modelRI) try {
  aclError code = ACL_SUCCESS;
  if (FindGraph(__func__, modelRI, &code) != nullptr) Graphs().Take(modelRI);
  return code;
}
SIM_CATCH

}  // extern "C"
