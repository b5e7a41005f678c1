// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ascendc/host_api/tiling/template_argument.h"
