"""
Reading a tree, and explaining a row
====================================

Why did this row get its prediction?

A tree is printed as text, drawn as a picture, written as rules, and explains each prediction by
the path of the row.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import mixedwood as mw

rng = np.random.default_rng(0)
n = 800
cities = ["Bergen", "Cork", "Davos", "Graz", "Lima", "Malmo", "Oslo", "Quito"]
X = pd.DataFrame(
    {
        "city": rng.choice(cities, n),
        "plan": rng.choice(["basic", "family", "pro"], n),
        "age": rng.integers(18, 80, n),
    }
)
far = X["city"].isin(["Davos", "Lima", "Oslo", "Quito"])
leaves = np.where(far, X["age"] < 40, X["plan"] == "basic") ^ (rng.random(n) < 0.05)
y = np.where(leaves, "leaves", "stays")
model = mw.TreeClassifier().fit(X, y)
print(model.tree_)

# %%
# The rules, largest leaf first:
for rule in model.to_rules():
    print(rule)

# %%
# The path of one row:
print(model.explain(X, row=0))

# %%
# The picture needs matplotlib only. `tree_.to_svg()` needs nothing, and `tree_.to_html()` gives a
# tree whose branches open and close.
fig, ax = plt.subplots(figsize=(10, 4.5), layout="constrained")
model.tree_.plot(ax=ax)
plt.show()
