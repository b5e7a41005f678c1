// SPDX-License-Identifier: Apache-2.0
// CANN has tiling structs of its high-level API here. The small headers have no such API.
#pragma once
