"""The nearest anchor of one query in plain NumPy, on one thread: numpy_anchors.py FOLDER ANCHORS.

FOLDER holds points.npy (scaled), query.npy and pairs.npy. Prints one line: the anchor's row, the pair's place, the
distance, and seconds for one query, by differences in blocks and by a matrix product in blocks; with fewer ANCHORS
than there are, the time is scaled up to all of them and the answer is of those anchors only.
"""

import os

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import sys
import time

import numpy as np


def by_differences(targets, pool, block_bytes=64 << 20):
    """Distances of a block of targets to all differences, and their argmin."""
    best = (np.inf, 0, 0)
    block = max(1, block_bytes // pool.nbytes)
    for first in range(0, len(targets), block):
        gap = targets[first : first + block, None, :] - pool[None, :, :]
        squared = (gap * gap).sum(axis=2)
        at = int(squared.argmin())
        row, place = divmod(at, len(pool))
        if squared[row, place] < best[0]:
            best = (squared[row, place], first + row, place)
    return best


def by_product(targets, pool, block=64):
    """The same from |t|^2 + |d|^2 - 2 t.d."""
    best = (np.inf, 0, 0)
    squares = (pool * pool).sum(axis=1)
    for first in range(0, len(targets), block):
        part = targets[first : first + block]
        squared = (part * part).sum(axis=1)[:, None] + squares - 2 * part @ pool.T
        at = int(squared.argmin())
        row, place = divmod(at, len(pool))
        if squared[row, place] < best[0]:
            best = (squared[row, place], first + row, place)
    return best


def timed(search, targets, pool):
    start = time.process_time()
    found = search(targets, pool)
    return found, time.process_time() - start


def main():
    folder, anchors = sys.argv[1], int(sys.argv[2])
    points, query = np.load(folder + "/points.npy"), np.load(folder + "/query.npy")[0]
    pairs = np.load(folder + "/pairs.npy").astype(np.int64)
    pool = points[pairs[:, 0]] - points[pairs[:, 1]]
    targets = query - points[:anchors]
    scale = len(points) / len(targets)
    few = targets[: max(1, min(len(targets), 2_000_000_000 // pool.size))]
    found, product = timed(by_product, targets, pool)
    _, direct = timed(by_differences, few, pool)
    print(found[1], found[2], repr(float(np.sqrt(max(found[0], 0.0)))), direct * len(points) / len(few), product * scale)


if __name__ == "__main__":
    main()
