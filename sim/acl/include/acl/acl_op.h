// SPDX-License-Identifier: Apache-2.0
// Descriptions of single operators. The simulated device runs operators through their aclnn entry points
// only.
#pragma once

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct aclTensorDesc aclTensorDesc;
typedef struct aclopAttr aclopAttr;

typedef enum aclEngineType {
  ACL_ENGINE_SYS,
  ACL_ENGINE_AICORE,
  ACL_ENGINE_VECTOR,
} aclopEngineType;

#ifdef __cplusplus
}
#endif
