// SPDX-License-Identifier: Apache-2.0
#include "error.h"

struct aclDataBuffer {
  void *data;
  size_t size;
};

extern "C" {

aclDataBuffer *aclCreateDataBuffer(void *data, size_t size) try { return new aclDataBuffer{data, size}; }
SIM_CATCH

aclError aclDestroyDataBuffer(const aclDataBuffer *dataBuffer) try {
  SIM_REQUIRE_POINTER(dataBuffer);
  delete dataBuffer;
  return ACL_SUCCESS;
}
SIM_CATCH

aclError aclUpdateDataBuffer(aclDataBuffer *dataBuffer, void *data, size_t size) try {
  SIM_REQUIRE_POINTER(dataBuffer);
  *dataBuffer = {data, size};
  return ACL_SUCCESS;
}
SIM_CATCH

void *aclGetDataBufferAddr(const aclDataBuffer *dataBuffer) {
  return dataBuffer == nullptr ? nullptr : dataBuffer->data;
}

size_t aclGetDataBufferSizeV2(const aclDataBuffer *dataBuffer) {
  return dataBuffer == nullptr ? 0 : dataBuffer->size;
}

}  // extern "C"
