"""The skeleton of pages: complete in itself, closed to everything else."""

import base64
import hashlib
import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from markup import read
from mixedwood import report

NASTY = "</title></script><script>alert(1)</script><!--\"'&\u202e"


def page(**options):
    sections = [report.Section(f"Part {i}", report.paragraph("Words.")) for i in range(4)]
    return report.make_page("A page", sections, **options)


def test_the_page_is_well_formed_and_has_its_parts():
    root = read(page(lead="About.", opening="<p>First.</p>", footer="Last.", data={"a": 1}))
    assert root.find("title")[0].text == "A page"
    assert [h.text for h in root.find("h2")] == ["Part 0", "Part 1", "Part 2", "Part 3"]
    links = [a.attributes["href"].removeprefix("#") for a in root.find("a")]
    assert links == [s.attributes["id"] for s in root.find("section")]
    assert root.find("footer")[0].text == "Last."
    assert root.find("html")[0].attributes["lang"] == "en"


def test_a_short_page_has_no_list_of_its_parts():
    assert not read(report.make_page("A", [report.Section("B", "")])).find("nav")


def test_only_its_own_style_and_script_are_allowed():
    text = page()
    root = read(text)
    (policy,) = [m.attributes["content"] for m in root.find("meta") if "http-equiv" in m.attributes]
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    for tag, name in [("style", "style-src"), ("script", "script-src")]:
        content = re.search(rf"<{tag}>(.*?)</{tag}>", text, re.DOTALL)[1]
        digest = base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()
        assert f"{name} 'sha256-{digest}'" in policy
    assert not [e for e in root.walk() if "style" in e.attributes]
    assert not [e for e in root.walk() for name in e.attributes if name.startswith("on")]
    assert not re.search(r"https?:(?!//www\.w3\.org/2000/svg)", text)


def test_the_script_is_small():
    assert len(re.search(r"<script>(.*?)</script>", page(), re.DOTALL)[1]) < 3000


@pytest.mark.parametrize("where", ["title", "lead", "footer", "section", "data", "block"])
def test_hostile_text_stays_text_wherever_it_is(where):
    blocks = [
        report.paragraph(NASTY), report.bullets([NASTY]), report.findings([(NASTY, NASTY)]),
        report.pairs({NASTY: NASTY}), report.tiles([(NASTY,) * 3]), report.trace(NASTY),
        report.figure("<svg></svg>", NASTY, NASTY, wide=True), report.legend([(0, NASTY)], [NASTY]),
        report.fold_away(NASTY, "", NASTY),
    ]  # fmt: skip
    text = report.make_page(
        NASTY if where == "title" else "Title",
        [report.Section(NASTY if where == "section" else "Part", "".join(blocks))],
        lead=NASTY if where == "lead" else "",
        footer=NASTY if where == "footer" else "",
        data={NASTY: NASTY} if where == "data" else None,
    )
    root = read(text)
    scripts = root.find("script")
    assert len(scripts) == (2 if where == "data" else 1)
    assert "\u202e" not in text
    if where == "data":
        assert json.loads(scripts[0].text) == {NASTY: NASTY}


@given(st.recursive(st.text() | st.integers() | st.none(), lambda e: st.lists(e), max_leaves=5))
def test_json_in_a_page_is_what_it_was(content):
    text = report.safe_json(content)
    assert "<" not in text
    assert json.loads(text) == content


@given(st.text(st.characters(codec=None)))
def test_safe_text_has_no_sign_that_means_something_to_html(text):
    shown = report.safe(text)
    assert not set(shown) & set("<>\"'\x00")
    shown.encode("utf-8")
    (paragraph,) = read(f"<p>{shown}</p>").find("p")
    assert len(paragraph.text) == len(text)
