"""
Dates
=====

On which days is it full? A tree cannot split a date, but it can split its parts.

`DateFeatures` replaces a column of dates by the year, the month, the weekday as a category, and the
days since 1970-01-01 as a trend. The weekday is nominal, so a split finds the group of days.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.pipeline import make_pipeline

import mixedwood as mw
from mixedwood.preprocessing import DateFeatures

rng = np.random.default_rng(0)
day = pd.date_range("2023-01-01", "2024-12-31")
weekend = day.day_of_week.isin([4, 5, 6])
summer = day.month.isin([6, 7, 8])
visitors = 80 + 60 * weekend + 90 * summer * weekend + rng.normal(0, 15, len(day))
X, y = pd.DataFrame({"day": day}), np.round(visitors)

# %%
# The first year is for training, the second for testing.
first = day.year == 2023
model = make_pipeline(DateFeatures(parts=["month", "weekday"]), mw.TreeRegressor(random_state=0))
model.fit(X[first], y[first])
print(model[-1].tree_)
print(f"R² of the second year: {model.score(X[~first], y[~first]):.2f}")

# %%
fig, ax = plt.subplots(figsize=(9, 3.6), layout="constrained")
months = (day >= "2024-05-01") & (day < "2024-08-01")
ax.scatter(day[months], y[months], s=12, color="gray", label="visitors")
ax.step(day[months], model.predict(X[months]), where="mid", label="predicted from 2023")
ax.set(ylabel="visitors")
ax.legend()
plt.show()
