// SPDX-License-Identifier: BSL-1.0
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "parmac/models/binary_autoencoder.hpp"
#include "parmac/mpi.hpp"

/// What the command line asks for.
struct Options {
  // Data
  std::string learn, base, query, groundtruth, output;
  std::vector<double> shares;
  parmac::Index validation = 0;
  // Model
  parmac::Index bits = 16;
  parmac::BinaryAutoencoderSettings model;
  parmac::BinaryStartSettings start;
  parmac::BinaryCoordinatesSettings coordinates;
  // Training
  parmac::FitSettings fit;
  double mu = 1e-4, mu_factor = 1.4;
  std::vector<double> mu_list;
  double min_change = 0, time_limit = 0;
  int patience = 2;
  // Retrieval
  std::vector<parmac::Index> recall{1, 10, 100, 1000};
  parmac::Index neighbours = 100;
  // The ring
  parmac::MpiSettings mpi;
  parmac::Patience waiting;

  /// Fills itself from the command line. The status to leave with, if the program is to end here;
  /// only one rank says why.
  std::optional<int> parse(int argc, char** argv, bool speak);

  /// The penalty schedule that was asked for.
  [[nodiscard]] parmac::AnyPenalty penalty() const {
    if (!mu_list.empty()) return parmac::ListedPenalty(mu_list);
    return parmac::GeometricPenalty(mu, mu_factor);
  }
};

inline std::optional<int> Options::parse(int argc, char** argv, bool speak) {
  CLI::App app(
      "Learns binary hash codes with a binary autoencoder on a ring of MPI ranks (run it under\n"
      "mpirun, or alone), and measures how well they find nearest neighbours, beside the codes of\n"
      "truncated PCA (tPCA). Every rank maps only its own share of the learn and base files.",
      "binary_autoencoder");
  app.set_version_flag("--version", "parmac " PARMAC_VERSION);
  const std::string formats = " (.fvecs .bvecs .npy .idx idx3-ubyte, also .gz)";

  app.add_option("--learn", learn, "Points to learn from" + formats)->required()->group("Data");
  app.add_option("--base", base, "Points to search in; the learn file unless given")->group("Data");
  app.add_option("--query", query, "Points to search for; without them nothing is measured")
      ->group("Data");
  app.add_option(
         "--groundtruth", groundtruth,
         "True neighbours of each query in base, nearest first (.ivecs); computed unless given")
      ->group("Data");
  app.add_option("--shares", shares, "Relative share of the points for each rank, such as 2,1,1")
      ->delimiter(',')
      ->group("Data");
  app.add_option("--validation", validation,
                 "Keep the last so many learn points out of the training, and stop when their "
                 "reconstruction no longer improves")
      ->group("Data");
  app.add_option(
         "--output", output,
         "Folder for model.parmac, base_codes.npy, query_codes.npy, iterations.csv, recall.csv")
      ->group("Data");

  const std::map<std::string, parmac::BinaryStart> starts{{"pca", parmac::BinaryStart::pca},
                                                          {"itq", parmac::BinaryStart::itq}};
  const std::map<std::string, parmac::DecoderFit> decoders{{"exact", parmac::DecoderFit::exact},
                                                           {"sgd", parmac::DecoderFit::sgd}};
  const std::map<std::string, parmac::BinaryMethod> methods{
      {"automatic", parmac::BinaryMethod::automatic},
      {"exact", parmac::BinaryMethod::exact},
      {"alternating", parmac::BinaryMethod::alternating},
      {"enumeration", parmac::BinaryMethod::enumeration}};
  app.add_option("--bits", bits, "Length L of the codes")->capture_default_str()->group("Model");
  app.add_option("--start", start.kind, "First codes: pca or itq")
      ->transform(CLI::CheckedTransformer(starts))
      ->default_str("pca")
      ->group("Model");
  app.add_option("--itq-iterations", start.itq_iterations, "Of --start itq")
      ->capture_default_str()
      ->group("Model");
  app.add_option("--decoder", model.decoder, "exact (least squares) or sgd")
      ->transform(CLI::CheckedTransformer(decoders))
      ->default_str("exact")
      ->group("Model");
  app.add_option("--ridge", model.ridge, "Regulariser of the exact decoder")
      ->capture_default_str()
      ->group("Model");
  app.add_option("--lambda", model.lambda, "Regulariser of the encoder's SVMs")
      ->capture_default_str()
      ->group("Model");
  app.add_option("--minibatch", model.minibatch, "Points an SGD update")
      ->capture_default_str()
      ->group("Model");
  app.add_option("--shuffle-chunk", model.chunk, "Points that are shuffled together")
      ->capture_default_str()
      ->group("Model");
  app.add_option("--step-size", model.encoder_step,
                 "First step size of the encoder; 0: found on a sample")
      ->capture_default_str()
      ->group("Model");
  app.add_option("--decoder-step-size", model.decoder_step, "The same for --decoder sgd")
      ->capture_default_str()
      ->group("Model");
  app.add_option("--step-sample", start.sample, "Points of each rank that step sizes are found on")
      ->capture_default_str()
      ->group("Model");

  app.add_option("--epochs", fit.epochs, "Passes over all points in a W step")
      ->capture_default_str()
      ->group("Training");
  app.add_flag("--local-epochs", fit.local_epochs,
               "All passes at each stop: two rounds of messages")
      ->group("Training");
  app.add_flag("--shuffle-ring", fit.shuffle_ring, "Another order of the ranks in every lap")
      ->group("Training");
  app.add_option("--batons", fit.batons_per_machine, "Ranges of each layer that start on each rank")
      ->capture_default_str()
      ->group("Training");
  app.add_option("--mu", mu, "Penalty of the first iteration")
      ->capture_default_str()
      ->group("Training");
  app.add_option("--mu-factor", mu_factor, "Growth of the penalty from iteration to iteration")
      ->capture_default_str()
      ->group("Training");
  app.add_option("--mu-list", mu_list, "The penalties one by one instead, such as 0.001,0.01,0.1")
      ->delimiter(',')
      ->group("Training");
  app.add_option("--z-step", coordinates.method, "automatic, exact, alternating or enumeration")
      ->transform(CLI::CheckedTransformer(methods))
      ->default_str("automatic")
      ->group("Training");
  app.add_option("--exact-bits", coordinates.exact_bits, "Where automatic ends to be exact")
      ->capture_default_str()
      ->group("Training");
  app.add_option("--node-budget", coordinates.node_budget,
                 "Nodes a point of the exact search; 0: no limit")
      ->capture_default_str()
      ->group("Training");
  app.add_option("--threads", coordinates.threads,
                 "Threads of each rank for the Z step and the search")
      ->capture_default_str()
      ->group("Training");
  app.add_option("--seed", fit.seed, "Of all random numbers")
      ->capture_default_str()
      ->group("Training");
  app.add_flag("!--no-final-fit", fit.final_fit, "Leave the decoder as the last iteration made it")
      ->group("Training");

  app.add_option("--max-iterations", fit.max_iterations,
                 "Stop after so many iterations; a run also stops when "
                 "all codes are what the encoder says")
      ->capture_default_str()
      ->group("Stopping");
  app.add_option("--min-change", min_change,
                 "Stop when the objective changes by a smaller fraction")
      ->group("Stopping");
  app.add_option("--time-limit", time_limit, "Stop after so many seconds")->group("Stopping");
  app.add_option("--patience", patience, "Iterations without improvement, with --validation")
      ->capture_default_str()
      ->group("Stopping");

  app.add_option("--recall", recall, "The R of recall@R")
      ->delimiter(',')
      ->default_str("1,10,100,1000")
      ->group("Retrieval");
  app.add_option("--neighbours", neighbours, "k of precision@k: rows retrieved and true neighbours")
      ->capture_default_str()
      ->group("Retrieval");

  app.add_option("--message-bytes", mpi.max_chunk_bytes, "Longest MPI message")
      ->capture_default_str()
      ->group("Ring");
  app.add_flag("--synchronous-sends", mpi.synchronous_sends,
               "For debugging: rely on no buffer of MPI")
      ->group("Ring");
  app.add_option("--stall-report", waiting.report_after,
                 "Say who waits for what after so many seconds; 0: never")
      ->capture_default_str()
      ->group("Ring");
  app.add_option("--stall-stop", waiting.stop_after,
                 "End the run after so many seconds of waiting; 0: never")
      ->capture_default_str()
      ->group("Ring");

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& end) {
    if (!speak) return end.get_exit_code() == 0 ? 0 : 1;
    return app.exit(end) == 0 ? 0 : 1;
  }
  if (base.empty()) base = learn;
  return std::nullopt;
}
