"""
How large should a tree be?
===========================

A fully grown tree overfits, and a small one misses structure. Which size is right?

`TreeClassifier` grows a large tree, computes the sequence of its best subtrees, and chooses one by
cross-validation.
"""

import matplotlib.pyplot as plt
import numpy as np

import mixedwood as mw

data = mw.datasets.make_mixed(2400, n_categorical=4, n_numeric=3, flip_y=0.1, random_state=1)
X, y, X_test, y_test = data.X[:600], data.y[:600], data.X[600:], data.y[600:]
model = mw.TreeClassifier(random_state=0).fit(X, y)
path = model.pruning_path_
print(f"{model.get_n_leaves()} leaves chosen of {path.path.n_leaves[0]}")

# %%
# Cross-validation estimates the error of each size from the training rows alone. The other curves
# are the error on training rows and on 1800 new rows.
sizes, train_errors, test_errors = [2, 4, 6, 8, 12, 16, 24, 32, 64, 128], [], []
for size in sizes:
    tree = mw.TreeClassifier(max_leaf_nodes=size, pruning=None).fit(X, y)
    train_errors.append(1 - tree.score(X, y))
    test_errors.append(1 - tree.score(X_test, y_test))

fig, ax = plt.subplots(layout="constrained")
ax.plot(sizes, train_errors, label="training rows")
ax.plot(sizes, test_errors, label="new rows")
ax.plot(path.path.n_leaves, path.errors, marker=".", label="cross-validation, pruned trees")
ax.axvline(model.get_n_leaves(), color="gray", linestyle=":", label="chosen")
ax.set(xscale="log", xlabel="leaves", ylabel="error", ylim=(0, None))
ax.legend()
print(
    f"error on new rows: {1 - model.score(X_test, y_test):.3f}, best size {np.min(test_errors):.3f}"
)
plt.show()
