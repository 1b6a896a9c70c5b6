"""Tables: headers, alignment, order and marks."""

import math

from mixedwood.report import TableCell, TableRow
from support.markup import read
from support.pages import make_table

NASTY = "<script>alert(1)</script>\"'&\u202e"


def table(*rows, **options):
    header = ["method", *(f"c{i}" for i in range(len(rows[0].cells)))]
    return read(make_table(header, rows, description="Figures", **options))


def test_columns_and_rows_have_headers():
    root = table(TableRow("tree", [TableCell("1", 1.0)]), TableRow("c45", [TableCell("2", 2.0)]))
    assert [th.text for th in root.find("th", scope="col")] == ["method", "c0"]
    assert [th.text for th in root.find("th", scope="row")] == ["tree", "c45"]
    (frame,) = root.find("div", "scroll")
    assert frame.attributes["tabindex"] == "0"
    assert frame.attributes["aria-label"] == "Figures"


def test_rows_are_sorted_by_the_value_not_by_what_is_shown():
    cells = [TableCell("0.1", 0.1234567), TableCell("failed"), TableCell()]
    root = table(TableRow("tree", cells))
    assert [td.attributes["data-v"] for td in root.find("td")] == ["0.1234567", "", ""]


def test_points_stand_below_each_other():
    rows = [
        TableRow("a", [TableCell("12", 12.0)]),
        TableRow("b", [TableCell("0.012", 0.012)]),
        TableRow("c", [TableCell("1.5", 1.5)]),
        TableRow("d", [TableCell("failed", math.nan)]),
    ]
    cells = table(*rows).find("td")
    pads = [
        cell.find("span")[0].attributes["data-pad"] if cell.find("span") else "" for cell in cells
    ]
    lengths = {
        len((text.text + pad).partition(".")[2]) for text, pad in zip(cells[:3], pads, strict=False)
    }
    assert pads == [".000", "", "00", ""]
    assert lengths == {3}


def test_errors_and_marks_leave_room_where_there_are_none():
    rows = [
        TableRow("a", [TableCell("1.0", 1.0, "0.2", best=True, mark="+", tooltip="better than b")]),
        TableRow("b", [TableCell("2.0", 2.0)]),
    ]
    first, second = table(*rows).find("td")
    assert first.find("b")[0].text == "1.0"
    assert first.find("span", "se")[0].text == "± 0.2"
    assert first.find("span", "mark")[0].attributes["title"] == "better than b"
    assert first.find("span", "visually-hidden")[0].text.strip() == "better than b"
    assert second.text == "2.0"
    assert second.find("span", "se")[0].attributes["data-pad"] == "± 0.2"
    assert second.find("span", "mark")


def test_a_minus_is_a_minus_sign():
    row = TableRow("a", [TableCell("1", 1.0, mark="-", tooltip="worse")])
    assert table(row).find("span", "worse")[0].text.startswith("\u2212")


def test_sums_stay_below():
    root = table(
        TableRow("a", [TableCell("1.0", 1.0)]), foot=[TableRow("mean", [TableCell("1.00")])]
    )
    (foot,) = root.find("tfoot")
    assert foot.text.split() == ["mean", "1.00"] or foot.text.strip() == "mean1.00"
    assert not root.find("tbody")[0].find(kind="key")


def test_hostile_names_are_only_text():
    text = make_table(
        [NASTY, NASTY],
        [TableRow(NASTY, [TableCell(NASTY, 1.0, NASTY, mark="+", tooltip=NASTY)], NASTY, 1)],
        description=NASTY,
        caption=NASTY,
    )
    root = read(text)
    assert not root.find("script")
    assert "\u202e" not in text
    assert root.find("tr", **{"data-key": NASTY.replace("\u202e", "\ufffd")})


def test_long_names_are_whole_in_a_title_and_may_be_broken():
    name = "a_very_long_name_of_a_method(with=settings)"
    root = table(TableRow(name, [TableCell("1", 1.0)]))
    assert root.find("th", scope="row")[0].attributes["title"] == name
    header = read(make_table([name, "b"], [TableRow("x", [TableCell()])], description="a")).find(
        "th"
    )[0]
    assert header.text == name
    assert header.find("wbr")
