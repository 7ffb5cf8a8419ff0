// SPDX-License-Identifier: BSL-1.0
#pragma once

// Everything but the ready models (parmac/models/), MPI (parmac/mpi.hpp), archives for submodels
// that are not flat (parmac/serialization.hpp), gzip (parmac/data/gzip.hpp) and the checks for
// users' own types (parmac/testing/).

#include "parmac/data/csv.hpp"
#include "parmac/data/idx.hpp"
#include "parmac/data/labels.hpp"
#include "parmac/data/npy.hpp"
#include "parmac/data/open.hpp"
#include "parmac/data/partition.hpp"
#include "parmac/data/points.hpp"
#include "parmac/data/vecs.hpp"
#include "parmac/retrieval/code_entropy.hpp"
#include "parmac/retrieval/faiss.hpp"
#include "parmac/retrieval/ground_truth.hpp"
#include "parmac/retrieval/hamming_search.hpp"
#include "parmac/retrieval/metrics.hpp"
#include "parmac/retrieval/packed_codes.hpp"
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
#include "parmac/train/agreement.hpp"
#include "parmac/train/trainer.hpp"
#include "parmac/version.hpp"
