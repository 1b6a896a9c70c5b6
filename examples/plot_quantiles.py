"""
Quantiles of a forest
=====================

Not only the mean: what do the cheapest and the dearest tenth cost?

The leaves of a forest contain training rows, and their numbers are a sample of the distribution of
the target. `ForestRegressor.predict` computes any quantiles from it, without fitting again.
"""

import matplotlib.pyplot as plt
import numpy as np

import mixedwood as mw

rng = np.random.default_rng(0)


def make(n_rows):
    X = {"x": rng.uniform(0, 10, n_rows), "shop": rng.choice(["A", "B", "C", "D"], n_rows)}
    base = 5 + X["x"] + 3 * np.isin(X["shop"], ["B", "D"])
    return X, base * rng.lognormal(0, 0.3, n_rows)


X, y = make(2000)
X_test, y_test = make(2000)
tree = mw.TreeRegressor(pruning=None, min_samples_leaf=20, max_features=0.5)
model = mw.ForestRegressor(tree, n_estimators=100, random_state=0).fit(X, y)

# %%
# A quantile q should be above a fraction q of new rows.
probabilities = [0.1, 0.5, 0.9]
found = model.predict(X_test, quantiles=probabilities)
for q, limit in zip(probabilities, found.T, strict=True):
    print(f"{np.mean(y_test <= limit):.1%} of new rows are below the quantile {q}")

fig, ax = plt.subplots(layout="constrained")
x = np.linspace(0.2, 9.8, 150)
for shop, color in {"A": "C0", "B": "C1"}.items():
    low, middle, high = model.predict({"x": x, "shop": [shop] * 150}, quantiles=probabilities).T
    ax.fill_between(x, low, high, alpha=0.25, color=color)
    ax.plot(x, middle, color=color, label=f"shop {shop}: median, and 10 % to 90 %")
ax.set(xlabel="x", ylabel="price")
ax.legend()
plt.show()
