"""Fitted classifiers of scikit-learn as models of nodes: as plain data where that is possible."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mixedwood.tree.node_models import (
    KERNELS,
    KeptModel,
    KernelModel,
    NetworkModel,
    NodeDesign,
    NodeModel,
)

__all__ = ["NodeModels", "node_model_of"]


@dataclass
class NodeModels:
    """The models of the nodes of one tree while it grows.

    Attributes
    ----------
    arrays : tuple of ndarray
        The columns of the table that the tree grows from.
    models : list of NodeModel
        Those that a split may be made of, by their numbers.
    """

    arrays: tuple[NDArray[Any], ...]
    models: list[NodeModel] = field(default_factory=list)

    def decide(
        self, classifier: Any, keep: bool, rows: NDArray[np.int32], *design: NDArray[Any]
    ) -> tuple[int, NDArray[np.float64]]:
        """Give the decisions of a fitted classifier for rows, and its number if it is kept."""
        model = node_model_of(classifier, NodeDesign(*design))
        number = len(self.models) if keep else -1
        if keep:
            self.models.append(model)
        return number, model.decide(self.arrays, rows)


def node_model_of(classifier: Any, design: NodeDesign) -> NodeModel:
    """Turn a classifier that was fitted to -1 and 1 into a model of a node."""
    from sklearn.neural_network import MLPClassifier
    from sklearn.svm import SVC, NuSVC

    name = type(classifier).__name__
    if type(classifier) in (SVC, NuSVC) and classifier.kernel in KERNELS:
        return KernelModel(
            name,
            design,
            kernel=str(classifier.kernel),
            gamma=float(classifier._gamma),
            degree=int(classifier.degree),
            coef0=float(classifier.coef0),
            support=np.array(classifier.support_vectors_, np.float64, order="C"),
            weights=np.array(classifier.dual_coef_[0], np.float64),
            intercept=float(classifier.intercept_[0]),
        )
    if type(classifier) is MLPClassifier:
        return NetworkModel(
            name,
            design,
            activation=str(classifier.activation),
            weights=tuple(np.array(w, np.float64, order="C") for w in classifier.coefs_),
            intercepts=tuple(np.array(b, np.float64) for b in classifier.intercepts_),
        )
    return KeptModel(name, design, classifier)
