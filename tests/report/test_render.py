"""Pages from templates: complete in themselves, closed to everything else."""

import base64
import hashlib
import json
import re
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jinja2 import UndefinedError

from mixedwood import report
from mixedwood.report.svg import escape_text
from support.markup import read
from support.pages import RENDER, make_page

NASTY = "</title></script><script>alert(1)</script><!--\"'&\u202e"
SECTIONS = (
    "<p>First.</p>{% for n in range(count) %}"
    "{% call section('Part ' ~ n) %}<p>Words.</p>{% endcall %}{% endfor %}"
)
EVERYTHING = (
    "{% call section(text) %}{{ text }}{{ bullets([text]) }}"
    "{{ cards([(text, text, text)]) }}{{ pairs({text: text}) }}{{ pairs({text: text}, code=true) }}"
    "{{ legend([(0, text)], [text]) }}{{ figures([figure]) }}{{ wide_figure(figure) }}"
    "{{ test_results([{'test': 1, 'mark': '+', 'sentence': text}]) }}"
    "{% call details(text, text) %}{{ text }}{% endcall %}{% endcall %}"
)


def test_the_page_is_well_formed_and_has_its_parts():
    root = read(make_page(SECTIONS, count=4, lead="About.", footer="Last.", data={"a": 1}))
    assert root.find("title")[0].text == "A page"
    assert [h.text for h in root.find("h2")] == ["Part 0", "Part 1", "Part 2", "Part 3"]
    links = [a.attributes["href"].removeprefix("#") for a in root.find("a")]
    assert links == [s.attributes["id"] for s in root.find("section")]
    assert root.find("footer")[0].text == "Last."
    assert root.find("html")[0].attributes["lang"] == "en"


def test_a_short_page_has_no_list_of_its_parts():
    assert not read(make_page(SECTIONS, count=2)).find("nav")


def test_only_its_own_style_and_script_are_allowed():
    text = make_page(SECTIONS, count=4)
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
    assert (
        len(re.search(r"<script>(.*?)</script>", make_page(SECTIONS, count=4), re.DOTALL)[1]) < 3000
    )


@pytest.mark.parametrize("where", ["title", "lead", "footer", "data", "text"])
def test_hostile_text_stays_text_wherever_it_is(where):
    facts = {"text": "words", where: {NASTY: NASTY} if where == "data" else NASTY}
    figure = report.Figure(report.Svg("<svg></svg>"), facts["text"], facts["text"])
    text = make_page(EVERYTHING, figure=figure, **facts)
    root = read(text)
    scripts = root.find("script")
    assert len(scripts) == (2 if where == "data" else 1)
    assert "\u202e" not in text
    shown = NASTY.replace("\u202e", "\ufffd")
    if where == "data":
        assert json.loads(scripts[0].text) == {NASTY: NASTY}
    elif where == "text":
        body = root.find("main")[0]
        texts = [(e.tag, c) for e in body.walk() for c in e.children if isinstance(c, str)]
        kinds = {tag for tag, text in texts if shown in text}
        assert kinds >= {"h2", "li", "dt", "dd", "code", "span", "figcaption", "small", "summary"}
    else:
        assert shown in root.text


def test_a_variable_that_is_missing_is_an_error():
    with pytest.raises(UndefinedError, match="'missing' is undefined"):
        make_page("{{ missing }}")


def test_without_jinja2_the_extra_is_named(monkeypatch):
    RENDER._environment.cache_clear()
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(ImportError, match=r"need jinja2: pip install 'mixedwood\[report\]'"):
        report.render("page.html.j2", {})
    RENDER._environment.cache_clear()


@given(st.recursive(st.text() | st.integers() | st.none(), lambda e: st.lists(e), max_leaves=5))
def test_json_in_a_page_is_what_it_was(content):
    text = RENDER._embed_json(content)
    assert "<" not in text
    assert json.loads(text) == content


@given(st.text(st.characters(codec=None)))
def test_escaped_text_has_no_character_that_means_something_to_html(text):
    shown = escape_text(text)
    assert not set(shown) & set("<>\"'\x00")
    shown.encode("utf-8")
    (paragraph,) = read(f"<p>{shown}</p>").find("p")
    assert len(paragraph.text) == len(text)
