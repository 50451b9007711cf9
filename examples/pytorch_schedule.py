# SPDX-License-Identifier: BSL-1.0
# Trains a small model in PyTorch in the order of a file that schedule_explorer wrote: one process for each IPU, four here.
#   schedule_explorer --schedule zb1p --ipus 4 --micro-batches 8 --format pytorch > zb1p.csv
#   torchrun --nproc-per-node 4 pytorch_schedule.py zb1p.csv
# PyTorch 2.6 or later; for operations that run together (dualpipev) 2.9. Every rank reads the whole file: a row is a rank's.
import csv
import re
import sys

import torch
import torch.distributed as dist
from torch.distributed.pipelining import PipelineStage
from torch.distributed.pipelining.schedules import _PipelineScheduleRuntime

WIDTH = 64


def read(path):
    """The stages of each rank, and how many micro-batches there are."""
    with open(path, newline="") as file:
        rows = [[cell for cell in row if cell.strip()] for row in csv.reader(file)]
    words = [[re.findall(r"(\d+)[FIBW](\d+)", cell) for cell in row] for row in rows]
    stages = [sorted({int(stage) for cell in row for stage, _ in cell}) for row in words]
    micro_batches = 1 + max(int(m) for row in words for cell in row for _, m in cell)
    return stages, micro_batches


def main(path):
    stages, micro_batches = read(path)
    count = sum(len(mine) for mine in stages)
    dist.init_process_group("gloo")
    rank = dist.get_rank()
    torch.manual_seed(rank)
    mine = [
        PipelineStage(torch.nn.Sequential(torch.nn.Linear(WIDTH, WIDTH), torch.nn.Tanh()), stage, count, torch.device("cpu"))
        for stage in stages[rank]
    ]
    schedule = _PipelineScheduleRuntime(mine, micro_batches, loss_fn=torch.nn.functional.mse_loss)
    schedule._load_csv(path, format="compute_only")  # sends and receives are added as it reads
    optimiser = torch.optim.SGD([p for stage in mine for p in stage.submod.parameters()], lr=0.1)

    samples = torch.randn(8 * micro_batches, WIDTH, generator=torch.Generator().manual_seed(1))
    for step in range(20):
        losses = []
        optimiser.zero_grad()
        inputs = (samples,) if 0 in stages[rank] else ()
        if count - 1 in stages[rank]:
            schedule.step(*inputs, target=torch.tanh(samples.flip(1)), losses=losses)
            print(f"step {step}: loss {torch.stack(losses).mean().item():.4f}")
        else:
            schedule.step(*inputs)
        optimiser.step()
    dist.destroy_process_group()


main(sys.argv[1])
