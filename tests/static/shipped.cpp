// SPDX-License-Identifier: BSL-1.0
// What is shipped models what it is meant to model, and little else.
#include <cstddef>
#include <stdexcept>
#include <type_traits>
#include <utility>

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
#include "parmac/solvers/hinge.hpp"
#include "parmac/solvers/squared_error.hpp"
#include "parmac/testing/archetypes.hpp"
#include "parmac/train/trainer.hpp"

using namespace parmac;

static_assert(Transport<SerialTransport> && Transport<ThreadTransport>);
static_assert(Topology<SerialRing> && Topology<ThreadRing>);
static_assert(!Transport<SerialRing> && !Topology<ThreadTransport>);
// A ring has one owner: two would take each other's messages.
static_assert(!std::is_copy_constructible_v<SerialRing> &&
              !std::is_copy_constructible_v<ThreadRing>);
static_assert(std::is_nothrow_move_constructible_v<ThreadRing>);

static_assert(PenaltySchedule<GeometricPenalty> && PenaltySchedule<ListedPenalty>);
static_assert(PenaltySchedule<AnyPenalty> && StoppingRule<AnyStoppingRule>);
static_assert(StoppingRule<FixedPoint> && StoppingRule<MaxIterations> && StoppingRule<TimeLimit>);
static_assert(StoppingRule<RelativeChange> && StoppingRule<Validation>);
static_assert(StoppingRule<AnyOf>);
static_assert(Observer<ProgressLine> && Observer<CsvLog>);
static_assert(!StoppingRule<GeometricPenalty> && !PenaltySchedule<FixedPoint>);

static_assert(SubmodelUpdate<HingeUpdate> && SubmodelUpdate<SquaredErrorUpdate>);

// The header in front of a message is what other machines read: its layout is fixed.
static_assert(sizeof(Envelope) == 32 && std::is_trivially_copyable_v<Envelope>);
static_assert(offsetof(Envelope, bytes) == 0 && offsetof(Envelope, points) == 8 &&
              offsetof(Envelope, kind) == 16 && offsetof(Envelope, step) == 20 &&
              offsetof(Envelope, baton) == 24 && offsetof(Envelope, position) == 28);

// Everything thrown can be caught as parmac::Error, and a stall as a failure of the transport.
static_assert(std::is_base_of_v<std::runtime_error, Error>);
static_assert(std::is_base_of_v<Error, ConfigError> && std::is_base_of_v<Error, DataError> &&
              std::is_base_of_v<Error, ShapeError> && std::is_base_of_v<Error, NumericalError> &&
              std::is_base_of_v<Error, TransportError> && std::is_base_of_v<Error, RemoteError> &&
              std::is_base_of_v<TransportError, StallError>);

// The trainer refers to a ring that has a name, and keeps one that has none.
using Model = testing::LeastSubmodels;
using Step = testing::LeastCoordinateStep<Model>;
static_assert(std::is_same_v<decltype(Trainer{std::declval<Model&>(), std::declval<Step&>(),
                                              std::declval<SerialRing&>()}),
                             Trainer<Model, Step, SerialRing&>>);
static_assert(
    std::is_same_v<decltype(Trainer{std::declval<Model&>(), std::declval<Step&>(), SerialRing{}}),
                   Trainer<Model, Step, SerialRing>>);
