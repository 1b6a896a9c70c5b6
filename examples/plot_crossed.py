"""
Crossed columns: when no column helps alone
===========================================

Two columns decide the class together, and neither has an effect of its own. Can a tree see this?

This is the exclusive-or problem. A greedy tree has no reason to split on either column first. It
starts with a split that helps by chance, and needs many more leaves. A crossed column has the
combinations of both as its categories, and one split is enough.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import mixedwood as mw

rng = np.random.default_rng(0)
n = 1200
X = pd.DataFrame({name: rng.choice(list("abcdef"), n) for name in ("first", "second", "third")})
X["number"] = rng.normal(size=n)
y = np.where(X["first"].isin(list("abc")) ^ X["second"].isin(list("ace")), "yes", "no")
y = np.where(rng.random(n) < 0.05, "yes", y)
train = np.arange(n) < 600

# %%
# `crossed_features="auto"` searches for combinations of columns that explain more than the sum of
# their effects.
models = {
    "single columns": mw.TreeClassifier(random_state=0),
    "crossed columns": mw.TreeClassifier(crossed_features="auto", random_state=0),
    "optimal tree, depth 2": mw.OptimalTreeClassifier(
        max_depth=2, ccp_alpha=0, binarizer="passthrough"
    ),
}
leaves = {}
for name, model in models.items():
    model.fit(X[train], y[train])
    leaves[name] = model.get_n_leaves()
    print(f"{name}: {leaves[name]} leaves, accuracy {model.score(X[~train], y[~train]):.3f}")
print(models["crossed columns"].tree_)

# %%
# An optimal tree of depth two finds the two columns as well, because it looks two splits ahead.
fig, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
rates = pd.crosstab(X["first"], X["second"], y == "yes", aggfunc="mean")
image = left.imshow(rates, cmap="viridis", vmin=0, vmax=1)
left.set_xticks(range(6), rates.columns)
left.set_yticks(range(6), rates.index)
left.set(xlabel="second", ylabel="first", title='fraction of "yes"')
fig.colorbar(image, ax=left)
right.bar_label(right.barh(list(leaves), list(leaves.values())))
right.set(xlabel="leaves")
right.invert_yaxis()
plt.show()
