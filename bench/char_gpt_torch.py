#!/usr/bin/env python3
"""The network of examples/char_gpt.cpp in PyTorch: characters a second of training, and the mean loss of the last 50 updates.

It reads the samples in the order of the example; with the weights that `char_gpt --save-initial FILE` wrote, it makes the same
updates. Debian's packages: python3-torch, libopenblas0-openmp.
"""
import argparse
import pathlib
import time

import torch
from torch import nn

import same_run
import torch_blas

parser = argparse.ArgumentParser()
parser.add_argument("--threads", type=int, default=1)
parser.add_argument("--updates", type=int, default=20, help="the first one is not timed")
parser.add_argument("--micro-batch", type=int, default=8, help="of the 64 samples of an update")
parser.add_argument("--text", default=str(pathlib.Path(__file__).parent.parent / "docs"))
parser.add_argument("--weights", help="safetensors file to begin from; otherwise PyTorch's own")
parser.add_argument("--seed", type=int, default=42, help="of the order of samples, and of PyTorch's weights")
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


def take_weights(model, path):
    """Ours are named by block and op."""
    ours = same_run.tensors(path)
    names = {"embed[0]": model.token, "embed[1]": model.position, "head[0]": model.norm, "head[1]": model.head}
    for i, layer in enumerate(model.layers):
        ops = {1: layer.norm1, 2: layer.qkv, 4: layer.out, 7: layer.norm2, 8: layer.up, 10: layer.down}
        names.update({f"layer[{i}][{op}]": module for op, module in ops.items()})
    with torch.no_grad():
        for name, module in names.items():
            module.weight.copy_(torch.from_numpy(ours.pop(name + " weights").copy()))
            if f"{name} biases" in ours:
                module.bias.copy_(torch.from_numpy(ours.pop(name + " biases").copy()))
    if ours:
        raise SystemExit(f"{path} has tensors that are not of this network: {', '.join(ours)}")


def text():
    data = b"".join(path.read_bytes() for path in sorted(pathlib.Path(arguments.text).glob("*.md")))
    return torch.tensor([95 if c == 10 else c - 32 if 32 <= c <= 126 else 0 for c in data])


tokens = text()
model = Gpt()
if arguments.weights:
    take_weights(model, arguments.weights)
optimiser = torch.optim.AdamW(model.parameters(), lr=1e-3)
loss_of = nn.CrossEntropyLoss()
order = same_run.Shuffled(len(tokens) - POSITIONS, arguments.seed)
if arguments.updates * BATCH > order.size:
    raise SystemExit("more updates than the text has samples for")
at = torch.arange(POSITIONS)


def update(number):
    first = torch.tensor([order[number * BATCH + i] for i in range(BATCH)])
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


losses = [update(0)]
start = time.perf_counter()
losses += [update(number) for number in range(1, arguments.updates)]
seconds = time.perf_counter() - start
last = losses[-50:]
print(f"PyTorch {torch.__version__}, {BLAS}: {(arguments.updates - 1) * BATCH * POSITIONS / seconds:.0f} characters/s "
      f"on {arguments.threads} threads, {arguments.updates} updates; the mean loss of the last {len(last)} is {sum(last) / len(last):.4f}")
