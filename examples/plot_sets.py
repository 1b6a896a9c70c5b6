"""
Sets of classes instead of one
==============================

What should a model predict when two classes are about equally likely?

`predict_set` gives a set of classes that contains the true class with a chosen probability. Clear
rows have one class, doubtful rows several.
"""

import matplotlib.pyplot as plt
import numpy as np

import mixedwood as mw

data = mw.datasets.make_waveform(1500, random_state=0)
X, y, X_test, y_test = data.X[:700], data.y[:700], data.X[700:], data.y[700:]
model = mw.ForestClassifier(
    mw.TreeClassifier(pruning=None, max_features="sqrt", min_samples_leaf=5),
    n_estimators=200,
    oob_score=True,
    random_state=0,
).fit(X, y)

# %%
# The higher the coverage, the larger the sets.
coverages = [0.8, 0.85, 0.9, 0.95, 0.99]
at = np.searchsorted(model.classes_, y_test)
fractions = []
for coverage in coverages:
    sets = model.predict_set(X_test, coverage=coverage)
    covered = sets[np.arange(len(at)), at].mean()
    fractions.append([np.mean(sets.sum(axis=1) == k) for k in (1, 2, 3)])
    print(f"asked {coverage:.0%}: {covered:.1%} covered, {sets.sum(axis=1).mean():.2f} classes")

fig, ax = plt.subplots(layout="constrained")
bottom = np.zeros(len(coverages))
for k, part in enumerate(np.transpose(fractions)):
    ax.bar([f"{c:.0%}" for c in coverages], part, bottom=bottom, label=f"{k + 1} of 3 classes")
    bottom += part
ax.axhline(model.score(X_test, y_test), color="black", linestyle=":", label="accuracy of predict")
ax.set(xlabel="coverage", ylabel="fraction of new rows")
fig.legend(loc="outside upper center", ncols=4, fontsize="small")
plt.show()
