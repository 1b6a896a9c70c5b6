"""Load datasets by name from generators, scikit-learn, a folder, the cache or OpenML."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial
from importlib import import_module

import numpy as np

from mixedwood.datasets import generators
from mixedwood.datasets.dataset import (
    Dataset,
    DatasetNotFoundError,
    RawTable,
    choose_frame,
    make_dataset,
    numeric_table,
)
from mixedwood.datasets.folder import cache_folder, data_folder
from mixedwood.datasets.openml import catalogue, fetch
from mixedwood.datasets.variant import VARIANTS, apply_variant, find_variant

Found = tuple[RawTable, str]


@dataclass(frozen=True)
class DatasetSource:
    """The names of the datasets of a source, and a function that reads one (None: not found)."""

    names: Callable[[], Iterable[str]]
    read: Callable[[str], Found | None]


def _waveform(n_noise_features: int) -> RawTable:
    # A fixed seed: load("waveform") always gives the same table.
    return generators.waveform_table(5000, n_noise_features, np.random.default_rng(0))


_GENERATED: dict[str, tuple[Callable[[], RawTable], str]] = {
    **{
        f"monks-{k}": (
            partial(generators.monks, k),
            f"Monk's problem {k}: all 432 cases with the true class (the original test file).",
        )
        for k in (1, 2, 3)
    },
    "balance-scale": (generators.balance_scale, "All 625 cases; ordinal categories 1 to 5."),
    "tic-tac-toe": (
        generators.tic_tac_toe,
        "All 958 final boards of games that x begins.",
    ),
    "waveform": (partial(_waveform, 0), f"5000 rows with seed 0. {generators.WAVEFORM_NOTES}"),
    "waveform-noise": (
        partial(_waveform, 19),
        f"5000 rows with seed 0 and 19 noise columns. {generators.WAVEFORM_NOTES}",
    ),
}


def _read_generated(name: str) -> Found | None:
    if name not in _GENERATED:
        return None
    make, notes = _GENERATED[name]
    return make(), notes


def _folder_names() -> list[str]:
    folder = data_folder()
    if folder is None:
        return []
    below = [f"{sub}/{name}" for sub in folder.folders() for name in folder.below(sub).names()]
    return [*folder.names(), *below]


def _read_folder(name: str) -> Found | None:
    folder = data_folder()
    if folder is None:
        return None
    sub, _, own = name.rpartition("/")
    if sub:
        return folder.below(sub).read(own) if sub in folder.folders() else None
    return folder.read(name)


# Name -> loader of scikit-learn, and notes.
_BUNDLED: dict[str, tuple[str, str]] = {
    "iris": (
        "load_iris",
        "scikit-learn's copy, which is Fisher's: three cells differ from the UCI file.",
    ),
    "wine": ("load_wine", "UCI Wine, as shipped by scikit-learn."),
    "breast-cancer-wisconsin-diagnostic": (
        "load_breast_cancer",
        "UCI Breast Cancer Wisconsin (Diagnostic), as shipped by scikit-learn.",
    ),
    "digits": ("load_digits", "8 x 8 images of digits; the 1797 rows of the UCI test set."),
}


def _read_bundled(name: str) -> Found | None:
    if name not in _BUNDLED:
        return None
    loader, notes = _BUNDLED[name]
    bunch = getattr(import_module("sklearn.datasets"), loader)()
    labels = [str(bunch.target_names[k]) for k in bunch.target]
    names = [str(feature) for feature in bunch.feature_names]
    return numeric_table(names, np.asarray(bunch.data, dtype=np.float64), labels), notes


# In the order of search. Sources that need no files come first, so that a name means the same data
# on every machine; the network comes last.
SOURCES: dict[str, DatasetSource] = {
    "generated": DatasetSource(lambda: _GENERATED, _read_generated),
    "scikit-learn": DatasetSource(lambda: _BUNDLED, _read_bundled),
    "folder": DatasetSource(_folder_names, _read_folder),
    "cache": DatasetSource(lambda: cache_folder().names(), lambda name: cache_folder().read(name)),
    "openml": DatasetSource(catalogue, fetch),
}


def load(
    name: str, *, variant: str | None = None, frame: str = "auto", source: str = "auto"
) -> Dataset:
    """Load a dataset by name.

    The sources are searched in this order: generators, scikit-learn, the folder named by the
    environment variable `MIXEDWOOD_DATA`, the cache (`MIXEDWOOD_CACHE`, or the cache directory of
    the platform), and OpenML. Only the last one uses the network, and only for datasets of the
    catalogue that is part of the library. Downloaded data is checked and cached.

    Parameters
    ----------
    name : str
        Name of the dataset; see `names`. One in a folder of `MIXEDWOOD_DATA` is named
        "folder/name".
    variant : str or None, default=None
        A documented variant, such as the rows used in a paper; see `variants`.
    frame : {"auto", "pandas", "polars", "pyarrow", "dict"}, default="auto"
        Type of `X`. "auto" is the first of these libraries that is installed; "dict" maps names to
        numpy arrays.
    source : {"auto", "generated", "scikit-learn", "folder", "cache", "openml"}, default="auto"
        Restrict the search to one source.

    Returns
    -------
    Dataset

    Raises
    ------
    DatasetNotFoundError
        If no source has the dataset. The message lists similar names and how to get the data.
    DamagedDatasetError
        If a stored or downloaded copy does not match its checksum or description.

    Examples
    --------
    >>> from mixedwood import datasets
    >>> monks = datasets.load("monks-2", frame="dict")
    >>> monks
    Dataset 'monks-2': 432 rows, 6 columns (6 nominal), source: generated
    classes: 0 290, 1 142
    >>> monks.X["a1"][:2], monks.y[:2].tolist()
    (array(['1', '1'], dtype=object), ['0', '0'])
    """
    # Checked before any download.
    frame = choose_frame(frame)
    chosen = None if variant is None else find_variant(name, variant)
    (table, notes), origin = _find(name, source)
    if chosen is not None:
        table = apply_variant(table, chosen)
        name, notes = f"{name}/{variant}", f"{notes} Variant: {chosen.summary}.".strip()
    return make_dataset(table, name=name, source=origin, notes=notes, frame=frame)


def names(*, available_only: bool = False) -> dict[str, str]:
    """List the names that `load` accepts, with the source of each.

    Parameters
    ----------
    available_only : bool, default=False
        Omit datasets that would have to be downloaded.

    Returns
    -------
    dict of str to str
        Sorted by name. Sources: "generated", "scikit-learn", "folder", "cache", "openml".

    Examples
    --------
    >>> from mixedwood import datasets
    >>> datasets.names()["tic-tac-toe"]
    'generated'
    """
    found: dict[str, str] = {}
    for origin, place in SOURCES.items():
        if origin == "openml" and available_only:
            continue
        for name in place.names():
            found.setdefault(name, origin)
    return dict(sorted(found.items()))


def variants(name: str) -> dict[str, str]:
    """List the variants of a dataset, with a description of each.

    Examples
    --------
    >>> from mixedwood import datasets
    >>> datasets.variants("mushroom")
    {'complete': 'the rows without missing cells'}
    """
    return {key: value.summary for key, value in VARIANTS.get(name, {}).items()}


def _find(name: str, source: str) -> tuple[Found, str]:
    if source != "auto" and source not in SOURCES:
        accepted = ", ".join(repr(key) for key in ("auto", *SOURCES))
        raise ValueError(
            f"The 'source' parameter must be one of {accepted}. Got {source!r} instead."
        )
    places = SOURCES if source == "auto" else {source: SOURCES[source]}
    reason = ""
    for origin, place in places.items():
        try:
            found = place.read(name)
        except DatasetNotFoundError as error:
            reason = f" {error}."
            continue
        if found is not None:
            return found, origin
    raise DatasetNotFoundError(_not_found(name, source) + reason)


def _not_found(name: str, source: str) -> str:
    known = names() if source == "auto" else list(SOURCES[source].names())
    where = "" if source == "auto" else f" in source {source!r}"
    close = get_close_matches(name, list(known), n=3)
    hint = f" Did you mean {' or '.join(repr(match) for match in close)}?" if close else ""
    if name in known:
        hint = ""
    folder = data_folder()
    setting = f"now {folder.path}" if folder else "not set"
    on_openml = (
        "this dataset is in the catalogue"
        if name in catalogue()
        else "this dataset is not in the catalogue, so this is not possible"
    )
    return (
        f"No dataset {name!r} was found{where}.{hint} To provide it, (1) set MIXEDWOOD_DATA to a "
        f"folder that contains it ({setting}); (2) put it into the cache, {cache_folder().path}; "
        f"or (3) go online to download it from OpenML ({on_openml})."
    )
