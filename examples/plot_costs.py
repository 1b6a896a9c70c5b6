"""
Costs of mistakes
=================

A missed tumor is twenty times as bad as a false alarm. How does a tree take this into account?

`cost_matrix` gives the cost of each mistake. The class of least expected cost is predicted, and
trees are pruned by cost.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.metrics import confusion_matrix

import mixedwood as mw

data = mw.datasets.load("breast-cancer-wisconsin-diagnostic")
train = np.arange(data.n_samples) % 2 == 0
X, y, X_test, y_test = data.X[train], data.y[train], data.X[~train], data.y[~train]

# %%
# The cost of a missed tumor grows from 1 to 50 false alarms.
factors = [1, 2, 5, 10, 20, 50]
missed, alarms = [], []
for factor in factors:
    costs = {"malignant": {"benign": factor}, "benign": {"malignant": 1}}
    model = mw.ForestClassifier(cost_matrix=costs, random_state=0).fit(X, y)
    table = confusion_matrix(y_test, model.predict(X_test), labels=["benign", "malignant"])
    alarms.append(table[0, 1])
    missed.append(table[1, 0])
    print(f"a missed tumor costs {factor:2}: {missed[-1]} missed, {alarms[-1]} false alarms")

fig, ax = plt.subplots(layout="constrained")
ax.plot(factors, missed, marker="o", label="missed tumors")
ax.plot(factors, alarms, marker="o", label="false alarms")
ax.set(xscale="log", xlabel="cost of a missed tumor, in false alarms", ylabel="test rows")
ax.set_xticks(factors, factors)
ax.legend()
plt.show()
