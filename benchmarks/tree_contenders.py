"""One tree by mixedwood and by its peers, each step apart, on the same rows, with one thread each.

What is timed, and what not:

- *encode* is everything between a pandas frame with columns of text and numbers, and what the
  learner keeps: reading into a typed table for mixedwood, ordinal or one-hot codes as float32 for
  scikit-learn, ordinal codes and `lightgbm.Dataset(...).construct()` (binning) for LightGBM,
  `ydf.create_vertical_dataset` for YDF. Labels are small integers for everyone.
- *fit* starts from there. For YDF it has in it what its `train` does besides growing: checks, and
  making the model. Its sorting of numbers is part of growing, as for scikit-learn and mixedwood;
  LightGBM has binned them into at most 255 bins before.
- *predict* answers the training rows from encoded data: classes for mixedwood and scikit-learn,
  probabilities for LightGBM and YDF, which have nothing shorter. YDF answers from its own
  dataset, and builds its engine on each call.

Trees are grown to the same depth, to leaves of one row, without pruning:

- scikit-learn: `max_depth`, all other settings as they come.
- LightGBM: one boosting round, which is one tree per class when there are more than two;
  `num_leaves = 2 ** max_depth`, at most 131072, which is also its limit when depth is not limited;
  no smallest leaf, hessian, group or gain. Its limits on nominal tests stay: at most 32 of the bins
  on one side, at most 255 bins per column, so of a column of 1,000 categories it sees 254 and a
  rest. "max_bin 1023" lets it see all. Histograms may take 1 GB, or large trees would not fit; at
  its limit of leaves most of its time goes into making room for them.
- YDF: CART, without validation rows and hence without pruning, every category kept. Its depth
  counts the root as 1.
"""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np
import pandas as pd

MOST_LEAVES = 131_072  # LightGBM's own limit


@dataclass
class Data:
    """A frame of text and numbers, classes as small integers, and which columns are nominal."""

    name: str
    X: pd.DataFrame
    y: np.ndarray
    nominal: list[str]

    @property
    def numeric(self) -> list[str]:
        """The other columns."""
        return [name for name in self.X.columns if name not in self.nominal]

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return int(self.y.max()) + 1


def make_nominal_table(
    rows: int, columns: int = 10, categories: int = 1000, classes: int = 10, seed: int = 0
) -> Data:
    """Nominal columns of many categories; each of the first half leans towards some classes.

    A category of an informative column adds its own random amount to the score of each class;
    the class of a row is drawn from the softmax of its scores. No order of the categories means
    anything.
    """
    rng = np.random.default_rng([seed, rows, columns, categories, classes])
    codes = rng.integers(0, categories, (rows, columns))
    score = rng.gumbel(size=(rows, classes))
    for c in range((columns + 1) // 2):
        score += rng.normal(scale=1.5, size=(categories, classes))[codes[:, c]]
    labels = np.array([f"v{i}" for i in range(categories)], dtype=object)
    frame = pd.DataFrame({f"c{c}": labels[codes[:, c]] for c in range(columns)})
    return Data(f"nominal {rows}x{columns}x{categories}", frame, score.argmax(1), [*frame.columns])


def load_data(name: str) -> Data:
    """`nominal`, or one of mixedwood's data sets by name."""
    if name == "nominal":
        return make_nominal_table(200_000)
    from mixedwood import datasets

    data = datasets.load(name, frame="pandas")
    return Data(
        name, data.X, np.unique(data.y, return_inverse=True)[1], list(data.nominal_features)
    )


class Contender:
    """Encodes a frame once, then fits and answers as often as asked; `steps` are seconds."""

    name = ""
    package = ""
    clock = staticmethod(time.process_time)  # of one thread; those of many take the wall's

    def __init__(self, data: Data) -> None:
        self.data = data
        self.steps: dict[str, float] = {}
        for step in ("encode", "construct"):
            if hasattr(self, step):
                start = self.clock()
                getattr(self, step)()
                self.steps[step] = self.clock() - start

    @classmethod
    def suits(cls, data: Data) -> bool:
        """Whether it is there, and worth a line on this table."""
        return find_spec(cls.package) is not None

    def ordinal_codes(self, dtype: type) -> np.ndarray:
        """Columns as numbers; a missing category is one of its own."""
        from sklearn.compose import ColumnTransformer
        from sklearn.preprocessing import OrdinalEncoder

        nominal, numeric = self.data.nominal, self.data.numeric
        steps = [
            ("nominal", OrdinalEncoder(encoded_missing_value=-1, dtype=dtype), nominal),
            ("numeric", "passthrough", numeric),
        ]
        codes = ColumnTransformer(steps).fit_transform(self.data.X)
        return np.ascontiguousarray(codes, dtype=dtype)


class SklearnOrdinal(Contender):
    """Codes as if they were amounts."""

    name = "scikit-learn, ordinal codes"
    package = "sklearn"

    def encode(self) -> None:
        """To float32, which its trees work on."""
        self.X = self.ordinal_codes(np.float32)

    def fit(self, depth: int | None) -> Any:
        """Grow."""
        from sklearn.tree import DecisionTreeClassifier

        return DecisionTreeClassifier(max_depth=depth, random_state=0).fit(self.X, self.data.y)

    def predict(self, model: Any) -> np.ndarray:
        """Classes of the training rows."""
        return model.predict(self.X)

    def leaves(self, model: Any) -> str:
        """Size in words."""
        return str(model.get_n_leaves())


class SklearnOneHot(SklearnOrdinal):
    """One column per category; sparse when it would not fit otherwise."""

    name = "scikit-learn, one-hot"

    def encode(self) -> None:
        """To float32; a missing category has no column."""
        from sklearn.compose import ColumnTransformer
        from sklearn.preprocessing import OneHotEncoder

        data = self.data
        sparse = data.X[data.nominal].nunique().sum() > 1000
        one_hot = OneHotEncoder(
            categories=[sorted(data.X[name].dropna().unique()) for name in data.nominal],
            handle_unknown="ignore",
            sparse_output=bool(sparse),
            dtype=np.float32,
        )
        steps = [("nominal", one_hot, data.nominal), ("numeric", "passthrough", data.numeric)]
        X = ColumnTransformer(steps, sparse_threshold=float(sparse)).fit_transform(data.X)
        self.X = X.astype(np.float32) if sparse else np.ascontiguousarray(X, dtype=np.float32)


class LightGBM(Contender):
    """One boosting round."""

    name = "LightGBM"
    package = "lightgbm"
    max_bin = 255

    def encode(self) -> None:
        """To float64 codes; those below zero are missing to it."""
        self.X = self.ordinal_codes(np.float64)

    def construct(self) -> None:
        """Binning."""
        import lightgbm

        n_nominal = len(self.data.nominal)  # the encoder puts them first
        self.dataset = lightgbm.Dataset(
            self.X,
            self.data.y,
            categorical_feature=list(range(n_nominal)),
            params=self.settings(None),
            free_raw_data=False,
        ).construct()

    def settings(self, depth: int | None) -> dict[str, Any]:
        """See the top of the file."""
        classes = self.data.n_classes
        many = {"objective": "multiclass", "num_class": classes}
        return {
            **(many if classes > 2 else {"objective": "binary"}),
            "num_threads": 1,
            "max_depth": depth or -1,
            "num_leaves": MOST_LEAVES if depth is None else min(2**depth, MOST_LEAVES),
            "min_data_in_leaf": 1,
            "min_sum_hessian_in_leaf": 0.0,
            "min_data_per_group": 1,
            "max_bin": self.max_bin,
            "feature_pre_filter": False,
            "histogram_pool_size": 1024.0,
            "verbose": -1,
        }

    def fit(self, depth: int | None) -> Any:
        """Grow one tree, or one per class."""
        import lightgbm

        return lightgbm.train(self.settings(depth), self.dataset, num_boost_round=1)

    def predict(self, model: Any) -> np.ndarray:
        """Probabilities."""
        return model.predict(self.X, num_threads=1)

    def leaves(self, model: Any) -> str:
        """Of all trees."""
        trees = model.dump_model()["tree_info"]
        total = sum(tree["num_leaves"] for tree in trees)
        return f"{total} in {len(trees)}" if len(trees) > 1 else str(total)


class LightGBMAllBins(LightGBM):
    """The same, with a bin for every category."""

    name = "LightGBM, max_bin 1023"
    max_bin = 1023

    @classmethod
    def suits(cls, data: Data) -> bool:
        """Where 255 are too few."""
        wide = any(data.X[name].nunique() > 255 for name in data.nominal)
        return wide and super().suits(data)


class Ydf(Contender):
    """CART of YDF."""

    name = "YDF CART"
    package = "ydf"

    def encode(self) -> None:
        """To its columns of codes and float32."""
        import ydf

        ydf.verbose(0)
        logging.getLogger("absl").setLevel(logging.ERROR)  # it repeats on each fit what it ignores
        columns = {name: self.data.X[name].to_numpy() for name in self.data.numeric}
        for name in self.data.nominal:
            columns[name] = self.data.X[name].fillna("").to_numpy(dtype=object).astype(np.bytes_)
        columns["class of a row"] = self.data.y
        semantics = [(name, ydf.Semantic.CATEGORICAL) for name in self.data.nominal]
        semantics += [(name, ydf.Semantic.NUMERICAL) for name in self.data.numeric]
        self.dataset = ydf.create_vertical_dataset(
            columns,
            columns=[*semantics, ("class of a row", ydf.Semantic.CATEGORICAL)],
            max_vocab_count=-1,
            min_vocab_frequency=1,
            max_num_scanned_rows_to_compute_statistics=-1,
            label="class of a row",
        )

    def fit(self, depth: int | None) -> Any:
        """Grow."""
        import ydf

        learner = ydf.CartLearner(
            "class of a row",
            max_depth=-1 if depth is None else depth + 1,
            min_examples=1,
            validation_ratio=0.0,
            num_threads=1,
        )
        return learner.train(self.dataset)

    def predict(self, model: Any) -> np.ndarray:
        """Probabilities, by its fast engine."""
        return model.predict(self.dataset, num_threads=1)

    def leaves(self, model: Any) -> str:
        """Size in words."""
        return str((model.num_nodes() + 1) // 2)


class Mixedwood(Contender):
    """Ours."""

    name = "mixedwood"

    @classmethod
    def suits(cls, data: Data) -> bool:
        """Whether this version grows trees."""
        try:
            from mixedwood import TreeClassifier  # noqa: F401
        except ImportError:
            return False
        return True

    def encode(self) -> None:
        """To a typed table."""
        from mixedwood.data import read_table, read_target

        self.table = read_table(self.data.X)
        self.target = read_target(self.data.y)

    def fit(self, depth: int | None) -> Any:
        """Grow a tree from the typed table: growing alone, as for the peers."""
        return self.grow(depth)

    def grow(self, depth: int | None) -> Any:
        """As `TreeClassifier` grows, with numbers ranked anew each time."""
        from mixedwood import TreeClassifier
        from mixedwood.grow import grow

        model = TreeClassifier(max_depth=depth, pruning=None)
        settings = model._settings(self.table.n_rows, self.table.n_columns)
        return grow(self.table, self.target, settings)

    def fit_frame(self, depth: int | None) -> Any:
        """What a user calls: reading and growing."""
        from mixedwood import TreeClassifier

        return TreeClassifier(max_depth=depth, pruning=None).fit(self.data.X, self.data.y)

    def predict(self, model: Any) -> np.ndarray:
        """Classes of the training rows."""
        return model.predict(self.table)

    def leaves(self, model: Any) -> str:
        """Size in words."""
        return str(model.n_leaves)

    @property
    def table_bytes(self) -> int:
        """Of the typed table."""
        return sum(array.nbytes for array in self.table.arrays)


PEERS = [SklearnOrdinal, SklearnOneHot, LightGBM, LightGBMAllBins, Ydf]
ALL = [Mixedwood, *PEERS]
