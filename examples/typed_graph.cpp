// SPDX-License-Identifier: BSL-1.0
// Any callables make a pipeline: a camera whose frames are searched for faces and for plates at the same time. Prints the
// stages with what travels between them, then what three packets become.
#include <ipuflow/graph.hpp>

#include <boost/hana/fold_left.hpp>
#include <boost/hana/size.hpp>

#include <cstdio>
#include <memory>

using namespace ipuflow;

struct packet {
  int number = 0;
};

struct image {
  int packet = 0;
  int brightness = 0;
};

struct count {
  int found = 0;
};

struct report {
  int packet = 0;
  int faces = 0;
  int plates = 0;
  bool alarm = false;
};

// begin: ops
constexpr image decode(packet p) { return {p.number, p.number * 40}; }

constexpr image denoise(image i) { return {i.packet, i.brightness - i.brightness % 10}; }

constexpr count faces(const image& i) { return {i.brightness / 30}; }

constexpr count plates(const image& i) { return {i.packet % 2}; }

constexpr report merge(count faces, count plates, const image& seen, int limit) {
  return {seen.packet, faces.found, plates.found, faces.found > limit};
}
// end: ops

// begin: pipeline
constexpr auto camera = pipeline(input<packet>, per_run<"limit", int>,
    stage(block<"decode">(decode), block<"denoise">(denoise, keep<"seen">)).ipu<0>(),
    concurrent(stage(block<"faces">(faces)).ipu<1>(),
               stage(block<"plates">(plates)).ipu<2>()),
    stage(block<"merge">(use<"seen", "limit">(merge))).ipu<3>());

static_assert(camera.stage_count == 3);                                // concurrent stages count as one
static_assert(camera(packet{3}, 2).faces == 4);                        // a constant expression runs the whole of it
static_assert(stages(camera)[1].output_bytes == bytes_of<count> * 2 + bytes_of<image> + bytes_of<int>);
static_assert(camera[name<"faces">].op_count == 1);
// end: pipeline

// begin: regroup
constexpr auto two_chips = regroup(camera,
    stage<"decode", "denoise">().ipu<0>(),
    concurrent(stage<"faces">().ipu<0>(), stage<"plates">().ipu<1>()),
    stage<"merge">().ipu<1>());

constexpr auto turned = place<3, ipus(1, 2), 0>(camera);               // the same stages on other IPUs
static_assert(two_chips(packet{3}, 2).faces == camera(packet{3}, 2).faces && turned.ipu_of(0) == 3);
// end: regroup

// begin: hana
static_assert(hana::size(camera) == hana::size_c<5>);
static_assert(hana::fold_left(camera, std::size_t{0}, [](std::size_t ops, const auto& b) { return ops + b.op_count; }) == 6);

constexpr auto longer = []<class Block>(const Block&) { return hana::bool_c<(Block::op_count > 1)>; };
static_assert(hana::any_of(camera, longer) && hana::find_if(camera, longer)->name == fixed_string{"denoise"});
// end: hana

// begin: move_only
constexpr auto boxes = pipeline(input<std::unique_ptr<int>>,
    block<"open">([](std::unique_ptr<int> box) { ++*box; return box; }),
    block<"read">([](const std::unique_ptr<int>& box) { return *box; }));
// end: move_only

template <class Pipeline>
void print_stages(const Pipeline& p) {
  std::printf("%-16s %-8s %-40s %s\n", "stage", "IPUs", "takes", "gives");
  for (const stage_facts& s : stages(p)) {
    fixed_string<20> where;
    for (const std::size_t ipu : s.ipus) {
      if (!where.empty()) where += ",";
      where += ipu;
    }
    std::printf("%-16s %-8s %-40s %s\n", s.name.data(), where.data(), s.input.data(), s.output.data());
  }
}

int main() {
  print_stages(camera);
  std::printf("\n");
  for (int number = 1; number <= 3; ++number) {
    const report r = camera(packet{number}, 2);
    std::printf("packet %d: %d faces, %d plates%s\n", r.packet, r.faces, r.plates, r.alarm ? ", alarm" : "");
  }
  std::printf("a box that can only be moved: %d\n", boxes(std::make_unique<int>(41)));
}
