"""
Prediction intervals that hold
==============================

How far off can a prediction be?

`EnsembleRegressor.predict_interval` gives an interval that contains the number of a new row with a
chosen probability, whatever the distribution of the data. Where rows are harder to predict, the
intervals are wider.
"""

import matplotlib.pyplot as plt
import numpy as np

import mixedwood as mw

rng = np.random.default_rng(0)


def make(n_rows):
    X = {"x": rng.uniform(0, 10, n_rows), "kind": rng.choice(["steady", "wild"], n_rows)}
    spread = np.where(X["kind"] == "wild", 0.1 + 0.15 * X["x"], 0.15)
    return X, np.sin(X["x"]) + 0.3 * X["x"] + rng.normal(size=n_rows) * spread


X, y = make(1500)
X_test, y_test = make(1500)
model = mw.EnsembleRegressor(random_state=0).fit(X, y)

# %%
# The fraction of new rows inside of their intervals is close to what was asked for.
for coverage in [0.5, 0.8, 0.9, 0.95]:
    low, high = model.predict_interval(X_test, coverage=coverage).T
    inside = np.mean((low <= y_test) & (y_test <= high))
    print(f"asked {coverage:.0%}: {inside:.1%} inside, mean width {np.mean(high - low):.2f}")

fig, axes = plt.subplots(1, 2, figsize=(9, 3.6), sharey=True, layout="constrained")
low, high = model.predict_interval(X_test, coverage=0.9).T
for ax, kind in zip(axes, ["steady", "wild"], strict=True):
    rows = np.flatnonzero(X_test["kind"] == kind)
    rows = rows[np.argsort(X_test["x"][rows])]
    ax.fill_between(X_test["x"][rows], low[rows], high[rows], alpha=0.3, label="90 % interval")
    ax.scatter(X_test["x"][rows], y_test[rows], s=4, color="black", label="new rows")
    ax.set(title=f"kind = {kind}", xlabel="x")
axes[0].legend()
plt.show()
