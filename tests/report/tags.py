"""The tags of a page, and that each is closed."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser

VOID = {"meta", "input", "br", "link", "img"}


class Tags(HTMLParser):
    """The elements of a page with their attributes and text, and whether each is closed."""

    def __init__(self, text):
        super().__init__()
        self.found = []
        self.open = []
        self.texts = {}
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open:
            self.texts[self.open[-1]] = self.texts.get(self.open[-1], "") + data


def data(page):
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)[1])
