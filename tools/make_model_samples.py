"""Write a model file of every kind, and what the models answer, for tests of later versions.

Files of a version that was released are never written again: a later version must read them as
they are. Run it once for each version of the format, with its number in place of 1.
"""

import json
import sys
import warnings
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests"))

import mixedwood as mw  # noqa: E402
from saving.models import MODELS, make_table  # noqa: E402


def main() -> None:
    """Write the files beside the other golden numbers."""
    folder = ROOT / "tests" / "golden" / "models" / "version1"
    folder.mkdir(parents=True)
    X, y = make_table(seed=0, n=60)
    new = make_table(seed=1, n=8)[0].astype(object)
    rows = {name: [None if v != v else v for v in new[name].tolist()] for name in new}
    answers = {}
    for name, model in MODELS.items():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(X, y)
        mw.save_model(model, folder / f"{name}.mw", about={"target": "wood"})
        tell = model.predict_proba if hasattr(model, "predict_proba") else model.decision_function
        answers[name] = {
            "predict": model.predict(rows).tolist(),
            "numbers": tell(rows).tolist(),
            "parameters": repr(model),
        }
    document = {"mixedwood": mw.__version__, "rows": rows, "answers": answers}
    (folder / "answers.json").write_text(json.dumps(document, indent=1) + "\n", "utf-8")
    print(f"{len(MODELS)} models in {folder}")


if __name__ == "__main__":
    main()
