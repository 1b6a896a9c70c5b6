"""
What a random order of categories is
====================================

Why does an ensemble of trees on *random* orders work?

In Random Ordinality, every tree numbers the categories of a column at random and then splits the
numbers by a threshold. A single random order is a poor choice, but each tree has another one, so
that many different groups of categories are tried, and the vote of the trees is much better than
each of them.
"""

import matplotlib.pyplot as plt
import numpy as np

import mixedwood as mw
from mixedwood.preprocessing import RandomOrdinalEncoder

# %%
# Three random orders of the same column. A threshold on the number separates a prefix of the
# order from the rest.
colors = {"color": ["red", "green", "blue", "white", "black"]}
for seed in (1, 2, 3):
    encoder = RandomOrdinalEncoder(random_state=seed).fit(colors)
    numbers = np.asarray(encoder.transform(colors)).ravel()
    order = [colors["color"][i] for i in np.argsort(numbers.astype(float))]
    print(" < ".join(order))

# %%
# Error of single trees, and of the vote of the first trees together.
data = mw.datasets.make_categorical(
    1600, n_features=6, n_categories=12, n_classes=3, random_state=0
)
X, y, X_test, y_test = data.X[:800], data.y[:800], data.X[800:], data.y[800:]
model = mw.RandomOrdinalityClassifier(n_estimators=100, random_state=0).fit(X, y)
together = 1 - model.staged_score(X_test, y_test)
alone = (model.predict_members(X_test) != y_test[:, None]).mean(axis=0)
print(f"one tree {alone.mean():.3f}, all {len(model.trees_)} trees {together[-1]:.3f}")

fig, ax = plt.subplots(layout="constrained")
ax.scatter(np.arange(1, 101), alone, s=12, color="C1", label="a single tree")
ax.plot(np.arange(1, 101), together, color="C0", label="the first n trees together")
ax.set(xlabel="n", ylabel="error on new rows", ylim=(0, None))
ax.legend()
plt.show()
