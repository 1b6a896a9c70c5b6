"""Criteria and partitioners as Python values."""

import copy
import pickle
from dataclasses import FrozenInstanceError

import numpy as np
import pytest

import mixedwood as mw
from mixedwood.splits import Partitioner, best_partition

CRITERIA = ["gini", "entropy", "gain_ratio", "twoing", "squared_gini", "chi2", "pearson_chi2"]
PARTITIONERS = [
    "auto",
    "exact",
    "two_class_order",
    "twoing",
    "hypercube_cover",
    "sliq",
    "sliq_ext",
    "principal",
    "principal_ext",
    "flip_flop",
    "largest_alone",
    "list_scheduling",
    "max_cut",
    "max_cut_sdp",
    "one_vs_rest",
    "random_order",
    "random_subset",
    "multiway",
]
WITH_OPTIONS = [
    Partitioner("exact"),
    Partitioner("max_cut", local_search=False, weights="entropy"),
    Partitioner("max_cut_sdp", roundings=10, local_search=False),
    Partitioner("largest_alone", scored_by="superclasses"),
    Partitioner("principal", scores="counts"),
    Partitioner("flip_flop", start="first_value"),
    Partitioner("hypercube_cover", both_directions=True),
]


def test_the_names_of_the_design_are_all_there():
    assert list(mw.splits.criteria()) == CRITERIA
    assert set(PARTITIONERS) <= set(mw.splits.partitioners())


def test_each_name_has_one_line():
    for line in [*mw.splits.criteria().values(), *mw.splits.partitioners().values()]:
        assert len(line.split("; ")[0]) < 80  # the description; options follow
        assert 10 < len(line) < 120 or "weights=" in line  # which lists five criteria
        assert "\n" not in line


def test_the_line_of_a_partitioner_shows_its_options_default_first():
    lines = mw.splits.partitioners()
    weights = "; weights='criterion' or 'squared_gini' or 'chi2' or 'gini' or 'entropy'"
    assert lines["max_cut"].endswith("; local_search=True or False" + weights)
    assert lines["max_cut_sdp"].endswith("; roundings=100; local_search=True or False" + weights)
    assert lines["flip_flop"].endswith(
        "start='largest_alone' or 'list_scheduling' or 'first_value'"
    )
    assert "=" not in lines["exact"]


def test_what_is_listed_is_a_copy():
    mw.splits.criteria().clear()
    mw.splits.partitioners().clear()
    assert mw.splits.criteria()
    assert mw.splits.partitioners()


@pytest.mark.parametrize("name", mw.splits.partitioners())
def test_a_name_stands_for_the_search_with_its_defaults(name):
    A = np.array([[5.0, 1], [2, 4], [1, 5], [3, 3]])
    plain = best_partition(A, "gini", name, random_state=0)
    assert best_partition(A, "gini", Partitioner(name), random_state=0).groups == plain.groups
    assert repr(Partitioner(name)) == f"Partitioner({name!r})"


def test_options_reach_the_search():
    A = np.array(
        [[3, 6, 1, 3], [2, 0, 0, 6], [7, 1, 0, 1], [0, 6, 0, 5], [6, 1, 1, 2], [6, 7, 6, 2]]
    )

    def left(name, **options):
        return best_partition(A, "entropy", Partitioner(name, **options)).left

    assert left("largest_alone") == (0, 1, 3)
    assert left("largest_alone", scored_by="superclasses") == (0, 1, 3, 5)
    assert left("max_cut", local_search=False) == (0, 3, 5)
    assert left("max_cut") == (0, 5)


@pytest.mark.parametrize("part", WITH_OPTIONS, ids=repr)
def test_equal_parts_are_equal_everywhere(part):
    twin = Partitioner(part.name, **dict(reversed(part.options.items())))
    assert part == twin
    assert hash(part) == hash(twin)
    assert part != part.name
    assert [other for other in WITH_OPTIONS if other == part] == [part]
    assert eval(repr(part)) == part


@pytest.mark.parametrize("part", WITH_OPTIONS, ids=repr)
def test_parts_travel(part):
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        assert pickle.loads(pickle.dumps(part, protocol)) == part
    assert copy.copy(part) == copy.deepcopy(part) == part


def test_a_part_does_not_change():
    given = {"local_search": False}
    part = Partitioner("max_cut", **given)
    given["local_search"] = True
    assert part.options == {"local_search": False}
    with pytest.raises(FrozenInstanceError):
        part.name = "exact"
    with pytest.raises(FrozenInstanceError):
        part.options = {}
    with pytest.raises(TypeError):
        part.options["local_search"] = True


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("maxcut", {}, "must be a str among {'auto', 'exact', .* Got 'maxcut' instead"),
        ("max_cut", {"local": True}, r"'max_cut'\) has no option 'local'. It has 'local_search'"),
        ("exact", {"local": True}, r"'exact'\) has no option 'local'. It has none"),
        ("max_cut", {"local_search": 1}, "'local_search' option of .* must be a bool. Got 1"),
        ("max_cut", {"local_search": None}, "must be a bool. Got None"),
        ("principal", {"scores": "count"}, "a str among {'proportions', 'counts'}. Got 'count'"),
        ("principal", {"scores": 1}, "a str among {'proportions', 'counts'}. Got 1"),
        ("max_cut_sdp", {"roundings": 0}, r"must be an int in the range \[1, 1000000\]. Got 0"),
        ("max_cut_sdp", {"roundings": -5}, r"must be an int in the range \[1, 1000000\]. Got -5"),
        ("max_cut_sdp", {"roundings": 10**7}, "Got 10000000 instead"),
        ("max_cut_sdp", {"roundings": 10**400}, "Got 1000"),
        ("max_cut_sdp", {"roundings": 1.5}, r"must be an int .* Got 1\.5"),
        ("max_cut_sdp", {"roundings": "10"}, "must be an int .* Got '10'"),
        ("max_cut_sdp", {"roundings": True}, "must be an int .* Got True"),
    ],
)
def test_a_part_that_cannot_work_is_refused_when_it_is_made(name, options, message):
    with pytest.raises(ValueError, match=message):
        Partitioner(name, **options)


def test_numbers_of_numpy_are_options_too():
    part = Partitioner("max_cut_sdp", roundings=np.int64(5), local_search=np.True_)
    assert best_partition(np.eye(3), "gini", part, random_state=0).is_split
    assert Partitioner("max_cut_sdp", roundings=1_000_000) == Partitioner(
        "max_cut_sdp", roundings=np.int32(1_000_000)
    )
