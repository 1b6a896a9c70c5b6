"""
Comparing methods with significance
===================================

Which method is best on these tables, and are the differences significant?

`mw.compare` evaluates all methods on the same folds. Friedman's test and Nemenyi's critical
difference say whether mean ranks over several tables differ significantly. A method with the
lowest mean rank is not always significantly better.
"""

import matplotlib.pyplot as plt

import mixedwood as mw

# %%
# Five small tables, four methods, three folds.
names = ["monks-1", "monks-2", "monks-3", "balance-scale", "iris"]
found = mw.compare(
    [mw.datasets.load(name) for name in names],
    methods=["tree", "c45", "sklearn_tree", "forest"],
    cv=3,
    metrics=["error"],
    random_state=0,
)
print(found)

# %%
# Methods that are joined by a bar do not differ significantly.
print(found.friedman_test().sentence)
ax = mw.stats.critical_difference_diagram(found.nemenyi_test())
plt.show()
