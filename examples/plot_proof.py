"""
How a proof of optimality grows
===============================

How good is the tree that an interrupted search returns?

The search for an optimal tree first finds good trees, and then proves that there is none better.
At any time it has the best tree so far and a lower bound on the objective of every tree. When
both meet, the tree is proven optimal.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np

import mixedwood as mw

data = mw.datasets.make_waveform(600, random_state=0)

# %%
# `work_limit` counts search steps, so that the result is the same on every machine. Each limit
# gives the best tree until then. All thresholds of 21 columns are candidates.
limits = np.geomspace(3e4, 3e9, 16)
objectives, bounds = [], []
for limit in limits:
    model = mw.OptimalTreeClassifier(
        max_depth=3, ccp_alpha=0, binarizer="passthrough", work_limit=limit
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mw.TimeLimitWarning)
        model.fit(data.X, data.y)
    objectives.append(model.objective_value_)
    bounds.append(model.lower_bound_)
    print(
        f"{limit:7.1e} steps: {model.objective_value_:4.0f} errors, "
        f"bound {model.lower_bound_:4.0f}, {model.proof_.status}"
    )
    if model.optimal_:
        break

fig, ax = plt.subplots(layout="constrained")
steps = limits[: len(bounds)]
ax.plot(steps, objectives, marker="o", label="best tree so far")
ax.plot(steps, bounds, marker="o", label="lower bound for every tree")
ax.fill_between(steps, bounds, objectives, alpha=0.15, color="gray")
ax.set(xscale="log", xlabel="work limit (steps of the search)", ylabel="errors of 600 rows")
ax.legend()

# %%
# The best tree is found long before it is known to be the best: most of the search goes into the
# proof. The proven tree:
print(model.tree_)
plt.show()
