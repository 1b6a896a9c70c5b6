"""Small tables with text, numbers and gaps, for tests of whole estimators."""

import numpy as np
import pandas as pd


def mixed_problem(n_rows=200, seed=0, n_classes=3):
    """A frame of four columns, two of them useful, and classes of text."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, n_rows)
    colours = np.array(["red", "green", "blue", "white", "black"], dtype=object)
    colour = colours[(y + rng.integers(0, 3, n_rows)) % 5]
    colour[rng.random(n_rows) < 0.05] = None
    X = pd.DataFrame(
        {
            "colour": colour,
            "size": rng.normal(y, 1.0).round(1),
            "noise": rng.normal(size=n_rows).round(1),
            "shape": np.array(["round", "square", "star"])[rng.integers(0, 3, n_rows)],
        }
    )
    X.loc[rng.random(n_rows) < 0.05, "size"] = np.nan
    return X, np.array(["ash", "birch", "cedar", "date"])[y]
