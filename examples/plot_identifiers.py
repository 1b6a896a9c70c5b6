"""
Columns that identify rows
==========================

What happens if nobody removes the customer number?

A column with a different category in almost every row separates the classes of the training rows
perfectly, and is useless for new rows. By default, `TreeClassifier` subtracts what a column gains
by chance before it compares columns.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np

import mixedwood as mw

warnings.simplefilter("ignore", mw.IdentifierWarning)
warnings.simplefilter("ignore", mw.UnknownCategoryWarning)

# %%
# A column of random codes is added. The number of different codes grows from 2 to one per row.
data = mw.datasets.make_mixed(1200, n_categorical=3, n_numeric=2, random_state=0)
rng = np.random.default_rng(1)
train = np.arange(1200) < 600
sizes = [2, 8, 32, 128, 600]
errors = {"adjusted": [], "score": []}
for n_codes in sizes:
    codes = rng.integers(n_codes, size=1200)
    X = data.X.assign(code=[f"code {c}" for c in codes])
    for selection, found in errors.items():
        model = mw.TreeClassifier(selection=selection, pruning=None, min_samples_leaf=5)
        model.fit(X[train], data.y[train])
        found.append(1 - model.score(X[~train], data.y[~train]))
        used = model.feature_importances_[-1]
        print(f"{n_codes:4} codes, {selection:8}: {used:4.0%} of the gain is that of the codes")

fig, ax = plt.subplots(layout="constrained")
ax.plot(sizes, errors["score"], marker="o", label='selection="score"')
ax.plot(sizes, errors["adjusted"], marker="o", label='selection="adjusted" (default)')
ax.set(xscale="log", xlabel="number of different codes", ylabel="error on new rows", ylim=(0, None))
ax.set_xticks(sizes, sizes)
ax.legend()
plt.show()
