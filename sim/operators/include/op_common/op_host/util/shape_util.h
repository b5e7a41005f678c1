// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "util/shape_util.h"
