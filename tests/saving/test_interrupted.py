"""Saving that is interrupted, or finds no room: the error says so, and no half file is left."""

import errno
import os
import subprocess
import sys

import numpy as np
import pytest

import mixedwood as mw
from mixedwood import files
from mixedwood.files import write_bytes
from mixedwood.saving.container import pack
from saving.models import MODELS, fitted, make_table

TRACED = ("zipfile.py", "__init__.py", "container.py", "writing.py", "files.py")


class Interrupt:
    """Ctrl-C before a chosen line of the code that writes files; lines are counted from 1."""

    def __init__(self, at=0):
        self.at, self.n_lines = at, 0

    def __call__(self, frame, event, argument):
        name = frame.f_code.co_filename
        if not name.endswith(TRACED) or ("mixedwood" not in name and "zipfile" not in name):
            return None
        if event == "line" and not _in_finalizer(frame):
            self.n_lines += 1
            if self.n_lines == self.at:
                raise KeyboardInterrupt
        return self

    def run(self, work):
        before = sys.gettrace()
        sys.settrace(self)
        try:
            work()
        finally:
            sys.settrace(before)


def _in_finalizer(frame):
    """Whether Python itself would swallow what is raised here."""
    while frame is not None and frame.f_code.co_name != "__del__":
        frame = frame.f_back
    return frame is not None


def check_interrupted(work, path, at):
    """Whatever line it hits, Ctrl-C stays Ctrl-C, and the file is the old one or the new one."""
    with pytest.raises(KeyboardInterrupt):
        Interrupt(at).run(work)
    assert [entry.name for entry in path.parent.iterdir()] in ([], [path.name])


# A ZipFile that was interrupted while it was made complains when it is thrown away.
half_made = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")


@half_made
def test_ctrl_c_at_every_line_of_packing(tmp_path):
    path = tmp_path / "model.mw"
    arrays = {"a.npy": np.arange(3.0), "b.npy": np.zeros(2, np.int32)}

    def work():
        pack(path, {"some": "facts"}, arrays)

    whole = Interrupt()
    whole.run(work)
    expected = path.read_bytes()
    assert whole.n_lines > 100
    for at in range(1, whole.n_lines + 1):
        path.unlink(missing_ok=True)
        check_interrupted(work, path, at)
        assert not path.exists() or path.read_bytes() == expected
    path.write_bytes(b"old")
    for at in range(1, whole.n_lines + 1, 7):
        check_interrupted(work, path, at)
        assert path.read_bytes() in (b"old", expected)
        path.write_bytes(b"old")


@half_made
@pytest.mark.parametrize("name", ["tree", "forest"])
def test_ctrl_c_during_save(name, tmp_path):
    X, y = make_table()
    model = fitted(MODELS[name], X, y)
    path = tmp_path / "model.mw"
    whole = Interrupt()
    whole.run(lambda: mw.save_model(model, path))
    for at in range(1, whole.n_lines, max(1, whole.n_lines // 60)):
        path.unlink(missing_ok=True)
        check_interrupted(lambda: mw.save_model(model, path), path, at)


class FullDisk:
    """A file that takes ten bytes and no more."""

    def __init__(self, path, error):
        self.path, self.error = path, error

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return False

    def write(self, content):
        self.path.write_bytes(content[:10])
        raise OSError(self.error, os.strerror(self.error))


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (errno.ENOSPC, "Free some space"),
        (errno.EDQUOT, "Free some space"),
        (errno.EROFS, "may write to"),
        (errno.EIO, "Input/output error"),
    ],
)
def test_a_disk_that_is_full(error, words, tmp_path, monkeypatch):
    X, y = make_table()
    path = tmp_path / "model.mw"
    path.write_bytes(b"old")
    monkeypatch.setattr(files.writing, "_create", lambda p: FullDisk(p, error))
    with pytest.raises(OSError, match=words) as found:
        mw.save_model(fitted(MODELS["tree"], X, y), path)
    assert found.value.errno == error
    assert os.strerror(error) in str(found.value)
    assert str(path) in str(found.value)
    assert found.value.filename == str(path)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


LIMITED = """
import resource, sys
from pathlib import Path
from mixedwood.files import write_bytes
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
try:
    write_bytes(Path(sys.argv[1]), bytes(100_000))
except OSError as error:
    print(error)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="limits as Linux has them")
def test_a_real_limit_of_the_system(tmp_path):
    path = tmp_path / "model.mw"
    found = subprocess.run(
        [sys.executable, "-c", LIMITED, str(path)], capture_output=True, text=True, check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )  # fmt: skip
    assert str(path) in found.stdout
    assert "too large" in found.stdout
    assert list(tmp_path.iterdir()) == []


def test_places_that_cannot_be_written(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"nowhere.*model\.mw") as found:
        write_bytes(tmp_path / "nowhere" / "model.mw", b"x")
    assert "Create the directory first" in str(found.value)
    with pytest.raises(IsADirectoryError, match="directory"):
        write_bytes(tmp_path, b"x")
    assert list(tmp_path.iterdir()) == []


def test_names_as_long_as_the_system_allows(tmp_path):
    path = tmp_path / ("a" * 252 + ".mw")
    write_bytes(path, b"x")
    assert path.read_bytes() == b"x"


@pytest.mark.skipif(sys.platform == "win32", reason="modes of files")
def test_the_mode_is_that_of_a_plain_new_file(tmp_path):
    plain, path = tmp_path / "plain", tmp_path / "model.mw"
    before = os.umask(0o027)
    try:
        plain.write_bytes(b"x")
        write_bytes(path, b"x")
    finally:
        os.umask(before)
    assert path.stat().st_mode == plain.stat().st_mode
