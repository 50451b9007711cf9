#!/usr/bin/env python3
"""The MNIST network of bench_mnist in PyTorch: images a second of training, and with --data the test accuracy."""
import argparse
import gzip
import os
import time

import torch
from torch import nn

import torch_blas

parser = argparse.ArgumentParser()
parser.add_argument("--threads", type=int, default=2)
parser.add_argument("--images", type=int, default=8000)
parser.add_argument("--data", help="folder with the files of MNIST: train for three epochs and test")
parser.add_argument("--seed", type=int, default=1)
arguments = parser.parse_args()
torch.set_num_threads(arguments.threads)
torch.manual_seed(arguments.seed)

MICRO_BATCH, ACCUMULATION = 40, 10


def network():
    return nn.Sequential(
        nn.Conv2d(1, 10, 5), nn.MaxPool2d(2), nn.ReLU(), nn.Conv2d(10, 20, 5), nn.MaxPool2d(2), nn.ReLU(),
        nn.Flatten(), nn.Linear(320, 256), nn.ReLU(), nn.Linear(256, 10))


def train(model, optimiser, images, labels, order):
    """One pass; returns how many images were used."""
    loss_of = nn.CrossEntropyLoss()
    used = 0
    for start in range(0, len(order) - MICRO_BATCH * ACCUMULATION + 1, MICRO_BATCH * ACCUMULATION):
        optimiser.zero_grad(set_to_none=True)
        for i in range(ACCUMULATION):
            at = order[start + i * MICRO_BATCH:start + (i + 1) * MICRO_BATCH]
            (loss_of(model(images[at]), labels[at]) / ACCUMULATION).backward()
        optimiser.step()
        used += MICRO_BATCH * ACCUMULATION
    return used


def read(name, offset, shape):
    path = os.path.join(arguments.data, name)
    with (gzip.open(path + ".gz") if not os.path.exists(path) else open(path, "rb")) as file:
        return torch.frombuffer(bytearray(file.read()), dtype=torch.uint8, offset=offset).reshape(shape)


model = network()
optimiser = torch.optim.AdamW(model.parameters(), lr=1e-3)
if arguments.data:
    pixels = (read("train-images-idx3-ubyte", 16, (-1, 1, 28, 28)).float() / 255 - 0.1307) / 0.3081
    targets = read("train-labels-idx1-ubyte", 8, (-1,)).long()
    epochs = 3
else:
    pixels = torch.randn(arguments.images, 1, 28, 28)
    targets = torch.randint(0, 10, (arguments.images,))
    epochs = 1
    train(model, optimiser, pixels, targets, torch.arange(800))  # warm

begin, cpu = time.perf_counter(), time.process_time()
count = sum(train(model, optimiser, pixels, targets, torch.randperm(len(targets))) for _ in range(epochs))
wall, cpu = time.perf_counter() - begin, time.process_time() - cpu
print(f"PyTorch {torch.__version__}, {torch_blas.name()}, {arguments.threads} threads: {count / wall:.0f} images/s, {count / cpu:.0f} a CPU second")

if arguments.data:
    with torch.no_grad():
        images = (read("t10k-images-idx3-ubyte", 16, (-1, 1, 28, 28)).float() / 255 - 0.1307) / 0.3081
        right = (model(images).argmax(1) == read("t10k-labels-idx1-ubyte", 8, (-1,))).float().mean()
    print(f"test accuracy {100 * right:.2f} %")
