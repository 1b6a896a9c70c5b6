"""
A report of a model
===================

How do I show a model to somebody who does not write Python?

`model.report(X, y)` writes one HTML file that works offline: the data, the tree, scores with
intervals, calibration, importances and a card of the model. Its figures are also available in
Python; this example draws two of them.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt

import mixedwood as mw

data = mw.datasets.make_mixed(1500, n_categorical=3, n_numeric=2, flip_y=0.15, random_state=0)
X, y, X_test, y_test = data.X[:800], data.y[:800], data.X[800:], data.y[800:]
model = mw.ForestClassifier(random_state=0).fit(X, y)
result = mw.evaluate(model, X_test, y_test)
print(result)

# %%
# Accuracy with its 95 % interval, and the reliability curve: of rows whose class is predicted with
# a probability of 70 %, about 70 % should be right.
fig, (left, right) = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained")
names = ["accuracy", "balanced_accuracy", "auc"]
for i, name in enumerate(names):
    score = result.scores[name]
    left.plot([score.low, score.high], [i, i], color="C0", linewidth=3)
    left.plot(score.value, i, "o", color="C0")
left.set_yticks(range(3), names)
left.set(title="scores with 95 % intervals")
curve = mw.stats.reliability_curve(y_test, model.predict_proba(X_test), model.classes_)
right.plot([0, 1], [0, 1], color="gray", linestyle=":")
right.plot(curve.predicted, curve.observed, marker="o")
right.set(xlabel="probability of the predicted class", ylabel="fraction of correct predictions")

# %%
# The report itself:
with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "report.html"
    report = model.report(X_test, y_test, title="A forest")
    report.save(path)
    print(f"{path.stat().st_size / 1000:.0f} kB, works without a network")
print(report.to_markdown()[:800])
plt.show()
