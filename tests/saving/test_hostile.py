"""Files that are damaged, or made to do harm: an error in words, never a crash, never code."""

import io
import json
import pickle
import random
import subprocess
import sys
import warnings
import zipfile

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sklearn.base import clone

import mixedwood as mw
from mixedwood.saving import ModelFileError
from mixedwood.saving.container import _write_npy
from saving.models import MODELS, answers, make_table, target_of

X, Y = make_table(n=60)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The bytes of one file of every kind of model."""
    folder = tmp_path_factory.mktemp("files")
    found = {}
    for name, model in MODELS.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            mw.save_model(clone(model).fit(X, target_of(model, Y)), folder / name)
        found[name] = (folder / name).read_bytes()
    return found


def entries_of(content):
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def zipped(entries, method=zipfile.ZIP_DEFLATED):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a name twice is tried, too
        for name, content in entries.items() if isinstance(entries, dict) else entries:
            archive.writestr(name, content)
    return out.getvalue()


def use(path):
    """Load a file; if that works, the model must be able to answer, or say in words why not."""
    try:
        model = mw.load_model(path)
    except ModelFileError as error:
        assert str(path) in str(error)
        return str(error)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        # A sound file may hold another model; whatever it holds, it answers for every row.
        try:
            said = answers(model, {c.name: [None] * 3 for c in model.schema_})
        except ValueError as error:
            return str(error)
    assert len(said["predict"]) == 3
    for name in ("predict_proba", "decision_function"):
        assert np.isfinite(said.get(name, 0.0)).all(), name
    if "predict_proba" in said:
        np.testing.assert_allclose(said["predict_proba"].sum(axis=1), 1.0)
    return None


def refused(path, content):
    path.write_bytes(content)
    words = use(path)
    assert words is not None
    return words


def test_not_model_files(files, tmp_path):
    path = tmp_path / "x.mw"
    whole = files["tree"]
    assert "not a zip" in refused(path, b"")
    assert "not a zip" in refused(path, b"age,wood\n1,ash\n")
    assert "not a zip" in refused(path, pickle.dumps(mw.TreeClassifier()))
    assert "no model.json" in refused(path, zipped({"a": b"1"}))
    assert "not a model file" in refused(path, zipped({"model.json": b"[1]"}))
    assert "not a model file" in refused(path, zipped({"model.json": b'{"format": "other"}'}))
    assert "NaN" in refused(path, zipped({"model.json": b'{"format": NaN}'}))
    assert "nested too deeply" in refused(path, zipped({"model.json": b"[" * 100_000}))
    assert "same name" in refused(path, zipped([*entries_of(whole).items()] * 2))
    assert "unknown way" in refused(path, zipped(entries_of(whole), zipfile.ZIP_LZMA))
    with pytest.raises(FileNotFoundError):
        mw.load_model(tmp_path / "nowhere.mw")
    with pytest.raises(OSError, match="directory"):
        mw.load_model(tmp_path)


@pytest.mark.parametrize("name", ["tree", "boosted", "svm_kernel"])
def test_every_truncation_is_an_error(name, files, tmp_path):
    whole, path = files[name], tmp_path / "x.mw"
    for length in range(0, len(whole), max(1, len(whole) // 300)):
        refused(path, whole[:length])


@pytest.mark.parametrize("name", MODELS)
def test_flipped_bytes(name, files, tmp_path):
    rng, path = random.Random(name), tmp_path / "x.mw"
    for _ in range(60):
        content = bytearray(files[name])
        for _ in range(rng.choice([1, 1, 3, 20])):
            content[rng.randrange(len(content))] = rng.randrange(256)
        path.write_bytes(content)
        use(path)


def places(value, path=()):
    """All places in a document, as paths."""
    yield path
    if isinstance(value, (dict, list)):
        for key, below in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places(below, (*path, key))


def replaced(value, path, new):
    if not path:
        return new
    copied = dict(value) if isinstance(value, dict) else list(value)
    copied[path[0]] = replaced(value[path[0]], path[1:], new)
    return copied


def removed(value, path):
    copied = dict(value) if isinstance(value, dict) else list(value)
    if len(path) == 1:
        del copied[path[0]]
    else:
        copied[path[0]] = removed(value[path[0]], path[1:])
    return copied


ODD = [None, True, -1, 0, 7, 10**30, 1.5, "", "tree", [], {}, [[]], {"is": "tuple", "items": [1]}]
ODD += [{"is": "float", "value": "nan"}, {"is": "tree", "group": 0, "place": 0}, {"is": "schema"}]
ODD += [
    {"is": "array", "name": "trees/0/split_kind.npy"},
    {"is": "os.system", "fields": {"command": "x"}},
]
ODD += [{"is": "labels", "type": "<U99999999", "shape": [1], "items": ["a"]}, {"is": []}]
ODD += [{"is": "labels", "type": "|O", "shape": [10**15], "items": []}, {"is": "dict", "items": 3}]


@pytest.mark.parametrize("name", MODELS)
def test_documents_with_something_odd_in_them(name, files, tmp_path):
    """The archive is sound here: what is wrong gets as far as it can."""
    rng, path = random.Random(name), tmp_path / "x.mw"
    entries = entries_of(files[name])
    document = json.loads(entries["model.json"])
    everywhere = [place for place in places(document) if place]
    for _ in range(150):
        place = rng.choice(everywhere)
        changed = (
            removed(document, place)
            if rng.random() < 0.2
            else replaced(document, place, rng.choice(ODD))
        )
        entries["model.json"] = json.dumps(changed).encode()
        path.write_bytes(zipped(entries, zipfile.ZIP_STORED))
        use(path)


@pytest.mark.parametrize("name", MODELS)
def test_arrays_of_other_numbers_types_and_shapes(name, files, tmp_path):
    rng, path = np.random.default_rng(len(name)), tmp_path / "x.mw"
    whole = entries_of(files[name])
    arrays = [entry for entry in whole if entry.endswith(".npy")]
    for _ in range(150):
        entry = arrays[rng.integers(len(arrays))]
        array = np.load(io.BytesIO(whole[entry]))
        how = rng.integers(5)
        if how == 0:
            with np.errstate(invalid="ignore"):
                array = array.astype(rng.choice(["u1", "i4", "i8", "f8", "f4", "c16", "U3"]))
        elif how == 1 and array.size:
            array = array.ravel()[: rng.integers(array.size)]
        elif how == 2:
            array = np.concatenate([array, array])
        elif how == 3:
            array = array[None]
        elif array.size:
            odd = [-1, 0, 1, 2, 5, 100]
            odd += [np.inf, -np.inf, np.nan, 1e308] if array.dtype.kind == "f" else []
            where = slice(None) if rng.random() < 0.3 else rng.integers(array.size)
            array.ravel()[where] = rng.choice(odd)
        path.write_bytes(zipped({**whole, entry: _write_npy(array)}, zipfile.ZIP_STORED))
        use(path)


def test_arrays_that_lie_about_themselves(files, tmp_path):
    path, whole = tmp_path / "x.mw", entries_of(files["tree"])
    entry = "trees/0/split_kind.npy"
    good = whole[entry]

    def header(text):
        return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text

    bad = [
        header(b"{'descr': '|u1', 'fortran_order': False, 'shape': (99999999999,), }\n"),
        header(b"{'descr': '|u1', 'fortran_order': False, 'shape': (0, 99999999999999), }\n"),
        header(b"{'descr': '|O', 'fortran_order': False, 'shape': (1,), }\n") + pickle.dumps([1]),
        header(b"{'descr': '|u1', 'fortran_order': True, 'shape': (1,), }\n") + b"1",
        header(b"__import__('os').system('true')\n"),
        b"\x93NUMPY\x02\x00" + good[8:],
        good[:9],
        b"",
        good + b"1",
    ]
    for content in bad:
        words = refused(path, zipped({**whole, entry: content}))
        assert "kind" in words


def test_a_file_that_unpacks_to_too_much_is_refused_before_it_does(files, tmp_path):
    path, whole = tmp_path / "x.mw", entries_of(files["tree"])
    bomb = zipped({**whole, "arrays/9.npy": bytes(300_000_000)})
    assert len(bomb) < 400_000
    assert "unpack to far more" in refused(path, bomb)


def test_a_size_that_is_not_stated_is_not_read(files, tmp_path):
    """An entry that states fewer bytes than it unpacks to ends at what it states."""
    path, whole = tmp_path / "x.mw", entries_of(files["tree"])
    content = zipped({**whole, "arrays/9.npy": bytes(5_000_000)}, zipfile.ZIP_DEFLATED)
    stated = (5_000_000).to_bytes(4, "little")
    assert content.count(stated) == 2  # beside the entry, and in the list at the end
    refused(path, content.replace(stated, (5_000).to_bytes(4, "little")))


def test_a_newer_version_says_what_to_do(files, tmp_path):
    path, whole = tmp_path / "x.mw", entries_of(files["tree"])
    document = json.loads(whole["model.json"])

    def changed(**new):
        return refused(path, zipped({**whole, "model.json": json.dumps(document | new)}))

    assert "reads up to 2. Install a newer mixedwood." in changed(version=3, mixedwood="9.0")
    assert "its version of the format is missing" in changed(version="1")
    model = document["model"]
    assert "no estimator 'Crystal'" in changed(model=model | {"class": "Crystal"})
    parameters = model["parameters"] | {"magic": 1}
    assert "no parameter magic" in changed(model=model | {"parameters": parameters})
    learned = model["learned"] | {"predict": 1}
    assert "no fitted attribute predict" in changed(model=model | {"learned": learned})
    parameters = model["parameters"] | {"handle_unknown": "perhaps"}
    assert "'handle_unknown' parameter of TreeClassifier must be" in changed(
        model=model | {"parameters": parameters}
    )
    parameters = {k: v for k, v in model["parameters"].items() if k != "time_limit"}
    path.write_bytes(
        zipped(
            {
                **whole,
                "model.json": json.dumps(document | {"model": model | {"parameters": parameters}}),
            }
        )
    )
    assert mw.load_model(path).time_limit is None  # a parameter that is new since has its default


def test_many_workers_are_not_started_by_a_file(files, tmp_path):
    path, whole = tmp_path / "x.mw", entries_of(files["forest"])
    document = json.loads(whole["model.json"])
    document["model"]["parameters"]["n_jobs"] = 10**9
    assert "n_jobs must be" in refused(path, zipped({**whole, "model.json": json.dumps(document)}))


@given(st.binary(max_size=300))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_bytes(tmp_path, content):
    refused(tmp_path / "x.mw", content)


def test_loading_runs_nothing(files, tmp_path):
    """Python itself watches: no import, no code, no process, no file but the model's."""
    names = ["tree", "boosted", "svm_kernel", "ensemble", "optimal_tuned"]
    for name in names:
        (tmp_path / name).write_bytes(files[name])
    code = f"""
import sys
import mixedwood as mw
names = {names!r}
for name in names:
    mw.load_model({str(tmp_path)!r} + "/" + name)  # what the library itself imports on first use
events = []
watching = False
def watch(event, args):
    if watching and event.split(".")[0] in (
        "import", "exec", "compile", "open", "subprocess", "os", "socket", "pickle", "shutil"
    ):
        events.append((event, args[0] if args else None))
sys.addaudithook(watch)
watching = True
for name in names:
    mw.load_model({str(tmp_path)!r} + "/" + name)
watching = False
others = [e for e in events if e[0] != "open" or not str(e[1]).startswith({str(tmp_path)!r})]
assert len(events) - len(others) == len(names), events
assert not others, others
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=250)
