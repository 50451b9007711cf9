#!/usr/bin/env python3
"""ResNet-18 on images of 32 x 32, as bench/cifar_resnet_bench.cpp trains it, in PyTorch: images a second.

Debian's packages: python3-torch, python3-torchvision, libopenblas0-openmp.
"""
import argparse
import time

import torch
import torchvision
from torch import nn

import torch_blas

parser = argparse.ArgumentParser()
parser.add_argument("--threads", type=int, default=1)
parser.add_argument("--updates", type=int, default=3, help="a first one is not timed")
parser.add_argument("--channels-last", action="store_true", help="PyTorch's other layout of images")
arguments = parser.parse_args()
torch.set_num_threads(arguments.threads)
torch.manual_seed(1)

MICRO_BATCH, ACCUMULATION = 32, 4
BLAS = torch_blas.name()

model = torchvision.models.resnet18(num_classes=10)
model.conv1 = nn.Conv2d(3, 64, 3, padding=1, bias=False)  # as He et al. have it for CIFAR
model.maxpool = nn.Identity()
layout = torch.channels_last if arguments.channels_last else torch.contiguous_format
model = model.to(memory_format=layout).train()
optimiser = torch.optim.AdamW(model.parameters(), lr=1e-3)
loss_of = nn.CrossEntropyLoss()
images = (2 * torch.rand(MICRO_BATCH, 3, 32, 32) - 1).to(memory_format=layout)
labels = torch.full((MICRO_BATCH,), 3)


def update():
    optimiser.zero_grad(set_to_none=True)
    for _ in range(ACCUMULATION):
        (loss_of(model(images), labels) / ACCUMULATION).backward()
    optimiser.step()


update()
begin, cpu = time.perf_counter(), time.process_time()
for _ in range(arguments.updates):
    update()
wall, cpu = time.perf_counter() - begin, time.process_time() - cpu
count = arguments.updates * MICRO_BATCH * ACCUMULATION
print(f"PyTorch {torch.__version__}, {BLAS}, {arguments.threads} threads{', channels last' if arguments.channels_last else ''}: "
      f"{count / wall:.1f} images/s, {count / cpu:.1f} a CPU second")
