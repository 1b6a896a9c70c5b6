"""Print a hash of many split results: equal on two builds when every bit is equal."""

import hashlib

import numpy as np

from mixedwood.splits import best_partition, partitioners

CRITERIA = ("gini", "squared_gini", "twoing", "chi2")  # entropies hang on the platform's log
LEFT_OUT = ("two_class_order", "multiway", "max_cut_sdp")  # two classes, no search, needs log

digest = hashlib.sha256()
rng = np.random.default_rng(0)
for _ in range(300):
    n, k = int(rng.integers(2, 12)), int(rng.integers(2, 6))
    counts = rng.integers(0, 9, (n, k)).astype(float)
    for criterion in CRITERIA:
        for name in partitioners():
            if name in LEFT_OUT:
                continue
            found = best_partition(counts, criterion, name, random_state=1)
            digest.update(found.group.tobytes())
            digest.update(np.float64(found.score).tobytes())
print(digest.hexdigest())
