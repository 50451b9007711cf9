// SPDX-License-Identifier: BSL-1.0
// Measures how fast a source gives elements to an empty loop: a dataset (elements are samples), a loader or another
// range (steps), or an infeed (elements of its replicas). If it is faster than the pipeline, the host is no
// bottleneck. The fields of the report are those of Graphcore's dataset benchmark.
#pragma once

#include <ipuflow/core/clock.hpp>
#include <ipuflow/core/fault.hpp>
#include <ipuflow/core/iterators.hpp>
#include <ipuflow/core/light_vector.hpp>
#include <ipuflow/core/units.hpp>
#include <ipuflow/feed/dataset.hpp>
#include <ipuflow/feed/dataset_fault.hpp>

#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstring>
#include <new>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

namespace ipuflow::feed {

/// The amount of work of a benchmark.
struct benchmark_options {
  std::size_t epochs = 1;              ///< times that the elements are read
  std::size_t elements_per_epoch = 1;  ///< read in an epoch
  bool do_memcpy = false;              ///< also copy every tensor once, as an infeed of a real device would
};

/// The figures of one epoch.
struct epoch_figures {
  double elements_processed = 0;     ///< a count
  double total_bytes_processed = 0;  ///< of their tensors
  double time_elapsed = 0;           ///< seconds
  double elements_per_second = 0;    ///< elements over seconds
  double bandwidth = 0;              ///< GB/s, of 10^9 bytes
};

enum class benchmark_wrong : unsigned char { nothing, no_epochs, no_elements, nothing_in_element, infeed_ended };
using benchmark_fault = fault<benchmark_wrong>;

constexpr const char* wording(benchmark_wrong wrong) {
  switch (wrong) {
    case benchmark_wrong::nothing:
      break;
    case benchmark_wrong::no_epochs:
      return "ipuflow: a benchmark of {got} epoch{s} measures nothing; run at least {limit}";
    case benchmark_wrong::no_elements:
      return "ipuflow: a benchmark of epochs of {got} element{s} measures nothing; process at least {limit}";
    case benchmark_wrong::infeed_ended:
      return "ipuflow: the infeed ended after {got} of {limit} element{s} of an epoch; feed it from a source that repeats";
    case benchmark_wrong::nothing_in_element:
      return "ipuflow: an element of the source has a dimension of size {got}; give all dimensions at least {limit}";
  }
  return "";
}

constexpr message_text sentence(const benchmark_fault& f) {
  return filled(wording(f.kind), {{"got", f.got}, {"limit", f.limit}});
}

[[nodiscard]] constexpr benchmark_fault verify(const benchmark_options& o) {
  if (o.epochs == 0) return {benchmark_wrong::no_epochs, 0, 1};
  if (o.elements_per_epoch == 0) return {benchmark_wrong::no_elements, 0, 1};
  return {};
}

namespace impl {

/// Calls `act(data, bytes)` for every tensor of an element.
template <class Element, class Act>
void each_tensor(const Element& element, Act&& act) {
  if constexpr (requires { element.columns(); }) {
    std::apply([&](const auto&... column) { (impl::each_tensor(column.elements(), act), ...); }, element.columns());
  } else if constexpr (is_tuple<Element>) {
    std::apply([&](const auto&... field) { (impl::each_tensor(field, act), ...); }, element);
  } else if constexpr (map_style<Element> && !std::ranges::contiguous_range<const Element>) {
    for (std::size_t i = 0; i < element.size(); ++i) impl::each_tensor(element[i], act);
  } else if constexpr (std::ranges::contiguous_range<const Element>) {
    act(static_cast<const void*>(std::ranges::data(element)),
        std::ranges::size(element) * sizeof(std::ranges::range_value_t<const Element>));
  } else if constexpr (std::ranges::input_range<const Element>) {
    for (const auto& part : element) impl::each_tensor(part, act);
  } else {
    act(static_cast<const void*>(__builtin_addressof(element)), sizeof(Element));
  }
}

/// The work of a benchmark on each element: it counts it and its bytes, and copies it if that is asked for.
class element_counter {
 public:
  explicit element_counter(bool copies) : copies_{copies} {}

  template <class Element>
  void operator()(const Element& element) {
    ++elements;
    impl::each_tensor(element, [this](const void* data, std::size_t size) {
      if (size == 0) throw_if(benchmark_fault{benchmark_wrong::nothing_in_element, size, 1});
      total += size;
      if (copies_) copy(data, size);
    });
  }

  std::size_t elements = 0;
  std::size_t total = 0;

 private:
  struct alignas(4096) page {
    std::byte bytes[4096];
  };

  void copy(const void* data, std::size_t size) {
    const std::size_t pages = (size + sizeof(page) - 1) / sizeof(page);
    if (pages > buffer_.size()) buffer_ = light_vector<page>(pages);
    std::memcpy(buffer_.data(), data, size);
    asm volatile("" ::: "memory");  // or the compiler leaves the copy out
  }

  bool copies_;
  light_vector<page> buffer_;
};

/// Hands `count` elements of the source to `act`, from its beginning again whenever it ends.
template <class Source, class Act>
void take_elements(Source& source, std::size_t& position, std::size_t count, Act& act) {
  if constexpr (map_style<Source>) {
    if (source.size() == 0) throw_if(dataset_fault{dataset_wrong::empty, 0, 1});
    for (std::size_t i = 0; i < count; ++i) act(feed::sample_at(source, position++ % source.size(), 0));
  } else if constexpr (requires {
                         { source.next() } -> std::same_as<bool>;
                         source.options().replicas;
                       }) {
    for (std::size_t i = 0; i < count; i += source.options().replicas) {
      if (!source.next()) throw_if(benchmark_fault{benchmark_wrong::infeed_ended, i, count});
      for (std::size_t replica = 0; replica < source.options().replicas; ++replica) act(source[replica]);
    }
  } else {
    for (std::size_t done = 0, before = 0; done < count; before = done) {
      for (auto&& element : source) {
        act(element);
        if (++done == count) break;
      }
      if (done == before) throw_if(dataset_fault{dataset_wrong::empty, 0, 1});
    }
  }
}

}  // namespace impl

/// Measures every epoch by itself.
template <class Source>
std::vector<epoch_figures> benchmark(Source&& source, const benchmark_options& o) {
  throw_if(verify(o));
  std::vector<epoch_figures> epochs;
  std::size_t position = 0;
  while (epochs.size() < o.epochs) {
    impl::element_counter count{o.do_memcpy};
    const auto start = steady_clock::now();
    impl::take_elements(source, position, o.elements_per_epoch, count);
    const std::chrono::duration<double> time = steady_clock::now() - start;
    const double elapsed = time.count() > 0 ? time.count() : 1e-9;
    const auto elements = static_cast<double>(count.elements);
    const auto total = static_cast<double>(count.total);
    epochs.push_back({elements, total, elapsed, elements / elapsed, total / (1e9 * elapsed)});
  }
  return epochs;
}

/// The report of a benchmark as JSON.
template <class = void>
std::string to_json(const std::vector<epoch_figures>& epochs) {
  std::string text = R"({"epochs":[)";
  const auto field = [&text](std::string_view name, double value) {
    char digits[32];
    const std::string_view number{digits, std::to_chars(digits, digits + sizeof digits, value).ptr};
    text.append(text.back() == '{' ? "\"" : ",\"").append(name).append("\":").append(number);
    if (number.find_first_of(".e") == number.npos) text += ".0";
  };
  for (const epoch_figures& e : epochs) {
    text += text.back() == '[' ? "{" : ",{";
    field("elements_processed", e.elements_processed);
    field("total_bytes_processed", e.total_bytes_processed);
    field("time_elapsed", e.time_elapsed);
    field("elements_per_second", e.elements_per_second);
    field("bandwidth", e.bandwidth);
    text += '}';
  }
  return text + "]}";
}

}  // namespace ipuflow::feed
