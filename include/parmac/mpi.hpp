// SPDX-License-Identifier: BSL-1.0
#pragma once

// parmac over MPI: link parmac::mpi.

#include "parmac/parmac.hpp"
#include "parmac/ring/mpi/mpi_ring.hpp"
#include "parmac/ring/mpi/run_mpi.hpp"
#include "parmac/serialization.hpp"
