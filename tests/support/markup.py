"""Reads pages strictly: every tag is closed by its own end, every attribute is there once."""

from html.parser import HTMLParser

VOID = {"meta", "br", "wbr", "hr", "img", "link", "input"}
UNHEARD = {"script", "style", "title"}


class Element:
    def __init__(self, tag, attributes, parent):
        self.tag, self.parent, self.children = tag, parent, []
        self.attributes = dict(attributes)
        assert len(self.attributes) == len(attributes), f"an attribute of <{tag}> is there twice"

    @property
    def classes(self):
        return (self.attributes.get("class") or "").split()

    @property
    def text(self):
        parts = (c if isinstance(c, str) else c.text for c in self.children)
        return "".join(parts)

    def walk(self):
        yield self
        for child in self.children:
            if not isinstance(child, str):
                yield from child.walk()

    def find(self, tag=None, kind=None, **attributes):
        return [
            e
            for e in self.walk()
            if (tag is None or e.tag == tag)
            and (kind is None or kind in e.classes)
            and all(e.attributes.get(k) == v for k, v in attributes.items())
        ]


class _Reader(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.root = self.here = Element("", [], None)

    def handle_starttag(self, tag, attributes):
        element = Element(tag, attributes, self.here)
        self.here.children.append(element)
        if tag not in VOID:
            self.here = element

    def handle_startendtag(self, tag, attributes):
        self.here.children.append(Element(tag, attributes, self.here))

    def handle_endtag(self, tag):
        assert self.here.tag == tag, f"</{tag}> inside <{self.here.tag}>"
        self.here = self.here.parent

    def handle_data(self, data):
        self.here.children.append(data)


def read(text):
    """Read markup; an error if anything is left open or closed twice."""
    reader = _Reader()
    reader.feed(text)
    reader.close()
    assert reader.here is reader.root, f"<{reader.here.tag}> is left open"
    return reader.root
