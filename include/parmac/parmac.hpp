// SPDX-License-Identifier: BSL-1.0
#pragma once

// Everything but MPI (parmac/mpi.hpp), archives for submodels that are not flat
// (parmac/serialization.hpp), gzip (parmac/data/gzip.hpp) and the checks for users' own types
// (parmac/testing/).

#include "parmac/ring/serial/serial_ring.hpp"
#include "parmac/ring/threads/thread_ring.hpp"
#include "parmac/schedule/geometric_penalty.hpp"
#include "parmac/schedule/listed_penalty.hpp"
#include "parmac/schedule/observe/csv_log.hpp"
#include "parmac/schedule/observe/progress.hpp"
#include "parmac/schedule/stop/any_of.hpp"
#include "parmac/schedule/stop/fixed_point.hpp"
#include "parmac/schedule/stop/limits.hpp"
#include "parmac/schedule/stop/validation.hpp"
#include "parmac/train/trainer.hpp"
#include "parmac/version.hpp"
