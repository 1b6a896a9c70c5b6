"""
A model in a database
=====================

How do I predict millions of rows without moving them out of the database?

`mw.export` writes a model as one SQL query. Here DuckDB runs it if it is installed, and SQLite,
which is a part of Python, otherwise. The predictions are those of `model.predict`.
"""

import sqlite3

import matplotlib.pyplot as plt
import numpy as np

import mixedwood as mw

try:
    import duckdb
except ImportError:
    duckdb = None

data = mw.datasets.make_mixed(2000, n_categorical=3, n_numeric=2, missing_rate=0.05, random_state=0)
model = mw.TreeClassifier(max_leaf_nodes=6).fit(data.X, data.y)
rows = data.X.assign(id=range(len(data.X)))
rows = rows.astype(object).where(rows.notna(), None)

# %%
# The query reads a table whose columns have the names of the training data.
dialect = "duckdb" if duckdb else "sqlite"
query = mw.export(model, to="sql", dialect=dialect, table="customers", keep=["id"])
print(query[:900], "...")

# %%
# A table with missing values is filled, and the database predicts.
columns = "c1 TEXT, c2 TEXT, c3 TEXT, x1 DOUBLE, x2 DOUBLE, id INTEGER"
db = duckdb.connect() if duckdb else sqlite3.connect(":memory:")
db.execute(f"CREATE TABLE customers ({columns})")
db.executemany("INSERT INTO customers VALUES (?, ?, ?, ?, ?, ?)", rows.values.tolist())
answer = sorted(db.execute(query).fetchall())
db.close()
same = np.mean([row[1] for row in answer] == model.predict(data.X))
difference = np.abs(np.array([row[2:] for row in answer]) - model.predict_proba(data.X)).max()
print(f"{dialect}: {same:.0%} of {len(answer)} predictions equal; ", end="")
print(f"largest difference of a probability {difference}")

# %%
# The tree that the query computes:
fig, ax = plt.subplots(figsize=(9, 4.5), layout="constrained")
model.tree_.plot(ax=ax)
plt.show()
