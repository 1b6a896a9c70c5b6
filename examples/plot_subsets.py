"""
One-hot encoding against groups of categories
=============================================

How many leaves does a tree need if its splits can only separate one category at a time?

A product sells well in half of the regions and badly in the other half. With one-hot encoding, a
tree needs one split per region. A split on a group of categories needs one in total.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

import mixedwood as mw


def make(n_rows, n_regions, rng):
    region = rng.integers(n_regions, size=n_rows)
    good = (region % 2 == 0) ^ (rng.random(n_rows) < 0.1)
    X = pd.DataFrame({"region": [f"r{r:03}" for r in region], "price": rng.normal(size=n_rows)})
    return X, np.where(good, "sells", "stays")


# %%
# The number of regions grows, and the number of rows stays the same. Both trees are pruned by
# the same number of leaves: each may have up to eight.
rng = np.random.default_rng(0)
sizes = [4, 8, 16, 32, 64, 128]
errors = {"groups of categories": [], "one-hot encoding": []}
for n_regions in sizes:
    X, y = make(4000, n_regions, rng)
    X_test, y_test = make(4000, n_regions, rng)
    tree = mw.TreeClassifier(max_leaf_nodes=8).fit(X, y)
    errors["groups of categories"].append(1 - tree.score(X_test, y_test))
    encoder = OneHotEncoder(handle_unknown="ignore").fit(X[["region"]])
    one_hot = DecisionTreeClassifier(max_leaf_nodes=8, random_state=0)
    one_hot.fit(encoder.transform(X[["region"]]), y)
    errors["one-hot encoding"].append(
        1 - one_hot.score(encoder.transform(X_test[["region"]]), y_test)
    )
    print(f"{n_regions:4} regions: {tree.get_n_leaves()} leaves with groups")

fig, ax = plt.subplots(layout="constrained")
for name, values in errors.items():
    ax.plot(sizes, values, marker="o", label=name)
ax.axhline(0.1, color="gray", linestyle=":", label="noise of the data")
ax.set(xscale="log", xlabel="number of regions", ylabel="error on new rows", ylim=(0, 0.55))
ax.set_xticks(sizes, sizes)
ax.legend()

# %%
# The groups are printed as sets:
X, y = make(4000, 8, rng)
print(mw.TreeClassifier().fit(X, y).tree_)
plt.show()
