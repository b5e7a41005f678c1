// SPDX-License-Identifier: Apache-2.0
// The content of aclnn arrays, of which the operator of these tests takes none.
#pragma once
