"""
Monotonic constraints
=====================

A rent that falls when the flat is larger is hard to explain. How do I rule it out?

`monotonic_cst` says in which direction a prediction may change with a column. The constraint holds
for every row, and often also reduces the error, because noise can no longer bend the curve.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import mixedwood as mw

rng = np.random.default_rng(0)


def make(n_rows):
    X = pd.DataFrame(
        {
            "area": rng.uniform(20, 120, n_rows).round(),
            "district": rng.choice(["center", "north", "river", "south"], n_rows),
        }
    )
    base = X["district"].map({"center": 300, "north": 0, "river": 150, "south": 50})
    return X, 200 + base + 60 * np.sqrt(X["area"]) + rng.normal(0, 120, n_rows)


X, y = make(300)
X_test, y_test = make(3000)
models = {
    "free": mw.BoostedTreesRegressor(random_state=0).fit(X, y),
    "rising with the area": mw.BoostedTreesRegressor(monotonic_cst={"area": 1}, random_state=0).fit(
        X, y
    ),
}

# %%
fig, ax = plt.subplots(layout="constrained")
grid = pd.DataFrame({"area": np.arange(20.0, 121.0), "district": "center"})
for name, model in models.items():
    curve = model.predict(grid)
    rmse = np.sqrt(np.mean((model.predict(X_test) - y_test) ** 2))
    print(f"{name}: RMSE {rmse:.1f}, {np.sum(np.diff(curve) < 0)} steps down")
    ax.step(grid["area"], curve, where="mid", label=f"{name} (RMSE {rmse:.0f})")
here = X["district"] == "center"
ax.scatter(X["area"][here], y[here], s=10, color="gray", label="training rows")
ax.set(xlabel="area of a flat in the center", ylabel="predicted rent")
ax.legend()
plt.show()
