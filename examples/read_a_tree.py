"""Fit a tree to a table of text and numbers, and read it.

Fits a tree to a data frame without encoding, prints the tree, its rules and the explanation of one
prediction, computes permutation importances on test rows, and compares the error with that of an
unpruned tree.
"""

from sklearn.inspection import permutation_importance
from sklearn.model_selection import train_test_split

import mixedwood as mw


def main() -> None:
    data = mw.datasets.make_mixed(
        800, n_categorical=3, n_numeric=2, n_categories=10, missing_rate=0.03, random_state=3
    )
    X_train, X_test, y_train, y_test = train_test_split(data.X.round(1), data.y, random_state=0)
    model = mw.TreeClassifier().fit(X_train, y_train)

    print("The tree\n")
    print(model.tree_)

    print("\nIts three largest rules\n")
    for rule in model.to_rules()[:3]:
        print(rule)

    print("\nThe prediction of the first test row\n")
    print(model.explain(X_test, row=0))

    print("\nHow much the error grows when a column is shuffled\n")
    found = permutation_importance(model, X_test, y_test, n_repeats=10, random_state=0)
    for name, importance in zip(X_test.columns, found.importances_mean, strict=True):
        print(f"{name:4} {importance:7.3f}")

    full = mw.TreeClassifier(pruning=None).fit(X_train, y_train)
    print("\n            leaves  error on new rows")
    for name, tree in [("pruned", model), ("not pruned", full)]:
        print(f"{name:10} {tree.get_n_leaves():7} {1 - tree.score(X_test, y_test):18.3f}")


if __name__ == "__main__":
    main()
