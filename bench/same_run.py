"""The order in which a shuffled dataset of the library is read, and the weights that it wrote: what a script needs to train on the
same numbers as an example does."""
import json

import numpy

WORD = (1 << 64) - 1


def mixed_bits(x):  # core/mixed_bits.hpp
    x = (x + 0x9E3779B97F4A7C15) & WORD
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & WORD
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & WORD
    return x ^ (x >> 31)


class Shuffled:
    """Index i of an epoch is sample shuffled[i]: feed/adaptors/permutation.hpp, as `{.shuffle = seed}` uses it."""

    def __init__(self, size, seed, epoch=0):
        bits = max((size - 1).bit_length() if size > 1 else 1, 6)
        self.size, self.key, self.low_bits = size, mixed_bits((mixed_bits(seed) + epoch) & WORD), bits // 2
        self.low_mask, self.high_mask = (1 << bits // 2) - 1, (1 << (bits - bits // 2)) - 1

    def once(self, x):
        low, high = x & self.low_mask, x >> self.low_bits
        for number in range(0, 6, 2):
            low ^= mixed_bits(self.key ^ ((high << 8) & WORD) ^ number) & self.low_mask
            high ^= mixed_bits(self.key ^ ((low << 8) & WORD) ^ (number + 1)) & self.high_mask
        return high << self.low_bits | low

    def __getitem__(self, index):
        at = self.once(index)
        while at >= self.size:
            at = self.once(at)
        return at


def tensors(path):
    """The float tensors of a safetensors file by name, in their order in the file."""
    with open(path, "rb") as file:
        data = file.read()
    begin = 8 + int.from_bytes(data[:8], "little")
    header = {name: facts for name, facts in json.loads(data[8:begin]).items() if name != "__metadata__"}
    return {name: numpy.frombuffer(data, "<f4", numpy.prod(facts["shape"], dtype=int), begin + facts["data_offsets"][0])
            .reshape(facts["shape"]) for name, facts in header.items()}
