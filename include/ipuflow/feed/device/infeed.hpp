// SPDX-License-Identifier: BSL-1.0
// Data to the device: a thread takes elements from a source and keeps a few iterations of them ready, in slots that are
// made once and read in place. The slots and the place in the source outlive a run, so the next run goes on from there.
#pragma once

#include <ipuflow/core/light_span.hpp>
#include <ipuflow/core/posix.hpp>
#include <ipuflow/core/shared.hpp>
#include <ipuflow/feed/dataset.hpp>
#include <ipuflow/feed/device/fixed_shape.hpp>
#include <ipuflow/feed/device/infeed_options.hpp>
#include <ipuflow/feed/held_range.hpp>
#include <ipuflow/queue/channel.hpp>
#include <ipuflow/queue/slot_ring.hpp>

#include <cstddef>
#include <exception>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace ipuflow::feed {

namespace impl {

/// A source that an infeed reads.
template <class Source>
concept feeds_an_infeed = iterable_style<Source> || map_style<Source>;
/// In place of the elements that are not said.
struct unsaid_element {};

/// Its elements; of what no infeed reads, that itself.
template <class Source>
struct elements_of {
  using type = Source;
};
template <feeds_an_infeed Source>
struct elements_of<Source> {
  using type = std::remove_cvref_t<raw_sample_t<Source>>;
};
template <class Source>
  requires(!std::is_convertible_v<Source, infeed_options>)
using fed_by = typename elements_of<Source>::type;

/// True if the body can be called with the fields of a tuple.
template <class Body, class Tuple, class... Before>
concept takes_fields = tuple_like<Tuple> && []<std::size_t... Field>(std::index_sequence<Field...>) {
  return std::is_invocable_v<Body&, Before..., std::tuple_element_t<Field, Tuple>&...>;
}(std::make_index_sequence<std::tuple_size_v<Tuple>>{});

}  // namespace impl

/// Feeds `Element`s to one device thread. It is a source: called, it gives the next element, or nothing at the end.
template <class Element>
class infeed {
  static_assert(!std::is_same_v<Element, impl::unsaid_element>, "ipuflow: an infeed that elements are enqueued to does not know their type; say it, infeed<T>");

 public:
  using element_type = Element;

  /// From a range of elements, or from the samples of a dataset, which a thread of its own reads once from the beginning.
  /// An lvalue is referred to and has to outlive the infeed, unless it is a view; a temporary is kept.
  template <class Source>
    requires impl::feeds_an_infeed<std::remove_cvref_t<Source>>
  explicit infeed(Source&& source, const infeed_options& options = {}) : options_{checked(options)} {
    auto [in, out] = ends_of(options);
    ready_.emplace(std::move(out));
    using kept = decltype(held(std::forward<Source>(source)));
    auto elements = share<kept>(held(std::forward<Source>(source)));
    if constexpr (std::ranges::forward_range<kept>) source_ = elements.thing();
    reading_ = posix::thread{[producer = std::move(in), elements = std::move(elements), one_shape = options.one_shape]() mutable {
      read(producer, *elements, one_shape);
    }};
  }

  /// Of elements that a thread of yours enqueues.
  explicit infeed(const infeed_options& options = {}) : options_{checked(options)}, is_enqueued_{true} {
    auto [in, out] = ends_of(options);
    ready_.emplace(std::move(out));
    filling_.emplace(std::move(in));
  }

  template <class Source>
    requires(!impl::feeds_an_infeed<std::remove_cvref_t<Source>> && !std::is_convertible_v<Source, infeed_options> &&
             !std::is_same_v<std::remove_cvref_t<Source>, infeed>)
  explicit infeed(Source&&, const infeed_options& = {}) = delete;  // ipuflow: an infeed reads a range or a dataset; or give it nothing, and enqueue

  template <class Source, class Other>
    requires(!std::is_convertible_v<Other, infeed_options>)
  infeed(Source&&, Other&&) {
    static_assert(sizeof(Other&) == 0, "ipuflow: behind the source of an infeed are its options; give {.prefetch_depth = 3}");
  }

  infeed(infeed&&) noexcept = default;
  infeed& operator=(infeed&&) = delete;  // would have to end the thread that it has first

  // --- the host's side, one thread, unless there is a source ---

  /// The element of the next replica, or of the first one in the next iteration. Waits while `prefetch_depth` iterations
  /// are ready; false once the device wants no more.
  bool enqueue(Element element) {
    if (!filling_) throw_if(infeed_fault{infeed_wrong::has_source});
    const light_span<iteration> slot = filling_->producer.reserve();
    if (slot.empty()) return false;
    if (options_.one_shape) throw_if(filling_->shape.check(element));
    put(slot[0][filling_->replica], std::move(element));
    if (++filling_->replica < options_.replicas) return true;
    filling_->replica = 0;
    filling_->producer.commit();
    return true;
  }

  /// Says that no element comes any more. What does not fill an iteration is left out.
  void close() { filling_.reset(); }

  // --- the device's side, one thread ---

  /// The next element, replica after replica; nothing at the end of the source. One that throws when it is moved stays the
  /// next one.
  [[nodiscard]] std::optional<Element> operator()() {
    std::optional<Element> given;  // the one object returned, so that it is moved once
    if ((current_ != nullptr && given_ < options_.replicas) || next()) {
      given.emplace(std::move((*this)[given_]));
      ++given_;
    }
    return given;
  }

  /// The device wants no more: a thread that enqueues is told so instead of waiting.
  void stop() { ready_->stop(); }
  /// A run was broken off: so that no thread waits for it for ever, nothing can be enqueued any more. An infeed that reads a
  /// source goes on where it was.
  void abandon() {
    if (is_enqueued_) stop();
  }

  /// Goes to the next iteration, waiting for its elements: false if the source has no more, or not enough for every
  /// replica. Throws what the source threw, and a fault if an element has another shape than the first one.
  [[nodiscard]] bool next() {
    give_back();
    const auto slot = ready_->peek();
    if (slot.empty()) return false;
    current_ = &slot[0];
    given_ = 0;
    ++position_;
    return true;
  }

  /// The element that a replica gets in the iteration that `next` went to; it may be moved from.
  Element& operator[](std::size_t replica) { return *(*current_)[replica]; }

  /// Runs the body once in each of `iterations` iterations for each replica; returns how many iterations there were,
  /// fewer only if the source ended. A body takes the element or, if that is a tuple, its fields; before them, if it
  /// wants to, the number of the replica. Each outfeed is told where an iteration begins and ends, so that it notices what is
  /// enqueued twice or not at all. After an exception the next run goes on with the next iteration, and outfeeds with a new
  /// step.
  template <class Body, class... Outfeed>
  std::size_t run(std::size_t iterations, Body&& body, Outfeed&... outfeed) {
    std::size_t done = 0;
    try {
      for (; done < iterations && next(); ++done) {
        (outfeed.begin_micro_batch(), ...);
        for (std::size_t replica = 0; replica < options_.replicas; ++replica) call(body, replica, (*this)[replica]);
        (outfeed.end_micro_batch(), ...);
        give_back();
      }
    } catch (...) {
      give_back();
      (outfeed.abandon_step(), ...);
      throw;
    }
    return done;
  }

  /// Iterations that were begun since the infeed was made.
  [[nodiscard]] std::size_t position() const { return position_; }
  [[nodiscard]] const infeed_options& options() const { return options_; }

 private:
  using iteration = std::vector<std::optional<Element>>;
  using ends = decltype(queue::make_channel<queue::slot_ring<iteration>, queue::block>(1));

  void give_back() {
    if (current_ != nullptr) ready_->release();
    current_ = nullptr;
  }

  static ends ends_of(const infeed_options& options) {
    return queue::make_channel<queue::slot_ring<iteration>, queue::block>(options.prefetch_depth,
                                                                          [&] { return iteration(options.replicas); });
  }

  static const infeed_options& checked(const infeed_options& options) {
    throw_if(verify(options));
    return options;
  }

  template <class Source>
  static auto held(Source&& source) {
    if constexpr (std::ranges::input_range<Source>) {
      return impl::held_range(std::forward<Source>(source));
    } else {
      return feed::samples_of(std::forward<Source>(source));
    }
  }

  template <class Producer, class Elements>
  static void read(Producer& producer, Elements& elements, bool one_shape) {
    static_assert(std::is_constructible_v<Element, decltype(*std::ranges::begin(elements))>,
                  "ipuflow: an infeed copies the elements of its source, and these cannot be copied; enqueue them, or give a range that makes each");
    try {
      impl::fixed_shape shape;
      auto at = std::ranges::begin(elements);
      const auto end = std::ranges::end(elements);
      light_span<iteration> slot = producer.reserve();
      for (std::size_t replica = 0; !slot.empty() && at != end; ++at) {
        put(slot[0][replica], *at);
        if (one_shape) throw_if(shape.check(*slot[0][replica]));
        if (++replica < slot[0].size()) continue;
        producer.commit();
        slot = producer.reserve();
        replica = 0;
      }
    } catch (...) {
      producer.fail(std::current_exception());
    }
  }

  /// Into the memory that the slot has already, where the element can be assigned.
  template <class Value>
  static void put(std::optional<Element>& slot, Value&& value) {
    if constexpr (std::is_assignable_v<Element&, Value&&>) {
      slot = std::forward<Value>(value);
    } else {
      slot.emplace(std::forward<Value>(value));
    }
  }

  template <class Body>
  static void call(Body& body, std::size_t replica, Element& element) {
    if constexpr (std::is_invocable_v<Body&, std::size_t, Element&>) {
      std::apply(body, std::tie(replica, element));  // also a pointer to a member
    } else if constexpr (impl::takes_fields<Body, Element>) {
      std::apply(body, element);
    } else if constexpr (impl::takes_fields<Body, Element, std::size_t>) {
      std::apply([&](auto&... field) { std::apply(body, std::tie(replica, field...)); }, element);
    } else {
      std::apply(body, std::tie(element));
    }
  }

  struct filler {
    explicit filler(decltype(ends::in) to) : producer{std::move(to)} {}
    decltype(ends::in) producer;
    impl::fixed_shape shape{};
    std::size_t replica = 0;
  };

  infeed_options options_;
  bool is_enqueued_ = false;
  std::size_t position_ = 0;
  std::size_t given_ = 0;  // elements of the iteration that were given
  iteration* current_ = nullptr;
  // Source, if it can be read again: elements may be views of it, also those that wait when it has been read. Any other ends with
  // the thread, and so tells who is behind it, such as the producer of a queue.
  shared_thing source_;
  posix::thread reading_;
  std::optional<filler> filling_;
  std::optional<decltype(ends::out)> ready_;  // behind the thread, so that it ends first and with it the thread
};

template <class Source>
infeed(Source&&) -> infeed<impl::fed_by<std::remove_cvref_t<Source>>>;
template <class Source>
infeed(Source&&, infeed_options) -> infeed<impl::fed_by<std::remove_cvref_t<Source>>>;
template <class Source, class Other>
  requires(!std::is_convertible_v<Other, infeed_options>)
infeed(Source&&, Other&&) -> infeed<impl::fed_by<std::remove_cvref_t<Source>>>;
infeed(const infeed_options& = {}) -> infeed<impl::unsaid_element>;

}  // namespace ipuflow::feed
