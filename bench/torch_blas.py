"""The library that PyTorch multiplies matrices with. Debian's falls back to the reference BLAS, which is many times slower: a
benchmark against that would be worth nothing, so it is refused."""
import os


def name():
    loaded = {os.path.realpath(line.split()[-1]) for line in open("/proc/self/maps") if "/" in line}
    fast = sorted({os.path.basename(path) for path in loaded if any(word in path for word in ("openblas", "mkl", "blis"))})
    if not fast:
        raise SystemExit("PyTorch multiplies with the reference BLAS; install a fast one: apt-get install libopenblas0-openmp")
    return ", ".join(fast)
