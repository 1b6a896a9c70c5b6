"""The runner: everything once, in any order, whatever fails."""

import itertools
import json
import os
import random
import signal
import subprocess
import sys
import time

import pytest

from mixedwood import study
from mixedwood.study.tables import FORMATS

LETTERS = {"experiment": ["letters"]}


def done(letters):
    log = letters.parent / "log"
    return (
        [tuple(json.loads(line)) for line in log.read_text().splitlines()] if log.exists() else []
    )


def tables(letters, store):
    """What the study shows; nothing in it depends on time."""
    found = study.results(study.read_study(letters), store)
    return FORMATS["json"](found.tables[:1])


def test_everything_is_done_once_and_kept(letters):
    with study.Store(letters.parent / "s") as store:
        report = study.run(study.read_study(letters), store, only=LETTERS)
        assert (report.done, report.failed, report.reused, report.remaining) == (36, 0, 0, 0)
        assert len(done(letters)) == len(set(done(letters))) == 36
        report = study.run(study.read_study(letters), store, only=LETTERS)
        assert (report.done, report.reused) == (0, 36)
        assert str(report) == "0 tasks done, 36 already in the store."
    assert len(done(letters)) == 36


def test_the_short_form_is_part_of_the_long_one(letters):
    with study.Store(letters.parent / "s") as store:
        assert study.run(study.read_study(letters, quick=True), store).done == 6
        report = study.run(study.read_study(letters), store, only=LETTERS)
        assert (report.done, report.reused) == (30, 6)


def test_order_and_workers_do_not_matter(letters):
    with study.Store(":memory:") as one, study.Store(":memory:") as two:
        study.run(study.read_study(letters), one, only=LETTERS)
        for letter in ("z", "x"):
            study.run(
                study.read_study(letters), two, only={**LETTERS, "letter": [letter]}, n_jobs=2
            )
        assert study.run(study.read_study(letters), two, only=LETTERS, n_jobs=2).done == 12
        assert tables(letters, one) == tables(letters, two)


def test_a_failure_is_written_down_and_the_rest_goes_on(edited, letters):
    edited("nap = 0.0", 'broken = "y"')
    with study.Store(":memory:") as store:
        report = study.run(study.read_study(letters), store, only=LETTERS)
        assert (report.done, report.failed) == (36, 12)
        assert "12 of them failed" in str(report)
        found = study.results(study.read_study(letters), store)
        assert {record.error for record in found.failures} == {"ArithmeticError: not today"}
        assert "raise ArithmeticError" in found.failures[0].traceback
        assert found.failures[0].label.startswith("letter y, repetition")
        assert not found.table("one").column("error").keys() & {"y"}
        # Not again by itself; again if asked to.
        assert study.run(study.read_study(letters), store, only=LETTERS).done == 0
        report = study.run(study.read_study(letters), store, only=LETTERS, retry_failed=True)
        assert (report.done, report.failed, report.reused) == (12, 12, 24)


def test_warnings_are_kept(edited, letters):
    edited("letters:draw", "letters:heard")
    with study.Store(":memory:") as store:
        study.run(study.read_study(letters, quick=True), store)
        assert {r.warnings for r in store.records().values()} == {("UserWarning: mind the gap",)}


def test_figures_that_cannot_be_kept_are_a_failure(edited, letters):
    edited("letters:draw", "letters:crash")
    with study.Store(":memory:") as store:
        assert study.run(study.read_study(letters, quick=True), store).failed == 6
        [error] = {r.error for r in store.records().values()}
        assert "object" in error


def test_nothing_begins_after_the_time_limit(edited, letters):
    edited("nap = 0.0", "nap = 0.05")
    with study.Store(":memory:") as store:
        report = study.run(study.read_study(letters), store, only=LETTERS, time_limit=0.3)
        assert report.done + report.remaining == 36
        assert report.remaining > 0
        assert f"{report.remaining} are left" in str(report)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("letters:draw", "letters:drow", "no 'letters:drow'"),
        ("letters:draw", "drow", "no task 'drow'. Use one of .*cross_validation"),
        ("C45TreeClassifier", "TreeClassifier.c46", "'c46' is not part of"),
        ("max_depth = 1", "max_deep = 1", "cannot be made"),
        ('"tic-tac-toe"', '"no-such-set"', "Datasets are missing: no-such-set"),
    ],
)
def test_mistakes_are_found_before_any_work(edited, letters, old, new, words):
    with study.Store(":memory:") as store:
        with pytest.raises(study.StudyError, match=words):
            study.run(study.read_study(edited(old, new)), store)
        assert not store.records()
    assert not done(letters)


def test_sets_that_are_not_here_can_be_left_out(edited):
    path = edited('"tic-tac-toe"', '"no-such-set"')
    with study.Store(":memory:") as store:
        only = {"experiment": ["trees"]}
        assert study.run(study.read_study(path), store, only=only, skip_unavailable=True).done == 4


@pytest.mark.parametrize("only", [{"sett": ["tic"]}, {"dataset": ["toc"]}])
def test_a_choice_that_is_not_there_is_an_error(letters, only):
    with study.Store(":memory:") as store, pytest.raises(study.StudyError, match="there are"):
        study.run(study.read_study(letters), store, only=only)


def test_a_dask_cluster_does_the_same(letters):
    distributed = pytest.importorskip("distributed")
    only = {"experiment": ["trees"], "repetition": [0]}
    with (
        study.Store(":memory:") as here,
        study.Store(":memory:") as there,
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=1, processes=False, dashboard_address=":0"
        ) as cluster,
    ):
        study.run(study.read_study(letters), here, only=only)
        study.run(study.read_study(letters), there, only=only, scheduler=cluster.scheduler_address)
        errors = [
            {key: r.metrics["error"] for key, r in store.records().items()}
            for store in (here, there)
        ]
    assert errors[0] == errors[1]
    assert len(errors[0]) == 4


def test_no_scheduler_there_is_said(letters):
    pytest.importorskip("distributed")
    with study.Store(":memory:") as store, pytest.raises(study.StudyError, match="no Dask"):
        study.run(study.read_study(letters), store, scheduler="no address at all")


COMMAND = "from mixedwood.cli import main; main()"


def start(letters, jobs):
    words = ["study", "run", str(letters), "--store", str(letters.parent / "s.sqlite")]
    words += ["--jobs", str(jobs), "-q", "--only", "experiment=letters"]
    # A session of its own, so that workers are killed with it.
    return subprocess.Popen(
        [sys.executable, "-c", COMMAND, *words], start_new_session=True, stderr=subprocess.PIPE
    )


@pytest.mark.skipif(os.name == "nt", reason="signals are sent as on Unix")
@pytest.mark.parametrize(
    ("n_kills", "in_the_middle"), [(4, 1), pytest.param(14, 3, marks=pytest.mark.long)]
)
def test_killed_at_random_moments_it_loses_nothing_and_does_nothing_twice(
    edited, letters, n_kills, in_the_middle
):
    edited("nap = 0.0", "nap = 0.06")
    store = letters.parent / "s.sqlite"
    moments = random.Random(20)
    kept_at_kill, ends = [], []
    for number in range(n_kills):
        process = start(letters, jobs=1 + number % 2)
        began, log_before = time.monotonic(), len(done(letters))
        # Half of the kills come a while after the first task of this run has begun.
        while len(done(letters)) == log_before and process.poll() is None:
            if number % 2 and time.monotonic() - began > moments.uniform(0.2, 2.0):
                break
            time.sleep(0.005)
        time.sleep(moments.uniform(0.0, 0.4))
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        process.stderr.close()
        if store.exists():
            with study.Store(store) as kept:
                recorded = {
                    tuple(word.split()[-1] for word in r.label.split(", "))
                    for r in kept.records().values()
                }
        else:
            recorded = set()
        kept_at_kill.append({(letter, int(repetition)) for letter, repetition in recorded})
        ends.append(len(done(letters)))
    process = start(letters, jobs=1)
    assert process.wait(timeout=250) == 0, process.stderr.read()
    process.stderr.close()

    sizes = {len(kept) for kept in kept_at_kill}
    assert len(sizes - {0, 36}) >= in_the_middle, f"kills came too early or late: {sorted(sizes)}"
    log = done(letters)
    for kept, end in zip(kept_at_kill, ends, strict=True):
        assert not kept & set(log[end:]), "a task that was written down was done again"
    for before, after in itertools.pairwise(kept_at_kill):
        assert before <= after, "what was written down is gone"
    assert set(log) == {(letter, n) for letter in "xyz" for n in range(12)}
    with study.Store(store) as killed, study.Store(":memory:") as whole:
        study.run(study.read_study(letters), whole, only=LETTERS)
        assert tables(letters, killed) == tables(letters, whole)


@pytest.mark.skipif(os.name == "nt", reason="signals are sent as on Unix")
def test_ctrl_c_ends_soon_and_keeps_what_is_done(edited, letters):
    edited("nap = 0.0", "nap = 0.1")
    process = start(letters, jobs=1)
    while len(done(letters)) < 4:
        assert process.poll() is None
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGINT)
    assert process.wait(timeout=250) == 130
    assert b"Interrupted" in process.stderr.read()
    process.stderr.close()
    with study.Store(letters.parent / "s.sqlite") as store:
        assert len(store.records()) >= 3
