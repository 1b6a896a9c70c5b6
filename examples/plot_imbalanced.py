"""
Imbalanced classes
==================

Only 5 % of the rows are interesting. Which model finds them?

Accuracy is of no use here: predicting the frequent class for every row is right for 95 % of them.
`class_weight="balanced"` gives both classes the same total weight, so that the trees look for the
rare class. Probabilities are then those of balanced classes and too high for real rows. Whether
this is better depends on what a mistake costs; the picture shows the choice.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.metrics import precision_recall_curve, precision_score, recall_score

import mixedwood as mw

rng = np.random.default_rng(0)


def make(n_rows):
    X = {
        "channel": rng.choice(["app", "branch", "phone", "web"], n_rows),
        "country": rng.choice([f"c{i:02}" for i in range(20)], n_rows),
        "amount": rng.lognormal(4, 1, n_rows).round(2),
    }
    odd = np.isin(X["country"], ["c03", "c07", "c11", "c19"]) & (X["amount"] > 80)
    chance = np.where(odd, 0.35, 0.01)
    return X, np.where(rng.random(n_rows) < chance, "fraud", "fine")


X, y = make(4000)
X_test, y_test = make(4000)
print(f"{np.mean(y_test == 'fraud'):.1%} of the rows are fraud")

# %%
# Points are the predictions of the forests. The lines are other thresholds of their probabilities.
# The curves are about the same: here, weights do not find better rules, they move the threshold.
fig, ax = plt.subplots(layout="constrained")
for name, weights in {"equal weights": None, 'class_weight="balanced"': "balanced"}.items():
    tree = mw.TreeClassifier(pruning=None, min_samples_leaf=10)
    model = mw.ForestClassifier(tree, 50, class_weight=weights, random_state=0).fit(X, y)
    predicted = model.predict(X_test)
    at = list(model.classes_).index("fraud")
    score = model.predict_proba(X_test)[:, at]
    precision, recall, _ = precision_recall_curve(y_test == "fraud", score)
    point = (
        recall_score(y_test, predicted, pos_label="fraud"),
        precision_score(y_test, predicted, pos_label="fraud", zero_division=0),
    )
    (line,) = ax.plot(recall[:-1], precision[:-1], label=name, drawstyle="steps-post")
    ax.plot(*point, marker="o", markersize=9, color=line.get_color())
    print(f"{name}: recall {point[0]:.2f}, precision {point[1]:.2f}")
    print(mw.evaluate(model, X_test, y_test), end="\n\n")
ax.set(xlabel="recall: found among all frauds", ylabel="precision: frauds among those found")
ax.legend()
plt.show()
