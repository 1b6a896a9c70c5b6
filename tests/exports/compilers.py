"""Exported C, compiled with all warnings under sanitizers, run on rows and on random input."""

import math
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

import mixedwood as mw
from mixedwood.exports.c import _fields, _number, _text
from mixedwood.exports.limits import kind_of_labels

FLAGS = ["-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-O1", "-g"]
SANITIZERS = ["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]

# Random bits as numbers and random bytes as text, in memory of exactly its length.
FUZZ = """
static unsigned long long state = 88172645463325252ULL;
static unsigned long long next_random(void) {
  state ^= state << 13; state ^= state >> 7; state ^= state << 17;
  return state;
}
static double some_number(void) {
  unsigned long long bits = next_random();
  double x;
  if (bits % 3 == 0) return (double)(bits % 17) - 8.0;
  memcpy(&x, &bits, sizeof x);
  return x;
}
static char *some_text(void) {
  size_t n = next_random() % 9;
  char *text = malloc(n + 1);
  if (next_random() % 5 == 0) { free(text); return NULL; }
  for (size_t i = 0; i < n; ++i) text[i] = (char)(1 + next_random() % 255);
  text[n] = 0;
  return text;
}
"""


def literal(value, kind):
    if value is None:
        return "NULL" if kind == "text" else "NAN"
    return _text(value) if kind == "text" else ("NAN" if value != value else _number(float(value)))


def harness(model, X):
    columns = [c for c in model.schema_.columns if not c.sources]
    kinds = ["number" if c.is_numeric else kind_of_labels(c.categories, c.name) for c in columns]
    fields = _fields([c.name for c in columns])
    rows = ",\n".join(
        "{" + ", ".join(literal(X[c.name][i], k) for c, k in zip(columns, kinds, strict=True)) + "}"
        for i in range(len(next(iter(X.values()))))
    )
    if hasattr(model, "classes_"):
        n = len(model.classes_)
        predict = f"""double p[{n}], total = 0.0; int label;
    model_predict_proba(row, p); label = model_predict(row);
    for (int k = 0; k < {n}; ++k) total += p[k];
    if (label < 0 || label >= {n} || !(fabs(total - 1.0) < 1e-9)) abort();
    if (shown) {{ printf("%d", label); for (int k = 0; k < {n}; ++k) printf(" %.17g", p[k]); }}"""
    else:
        predict = """double x = model_predict(row); if (shown) printf("%.17g", x);"""
    fill = "\n".join(
        f"row.{f} = {'some_text' if k == 'text' else 'some_number'}();"
        for f, k in zip(fields, kinds, strict=True)
    )
    free = "\n".join(
        f"free((void *)row.{f});" for f, k in zip(fields, kinds, strict=True) if k == "text"
    )
    return f"""#include "model.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
{FUZZ}
static const model_row rows[] = {{
{rows}
}};
static void one(const model_row *row, int shown) {{
  {predict}
  if (shown) printf("\\n");
}}
int main(void) {{
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i) one(&rows[i], 1);
  for (int i = 0; i < 2000; ++i) {{
    model_row row;
    {fill}
    one(&row, 0);
    {free}
  }}
  return 0;
}}
"""


def compile_and_run(folder, compiler, model, X):
    mw.export(model, folder / "model.c")
    (folder / "main.c").write_text(harness(model, X), "utf-8")
    command = [compiler, *FLAGS, *SANITIZERS, "main.c", "model.c", "-o", "main", "-lm"]
    made = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert made.returncode == 0, made.stderr[:2000]
    done = subprocess.run([folder / "main"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[:2000]
    return done.stdout


def run_c(model, X, compiler="gcc"):
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not installed")
    with tempfile.TemporaryDirectory() as folder:
        lines = compile_and_run(Path(folder), compiler, model, X).splitlines()
    if not hasattr(model, "classes_"):
        return [float(line) for line in lines], [[float(line)] for line in lines]
    found = [line.split(" ") for line in lines]
    labels = [model.classes_[int(cells[0])].item() for cells in found]
    values = [[float(cell) for cell in cells[1:]] for cells in found]
    assert not any(math.isnan(v) for row in values for v in row)
    return labels, values


def run_clang(model, X):
    return run_c(model, X, "clang")
