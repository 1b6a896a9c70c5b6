"""Long searches stop: at a time limit, at Ctrl-C; and meanwhile others may work."""

import _thread
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from mixedwood.splits import Criterion, best_partition, score_partition
from support.strategies import random_table

LONG = {
    "superclasses": ("gini", "hypercube_cover", (2000, 20)),
    "moves": ("gini", "sliq_ext", (30_000, 5)),
    "all partitions": ("gain_ratio", "exact", (32, 4)),
    "twoing": ("twoing", "twoing", (2000, 20)),
    "lines": ("entropy", "exact", (9000, 3)),
    "relaxation": ("squared_gini", "max_cut_sdp", (1500, 4)),
}
# Cut searches whose pairs of values are weighed in the time given.
LONG_PAIRS = {
    "all cuts": ("chi2", "exact", (30, 4)),
    "cuts by superclasses": ("chi2", "hypercube_cover", (400, 20)),
}


def make(shape):
    return random_table(np.random.default_rng(0), *shape, high=1000)


def check_cut_short(criterion, partitioner, shape):
    A, limit, found = make(shape), 0.25, None
    while found is None:
        try:
            found = best_partition(A, criterion, partitioner, random_state=0, time_limit=limit)
        except TimeoutError:  # a slow machine has not scored a partition by then
            limit *= 2
    assert not found.complete
    assert not found.exact
    assert found.is_split
    assert "cut short by the time limit" in repr(found)
    again = score_partition(A, found.groups, criterion)
    assert again.score == pytest.approx(found.score, rel=1e-9)


@pytest.mark.parametrize("search", LONG)
def test_a_time_limit_returns_the_best_so_far(search):
    check_cut_short(*LONG[search])


@pytest.mark.parametrize("search", LONG_PAIRS)
def test_a_time_limit_returns_the_best_cut_so_far(search):
    check_cut_short(*LONG_PAIRS[search])


def test_more_time_is_never_worse():
    A = make((26, 4))
    scores = [
        best_partition(A, "gain_ratio", "exact", time_limit=limit).score for limit in (0.02, 0.3)
    ]
    assert scores[0] <= scores[1]


def test_too_little_time_to_begin_is_a_timeout():
    with pytest.raises(TimeoutError, match="before any partition was scored; allow more time"):
        best_partition(make((5000, 4)), "chi2", "max_cut", time_limit=0.01)


@pytest.mark.parametrize("partitioner", ["exact", "hypercube_cover", "sliq_ext", "max_cut_sdp"])
def test_enough_time_changes_nothing(partitioner):
    A = make((12, 4))
    limited = best_partition(A, "squared_gini", partitioner, random_state=0, time_limit=100)
    free = best_partition(A, "squared_gini", partitioner, random_state=0)
    assert limited.complete
    assert limited.groups == free.groups


INTERRUPTED = """
import signal, sys, time
import numpy as np
from mixedwood.splits import Criterion, best_partition

class Slow(Criterion):
    def score(self, groups):
        return float(groups[0] @ groups[0])

criterion, partitioner, n, k = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
if criterion == "python":
    criterion = Slow()
handler = signal.getsignal(signal.SIGINT)
A = np.random.default_rng(0).integers(1, 1000, (n, k))
print("ready", flush=True)
try:
    best_partition(A, criterion, partitioner, random_state=0)
except KeyboardInterrupt:
    print("interrupted", flush=True)
    assert signal.getsignal(signal.SIGINT) is handler
    print(best_partition([[5, 1], [1, 5], [4, 1]]).groups, flush=True)
else:
    print("finished", flush=True)
"""


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT to send to one process")
@pytest.mark.parametrize(
    "search",
    [
        ("gini", "hypercube_cover", 2000, 20),
        ("chi2", "exact", 32, 4),
        ("squared_gini", "max_cut_sdp", 5000, 4),
        ("python", "exact", 30, 4),
    ],
    ids=["superclasses", "all cuts", "relaxation", "in Python"],
)
def test_ctrl_c_ends_a_search_and_not_the_process(search):
    command = [sys.executable, "-c", INTERRUPTED, *map(str, search)]
    # A process group of its own: the signal must reach nobody else.
    child = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    watchdog = threading.Timer(250, child.kill)
    watchdog.start()
    try:
        assert child.stdout.readline() == "ready\n"
        time.sleep(0.3)
        child.send_signal(signal.SIGINT)
        answer = child.stdout.readline()
        rest, errors = child.stdout.read(), child.stderr.read()
    finally:
        watchdog.cancel()
        child.kill()
        child.stdout.close()
        child.stderr.close()
        child.wait()
    assert answer == "interrupted\n", errors
    assert rest == "((0, 2), (1,))\n", errors
    assert child.returncode == 0


def test_other_threads_run_during_a_search():
    """The other thread ends the search, which it could not do if the search held the lock."""
    A = make((32, 4))

    def tick():
        for _ in range(50):
            time.sleep(0.002)
        _thread.interrupt_main()

    thread = threading.Thread(target=tick)
    with pytest.raises(KeyboardInterrupt):
        thread.start()
        best_partition(A, "gain_ratio", "exact", time_limit=60)
    thread.join()


def test_four_threads_find_what_one_finds():
    jobs = [
        (random_table(np.random.default_rng(seed), 60, 5), criterion, partitioner)
        for seed in range(3)
        for criterion in ("gini", "chi2")
        for partitioner in ("auto", "hypercube_cover", "max_cut_sdp", "random_order")
    ]

    def run(job):
        found = best_partition(*job, random_state=3)
        return found.groups, found.score, found.bound

    expected = [run(job) for job in jobs]
    with ThreadPoolExecutor(4) as pool:
        for _ in range(2):
            assert list(pool.map(run, jobs)) == expected


def test_a_search_in_another_thread_keeps_its_time_limit():
    """Signals are the main thread's; the clock is everybody's."""
    with ThreadPoolExecutor(1) as pool:
        limited = pool.submit(best_partition, make((32, 4)), "gain_ratio", "exact", time_limit=0.2)
        assert not limited.result().complete


def test_a_python_criterion_keeps_the_time_limit():
    class Plain(Criterion):
        def score(self, groups):
            return float(groups[0] @ groups[0])

    found = best_partition(make((30, 3)), Plain(), "exact", time_limit=0.2)
    assert not found.complete


FORKED = """
import os, sys
import numpy as np
from concurrent.futures import ThreadPoolExecutor
from mixedwood.splits import best_partition

A = np.random.default_rng(0).integers(1, 9, (40, 4))
with ThreadPoolExecutor(2) as pool:
    before = list(pool.map(lambda s: best_partition(A, "chi2", random_state=s).score, range(4)))
pid = os.fork()
if pid == 0:
    same = best_partition(A, "chi2", random_state=0).score == before[0]
    os._exit(7 if same else 1)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_process_can_search_too():
    run = subprocess.run(
        [sys.executable, "-c", FORKED], capture_output=True, text=True, timeout=250
    )
    assert run.returncode == 7, run.stderr
