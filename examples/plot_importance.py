"""
Permutation importance against gain
===================================

Which importance is not fooled by a column with many categories?

The gain of the splits is measured on training rows, where a column with many categories looks good
by chance. Permutation importance shuffles a column of rows that were not used for training, and
measures how much worse the predictions get.
"""

import matplotlib.pyplot as plt
import numpy as np

import mixedwood as mw

data = mw.datasets.make_mixed(1200, n_categorical=3, n_numeric=2, random_state=0)
rng = np.random.default_rng(1)
X = data.X.assign(noise=[f"n{i:03}" for i in rng.integers(150, size=1200)])
train = np.arange(1200) < 600

# %%
# Columns are compared by their score alone here, as most libraries do, so that the noise is
# chosen. The default, `selection="adjusted"`, already avoids most of this.
tree = mw.TreeClassifier(selection="score", pruning=None, min_samples_leaf=3)
model = mw.ForestClassifier(tree, n_estimators=50, random_state=0).fit(X[train], data.y[train])
found = model.importances(X[~train], data.y[~train], random_state=0)
print(found)

# %%
fig, (left, right) = plt.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
for ax, values, title in [
    (left, model.feature_importances_, "gain in training"),
    (right, found.mean, "loss of accuracy when shuffled"),
]:
    order = np.argsort(values)
    names = [found.names[i] for i in order]
    ax.barh(names, np.asarray(values)[order], color=["C1" if n == "noise" else "C0" for n in names])
    ax.set(title=title)
plt.show()
