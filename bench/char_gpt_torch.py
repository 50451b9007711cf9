#!/usr/bin/env python3
"""The network of examples/char_gpt.cpp in PyTorch: characters a second of training, and the loss at its end.

Debian's packages: python3-torch, libopenblas0-openmp.
"""
import argparse
import pathlib
import time

import torch
from torch import nn

import torch_blas

parser = argparse.ArgumentParser()
parser.add_argument("--threads", type=int, default=1)
parser.add_argument("--updates", type=int, default=20)
parser.add_argument("--micro-batch", type=int, default=8, help="of the 64 samples of an update")
parser.add_argument("--text", default=str(pathlib.Path(__file__).parent.parent / "docs"))
parser.add_argument("--seed", type=int, default=1)
arguments = parser.parse_args()
torch.set_num_threads(arguments.threads)
torch.manual_seed(arguments.seed)

POSITIONS, WIDTH, HEADS, LAYERS, VOCABULARY, BATCH = 128, 192, 6, 6, 96, 64

BLAS = torch_blas.name()


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)
        self.gelu = nn.GELU()
        self.register_buffer("hidden", torch.triu(torch.ones(POSITIONS, POSITIONS, dtype=torch.bool), 1))

    def attention(self, x):
        n, t, _ = x.shape
        q, k, v = (y.view(n, t, HEADS, -1).transpose(1, 2) for y in self.qkv(x).split(WIDTH, 2))
        scores = (q @ k.transpose(2, 3) / (WIDTH // HEADS) ** 0.5).masked_fill(self.hidden, float("-inf"))
        return self.out((scores.softmax(-1) @ v).transpose(1, 2).reshape(n, t, WIDTH))

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.down(self.gelu(self.up(self.norm2(x))))


class Gpt(nn.Module):
    def __init__(self):
        super().__init__()
        self.token, self.position = nn.Embedding(VOCABULARY, WIDTH), nn.Embedding(POSITIONS, WIDTH)
        for table in (self.token, self.position):
            nn.init.normal_(table.weight, std=0.02)
        self.layers = nn.Sequential(*(Layer() for _ in range(LAYERS)))
        self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, VOCABULARY)

    def forward(self, tokens):
        return self.head(self.norm(self.layers(self.token(tokens) + self.position.weight)))


def text():
    data = b"".join(path.read_bytes() for path in sorted(pathlib.Path(arguments.text).glob("*.md")))
    return torch.tensor([95 if c == 10 else c - 32 if 32 <= c <= 126 else 0 for c in data])


tokens = text()
model = Gpt()
optimiser = torch.optim.AdamW(model.parameters(), lr=1e-3)
loss_of = nn.CrossEntropyLoss()
order = torch.randperm(len(tokens) - POSITIONS)
at = torch.arange(POSITIONS)


def update(number):
    first = order[(number * BATCH + torch.arange(BATCH)) % len(order)]
    optimiser.zero_grad(set_to_none=True)
    total = 0.0
    for samples in first.split(arguments.micro_batch):
        x = tokens[samples[:, None] + at]
        y = tokens[samples[:, None] + at + 1]
        loss = loss_of(model(x).view(-1, VOCABULARY), y.view(-1)) * (len(samples) / BATCH)
        loss.backward()
        total += loss.item()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimiser.step()
    return total


update(0)  # warm
start = time.perf_counter()
for number in range(arguments.updates):
    loss = update(number)
seconds = time.perf_counter() - start
print(f"PyTorch {torch.__version__}, {BLAS}: {arguments.updates * BATCH * POSITIONS / seconds:.0f} characters/s "
      f"on {arguments.threads} threads, loss {loss:.4f} after {arguments.updates} updates")
