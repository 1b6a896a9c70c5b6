"""Forests and boosting by mixedwood and by its peers, on the same rows, with two threads each.

What is timed, and what not:

- *encode* is everything between a pandas frame with columns of text and numbers and what is given
  to the learner: pandas categories for mixedwood, XGBoost and scikit-learn's boosting, ordinal or
  one-hot codes as float32 for scikit-learn's forest, codes and binning for LightGBM,
  `ydf.create_vertical_dataset` for YDF. ranger has factors that R has read; reading is not counted.
- *fit* starts from there. For mixedwood, XGBoost and scikit-learn's boosting it has in it what they
  do with a frame: reading categories, binning.
- *predict* answers the training rows from encoded data: classes for mixedwood, scikit-learn and
  ranger, probabilities for LightGBM, XGBoost and YDF, which have nothing shorter.

Forests are random forests with the square root of the columns at a node, a bootstrap sample per
tree, grown until leaves are pure or cannot be divided: the defaults of scikit-learn and ranger. YDF
gets `max_depth` = -1 and `min_examples` = 1 for that, and neither out-of-bag figures nor rare
categories set aside. ranger runs once with its default for unordered factors, `ignore`, which takes
codes as amounts, and once with `order`; it computes its out-of-bag error, which cannot be switched
off before version 0.15.

Boosting is gradient boosting with 31 leaves and rate 0.1, all else as it comes; a round is one tree
per class when there are more than two. LightGBM sees 255 bins of a column at most, so of a column
of 1,000 categories 254 and a rest; "max_bin 1023" lets it see all. scikit-learn's boosting takes at
most 255 categories, so it has no line where there are more.
"""

from __future__ import annotations

import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from peers.common import Column, Table, write_arff
from tree_contenders import Contender, Data, LightGBM, SklearnOneHot, SklearnOrdinal, Ydf

THREADS = 2
LEAVES = 31
RATE = 0.1


class Ensemble(Contender):
    """A contender whose `fit` is told the number of trees or rounds, timed by the wall's clock."""

    clock = staticmethod(time.perf_counter)
    task = ""

    def timed_fit(self, size: int) -> tuple[float, Any]:
        """Seconds and model."""
        start = self.clock()
        model = self.fit(size)
        return self.clock() - start, model

    def timed_predict(self, model: Any) -> float:
        """Seconds to answer the training rows."""
        start = self.clock()
        self.predict(model)
        return self.clock() - start

    def category_frame(self) -> Any:
        """The frame with pandas categories for its nominal columns."""
        return self.data.X.astype(dict.fromkeys(self.data.nominal, "category"))

    def close(self) -> None:
        """Let go of whatever runs elsewhere."""


class SklearnForest(Ensemble, SklearnOrdinal):
    """On codes as if they were amounts."""

    task = "forest"

    def fit(self, size: int) -> Any:
        """Grow."""
        from sklearn.ensemble import RandomForestClassifier

        forest = RandomForestClassifier(size, random_state=0, n_jobs=THREADS)
        return forest.fit(self.X, self.data.y)


class SklearnForestOneHot(SklearnForest, SklearnOneHot):
    """On one column per category; sparse when it would not fit otherwise."""

    name = SklearnOneHot.name


class YdfForest(Ensemble, Ydf):
    """With its default search for groups of categories."""

    name = "YDF"
    task = "forest"
    algorithm = "CART"

    def fit(self, size: int) -> Any:
        """Grow."""
        import ydf

        learner = ydf.RandomForestLearner(
            "class of a row",
            num_trees=size,
            max_depth=-1,
            min_examples=1,
            compute_oob_performances=False,
            categorical_algorithm=self.algorithm,
            num_threads=THREADS,
        )
        return learner.train(self.dataset)

    def predict(self, model: Any) -> np.ndarray:
        """Probabilities, by its fast engine."""
        return model.predict(self.dataset, num_threads=THREADS)


class YdfForestRandom(YdfForest):
    """With random groups of categories."""

    name = "YDF, random groups"
    algorithm = "RANDOM"


class Ranger(Ensemble):
    """A process of R that has read the table and tells its own seconds."""

    name = "ranger, ignore"
    task = "forest"
    factors = "ignore"
    driver = Path(__file__).parent / "peers" / "ranger_speed.R"

    @classmethod
    def suits(cls, data: Data) -> bool:
        """Whether R and ranger are there."""
        if shutil.which("Rscript") is None:
            return False
        words = ["Rscript", "--vanilla", str(cls.driver), "--version"]
        return subprocess.run(words, capture_output=True, check=False).returncode == 0

    def __init__(self, data: Data) -> None:
        super().__init__(data)
        columns = []
        for name in data.X.columns:
            cells = data.X[name]
            if name in data.nominal:
                codes, values = cells.factorize(sort=True)
                columns.append(Column(codes, len(values)))
            else:
                columns.append(Column(cells.to_numpy(float), 0))
        with tempfile.TemporaryDirectory() as folder:
            arff = Path(folder, "table.arff")
            write_arff(Table(columns, data.y, data.n_classes), arff)
            words = [
                "Rscript",
                "--vanilla",
                str(self.driver),
                str(arff),
                self.factors,
                str(THREADS),
            ]
            self.process = subprocess.Popen(
                words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
            )
            self.ask("read")

    def ask(self, order: str) -> float:
        """Give an order and wait for the number it answers with."""
        self.process.stdin.write(order + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            raise RuntimeError(f"ranger stopped with exit code {self.process.wait()}.")
        return float(answer)

    def timed_fit(self, size: int) -> tuple[float, Any]:
        """Seconds; the model stays in R."""
        return self.ask(f"fit {size}"), None

    def timed_predict(self, model: Any) -> float:
        """Seconds."""
        return self.ask("predict")

    def close(self) -> None:
        """End the process."""
        self.process.stdin.close()
        self.process.wait()


class RangerOrder(Ranger):
    """With categories in the order of the classes."""

    name = "ranger, order"
    factors = "order"


class LightGBMBoosting(Ensemble, LightGBM):
    """Rounds of 31 leaves."""

    task = "boosting"

    def settings(self, depth: int | None) -> dict[str, Any]:
        """Its defaults; `depth` is not used."""
        many = {"objective": "multiclass", "num_class": self.data.n_classes}
        return {
            **(many if self.data.n_classes > 2 else {"objective": "binary"}),
            "num_threads": THREADS,
            "num_leaves": LEAVES,
            "learning_rate": RATE,
            "max_bin": self.max_bin,
            "verbose": -1,
        }

    def fit(self, size: int) -> Any:
        """Boost."""
        import lightgbm

        return lightgbm.train(self.settings(None), self.dataset, num_boost_round=size)

    def predict(self, model: Any) -> np.ndarray:
        """Probabilities."""
        return model.predict(self.X, num_threads=THREADS)


class LightGBMAllBinsBoosting(LightGBMBoosting):
    """The same, with a bin for every category."""

    name = "LightGBM, max_bin 1023"
    max_bin = 1023

    @classmethod
    def suits(cls, data: Data) -> bool:
        """Where 255 are too few."""
        wide = any(data.X[name].nunique() > 255 for name in data.nominal)
        return wide and super().suits(data)


class FrameEnsemble(Ensemble):
    """Estimators that are given a frame of pandas categories."""

    def encode(self) -> None:
        """To categories."""
        self.X = self.category_frame()

    def make(self, size: int) -> Any:
        """A new estimator."""
        raise NotImplementedError

    def fit(self, size: int) -> Any:
        """Read and learn."""
        return self.make(size).fit(self.X, self.data.y)

    def predict(self, model: Any) -> np.ndarray:
        """Classes."""
        return model.predict(self.X)


class XGBoostBoosting(FrameEnsemble):
    """Best leaf first, as the others."""

    name = "XGBoost"
    package = "xgboost"
    task = "boosting"

    def make(self, size: int) -> Any:
        """31 leaves, no limit of depth."""
        import xgboost

        return xgboost.XGBClassifier(
            n_estimators=size,
            max_leaves=LEAVES,
            max_depth=0,
            grow_policy="lossguide",
            learning_rate=RATE,
            tree_method="hist",
            enable_categorical=True,
            n_jobs=THREADS,
        )

    def predict(self, model: Any) -> np.ndarray:
        """Probabilities."""
        return model.predict_proba(self.X)


class SklearnBoosting(FrameEnsemble):
    """Histograms; its threads are those of OpenMP."""

    name = "scikit-learn, histograms"
    package = "sklearn"
    task = "boosting"

    @classmethod
    def suits(cls, data: Data) -> bool:
        """It takes at most 255 categories."""
        return super().suits(data) and all(data.X[name].nunique() <= 255 for name in data.nominal)

    def make(self, size: int) -> Any:
        """Without early stopping."""
        from sklearn.ensemble import HistGradientBoostingClassifier

        return HistGradientBoostingClassifier(
            learning_rate=RATE, max_iter=size, max_leaf_nodes=LEAVES, early_stopping=False
        )

    def fit(self, size: int) -> Any:
        """Boost, with so many threads and no more."""
        from threadpoolctl import threadpool_limits

        with threadpool_limits(THREADS):
            return super().fit(size)

    def predict(self, model: Any) -> np.ndarray:
        """Classes."""
        from threadpoolctl import threadpool_limits

        with threadpool_limits(THREADS):
            return super().predict(model)


class Ours(FrameEnsemble):
    """One of ours; not there in versions of mixedwood that lack the estimator."""

    package = "mixedwood"
    factory: Callable[[Any, int], Any]

    @classmethod
    def suits(cls, data: Data) -> bool:
        """Whether this version of mixedwood has it."""
        import mixedwood

        try:
            cls.factory(mixedwood, 1)
        except AttributeError:
            return False
        return True

    def make(self, size: int) -> Any:
        """A new estimator."""
        import mixedwood

        return type(self).factory(mixedwood, size)


class OurForest(Ours):
    """The recipe of a random forest."""

    name = "mixedwood"
    task = "forest"
    factory = staticmethod(
        lambda mw, size: mw.ForestClassifier.random_forest(size, n_jobs=THREADS, random_state=0)
    )


class OurBoosting(Ours):
    """Gradient boosting with 31 leaves over all columns, values sorted by their step."""

    name = "mixedwood"
    task = "boosting"
    factory = staticmethod(
        lambda mw, size: mw.BoostedTreesClassifier(
            n_estimators=size,
            partitioner="auto",
            max_depth=None,
            max_leaf_nodes=LEAVES,
            max_features=None,
            learning_rate=RATE,
            n_jobs=THREADS,
            random_state=0,
        )
    )


ALL = [
    OurForest,
    SklearnForest,
    SklearnForestOneHot,
    YdfForest,
    YdfForestRandom,
    Ranger,
    RangerOrder,
    OurBoosting,
    LightGBMBoosting,
    LightGBMAllBinsBoosting,
    XGBoostBoosting,
    SklearnBoosting,
]
