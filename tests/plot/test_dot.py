"""Trees in the language of Graphviz."""

import re

import numpy as np
import pytest

from mixedwood.data import Column, Schema
from mixedwood.plot import tree_dot
from mixedwood.tree import TreeBuilder
from strategies import random_tree


@pytest.mark.parametrize("seed", range(10))
def test_every_node_and_branch_is_there_once(seed):
    tree = random_tree(np.random.default_rng(seed))
    text = tree_dot(tree)
    nodes = [int(n) for n in re.findall(r"^  (\d+) \[label=", text, re.MULTILINE)]
    assert nodes == list(range(tree.n_nodes))
    branches = re.findall(r"^  (\d+) -> (\d+) \[label=\".+\"\];$", text, re.MULTILINE)
    assert len(branches) == tree.n_nodes - 1
    assert all(tree.parent[int(child)] == int(node) for node, child in branches)


def test_what_is_left_out_is_counted():
    tree = random_tree(np.random.default_rng(1))
    text = tree_dot(tree, max_depth=1)
    shown = len(tree.children_of(0)) + 1
    assert text.count("[label=") - text.count("->") == shown
    left = sum(int(n) for n in re.findall(r"\.\.\. (\d+) more node", text))
    assert left == tree.n_nodes - shown


def test_odd_names_stay_inside_their_quotes():
    odd = 'a"]; b \\ \n -> "'
    builder = TreeBuilder(Schema((Column(odd, "numeric"),)), ['x"', "\\"], [1, 1])
    builder.split_interval(0, odd, [[1, 0], [0, 1]], high=0.0)
    text = tree_dot(builder.build())
    assert len(text.splitlines()) == 8
    for line in text.splitlines()[2:-1]:
        assert re.fullmatch(r'  \d+( -> \d+)? \[label="([^"\\\n]|\\.)*"\];', line), line
