"""
Model trees with formulas
=========================

Can a tree be small and smooth?

A regression tree approximates a slope by many steps. `ModelTreeRegressor` has a linear formula in
each leaf, so a few leaves are enough, and each can be read.
"""

import matplotlib.pyplot as plt
import numpy as np

import mixedwood as mw

rng = np.random.default_rng(0)


def make(n_rows):
    X = {"hours": rng.uniform(0, 10, n_rows), "machine": rng.choice(["new", "old"], n_rows)}
    new = X["machine"] == "new"
    output = np.where(new, 12 * X["hours"], np.minimum(8 * X["hours"], 40))
    return X, output + rng.normal(0, 3, n_rows)


X, y = make(400)
X_test, y_test = make(2000)
models = {"tree": mw.TreeRegressor(), "model tree": mw.ModelTreeRegressor(random_state=0)}
for name, model in models.items():
    model.fit(X, y)
    print(f"{name}: {model.get_n_leaves()} leaves, R² {model.score(X_test, y_test):.3f}")

# %%
# The leaves of the model tree:
print(models["model tree"].to_text())

# %%
fig, axes = plt.subplots(1, 2, figsize=(9, 3.6), sharey=True, layout="constrained")
x = np.linspace(0, 10, 300)
for ax, (name, model) in zip(axes, models.items(), strict=True):
    for machine, color in {"new": "C0", "old": "C1"}.items():
        rows = X["machine"] == machine
        ax.scatter(X["hours"][rows], y[rows], s=6, color=color, alpha=0.4)
        grid = {"hours": x, "machine": [machine] * len(x)}
        ax.plot(x, model.predict(grid), color=color, label=machine)
    ax.set(title=f"{name}, {model.get_n_leaves()} leaves", xlabel="hours")
axes[0].legend(title="machine")
plt.show()
