// SPDX-License-Identifier: BSL-1.0
//
// docs/howto/transports.md: a transport of one's own, checked, and a ring over it.

#include "parmac/core/transport.hpp"

#include <algorithm>
#include <deque>
#include <iostream>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "parmac/ring/ring.hpp"
#include "parmac/testing/check_transport.hpp"
#include "scalar_chain.hpp"

namespace {

struct Letter {
  int from;
  parmac::Envelope envelope;
  std::vector<std::byte> payload;
};

// What the machines share: a letter box each.
struct PostOffice {
  explicit PostOffice(std::size_t machines) : boxes(machines) {}
  std::mutex mutex;
  std::vector<std::deque<Letter>> boxes;
};

class Post {
public:
  Post(std::shared_ptr<PostOffice> office, int rank) : office_(std::move(office)), rank_(rank) {}

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int size() const { return static_cast<int>(office_->boxes.size()); }

  void send(int to, const parmac::Envelope& envelope, std::span<const std::byte> payload,
            const std::shared_ptr<const void>& /*owner*/) {
    const std::lock_guard lock(office_->mutex);
    box(to).push_back({rank_, envelope, {payload.begin(), payload.end()}});
  }

  // The payload was copied, so nothing is ever read from the caller's memory afterwards.
  [[nodiscard]] bool settled(std::span<const std::byte>) const { return true; }

  template <class Place>
  std::optional<parmac::Arrival> poll(Place&& place) {
    std::optional<Letter> letter;
    {
      const std::lock_guard lock(office_->mutex);
      if (box(rank_).empty()) return std::nullopt;
      letter = std::move(box(rank_).front());
      box(rank_).pop_front();
    }
    const std::span<std::byte> to = place(letter->from, letter->envelope);
    std::copy(letter->payload.begin(), letter->payload.end(), to.begin());
    return parmac::Arrival{letter->from, letter->envelope, to};
  }

private:
  std::deque<Letter>& box(int rank) { return office_->boxes[static_cast<std::size_t>(rank)]; }

  std::shared_ptr<PostOffice> office_;
  int rank_;
};
static_assert(parmac::check_transport<Post>());

} // namespace

int main() {
  const auto office = std::make_shared<PostOffice>(3);
  std::vector<Post> links;
  for (int rank = 0; rank < 3; ++rank) links.emplace_back(office, rank);
  const std::vector<std::string> broken = parmac::testing::check_transports(std::span(links));
  for (const std::string& sentence : broken) std::cout << sentence << "\n";
  parmac::require(broken.empty(), "laws are broken");

  std::vector<std::jthread> machines;
  for (const Post& link : links)
    machines.emplace_back([link] {
      parmac::Ring<Post> ring(link);
      ChainShard shard = chain_points(ring.rank(), 50);
      Chain model;
      ChainStep step;
      parmac::Trainer trainer{model, step, ring};
      const parmac::Report report = trainer.fit(shard, {.max_iterations = 3});
      if (ring.rank() == 0) std::cout << report.brief() + "\n";
    });
}
