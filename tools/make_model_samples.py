"""Write a model file of every kind in the current format, and the predictions of the models.

    python tools/make_model_samples.py          # the files that are missing
    python tools/make_model_samples.py --all    # all files, before the version is released

The files are for tests of later versions, which must read them as they are: files of a version of
the format that was released are never written again.
"""

import argparse
import json
import sys
import warnings
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))

import mixedwood as mw  # noqa: E402
from mixedwood.saving.writer import VERSION  # noqa: E402
from saving.models import MODELS, make_table  # noqa: E402


def main() -> None:
    """Write the files to the folder of the golden models."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--all", action="store_true", help="write existing files again")
    again = parser.parse_args().all
    folder = ROOT / "tests" / "golden" / "models" / f"version{VERSION}"
    folder.mkdir(parents=True, exist_ok=True)
    X, y = make_table(seed=0, n=60)
    new = make_table(seed=1, n=8)[0].astype(object)
    rows = {name: [None if v != v else v for v in new[name].tolist()] for name in new}
    kept = folder / "answers.json"
    answers = {} if again or not kept.exists() else json.loads(kept.read_text("utf-8"))["answers"]
    missing = {name: model for name, model in MODELS.items() if name not in answers}
    for name, model in missing.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(X, y)
        mw.save_model(model, folder / f"{name}.mw", about={"target": "wood"})
        has_proba = hasattr(model, "predict_proba")
        numbers = model.predict_proba if has_proba else model.decision_function
        answers[name] = {
            "predict": model.predict(rows).tolist(),
            "numbers": numbers(rows).tolist(),
            "parameters": repr(model),
        }
    document = {"mixedwood": mw.__version__, "rows": rows, "answers": answers}
    kept.write_text(json.dumps(document, indent=1) + "\n", "utf-8")
    print(f"{len(missing)} models written to {folder}")


if __name__ == "__main__":
    main()
