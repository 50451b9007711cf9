#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""PyTorch's DataLoader beside the loader of this library, in one run.   usage: feed_vs_torch.py <built feed_bench> [rounds]

10,000 items of 1 x 128 x 128 float32 with a label, shuffled, 800 a step. Contestants take turns, so that all see the same
machine; the best and the median of the rounds are printed, in items/s of wall time and of the CPU time that was spent. Needs
torch (Debian: python3-torch); without it only a line that says so is printed.
"""
import json
import statistics
import subprocess
import sys
import time

try:
    import torch
    from torch.utils.data import DataLoader, TensorDataset
except ImportError:
    print("skipped: torch is not installed (Debian: apt-get install python3-torch, and run this with /usr/bin/python3)")
    sys.exit(0)

ITEMS, STEP = 10_000, 800
OURS = {"copied": "memcpy of the same bytes", "shuffled_sync/0": "ours, no workers", "shuffled_sync/2": "ours, 2 workers",
        "shuffled_async/2": "ours, asynchronous, 2 workers"}


def ours(program):
    """Items/s of wall and of CPU time for each of our benchmarks."""
    answer = subprocess.run([program, "--benchmark_filter=^(copied|shuffled_sync/[02]|shuffled_async/2)/",
                             "--benchmark_min_time=0.2", "--benchmark_format=json"], check=True, capture_output=True, text=True)
    found = {}
    for line in json.loads(answer.stdout)["benchmarks"]:
        name = line["name"].removesuffix("/process_time/real_time")
        found[OURS[name]] = (line["items_per_second"], line["items_per_second"] * line["real_time"] / line["cpu_time"])
    return found


def torchs(dataset, workers):
    """The same for an epoch of PyTorch's loader; CPU time only without workers, which are processes."""
    loader = DataLoader(dataset, batch_size=STEP, shuffle=True, drop_last=True, num_workers=workers)
    wall, cpu, items = time.perf_counter(), time.process_time(), 0
    for images, _ in loader:
        items += images.shape[0]
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    return items / wall, items / cpu if workers == 0 else float("nan")


def main():
    program, rounds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 5
    dataset = TensorDataset(torch.randn([ITEMS, 1, 128, 128]), torch.empty([ITEMS], dtype=torch.long).random_(10))
    seen = {}
    for _ in range(rounds):
        round_of = ours(program)
        for workers in (0, 2):
            round_of[f"PyTorch {torch.__version__}, {workers or 'no'} workers"] = torchs(dataset, workers)
        for name, figures in round_of.items():
            seen.setdefault(name, []).append(figures)
    print(f"{'':34}{'best':>10}{'median':>10}{'best, by CPU time':>20}  items/s of {rounds} rounds")
    best = {}
    for name, figures in seen.items():
        wall = [w for w, _ in figures]
        best[name] = max(wall)
        print(f"{name:34}{max(wall):10.0f}{statistics.median(wall):10.0f}{max(c for _, c in figures):20.0f}")
    torch_best = max(rate for name, rate in best.items() if name.startswith("PyTorch"))
    our_best = max(rate for name, rate in best.items() if name.startswith("ours"))
    print(f"\nbest of ours / best of PyTorch: {our_best / torch_best:.1f}")
    print(f"best of ours / memcpy: {our_best / best[OURS['copied']]:.2f}")
    print(f"2 workers / none: {best[OURS['shuffled_sync/2']] / best[OURS['shuffled_sync/0']]:.2f}")


main()
