"""
Missing values without imputation
=================================

Do missing values have to be imputed first?

Sometimes a value is missing for a reason: people who do not state their income may differ from
those who do. A tree of this library learns for each split where missing values go, and prints it.
Imputing the median costs a step, hides what was missing, and is not more accurate here.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline

import mixedwood as mw

rng = np.random.default_rng(0)


def make(n_rows, informative):
    X = pd.DataFrame({"income": rng.normal(50, 15, n_rows), "age": rng.normal(45, 12, n_rows)})
    late = X["income"] + X["age"] / 2 + rng.normal(0, 5, n_rows) < 65
    # the chance that the income is missing: the same for all, or larger for those who pay late
    chance = np.where(late, 0.3 + 0.3 * informative, 0.3 - 0.3 * informative)
    X.loc[rng.random(n_rows) < chance, "income"] = np.nan
    return X, np.where(late, "late", "on time")


# %%
strengths = [0, 0.25, 0.5, 0.75, 1]
errors = {"learned": [], "median imputed": []}
for informative in strengths:
    X, y = make(2000, informative)
    X_test, y_test = make(4000, informative)
    imputer = SimpleImputer(strategy="median").set_output(transform="pandas")
    models = {
        "learned": mw.TreeClassifier(random_state=0),
        "median imputed": make_pipeline(imputer, mw.TreeClassifier(random_state=0)),
    }
    for name, model in models.items():
        errors[name].append(1 - model.fit(X, y).score(X_test, y_test))
    print(f"informative {informative}: " + ", ".join(f"{k} {v[-1]:.3f}" for k, v in errors.items()))

fig, ax = plt.subplots(layout="constrained")
for name, values in errors.items():
    ax.plot(strengths, values, marker="o", label=name)
ax.set(xlabel="how much a missing income says about the class", ylabel="error on new rows")
ax.set(ylim=(0, None))
ax.legend()
plt.show()
