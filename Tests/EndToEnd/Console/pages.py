"""Every page that a link leads to."""

import html
import re
from urllib.parse import urljoin, urlsplit


class Pages:
    """The steps of a walk that go through all pages of the console."""

    def every_page(self):
        """Every page that a link leads to, in both themes and at phone width; of many alike the first ones."""
        self.judge_pages(alike=2)

    def each_kind_of_page(self):
        """The same, one of each kind: for a walk that leads to other states of the same pages."""
        self.judge_pages(alike=1)

    def judge_pages(self, alike):
        judged = self.each_page(lambda name, path: self.judgement.page(name), alike)
        print(f"judged {len(judged)} pages: {', '.join(sorted(judged))}")
        self.expect(len(judged) >= 8, "there are pages to judge")

    def each_page(self, look, alike):
        """Opens every page that a link leads to, from the first on; of those of one shape so many."""
        seen, waiting, found, shapes = {"/console"}, ["/console"], [], {}
        while waiting:
            path = waiting.pop(0)
            self.open(path)
            for link in self.links():
                parts = urlsplit(link)
                next_path = parts.path + (f"?{parts.query}" if parts.query else "")
                shape = self.shape(next_path)
                if not link.startswith(self.base + "/console") or next_path in seen or shapes.get(shape, 0) >= alike:
                    continue
                seen.add(next_path)
                shapes[shape] = shapes.get(shape, 0) + 1
                waiting.append(next_path)
            name = re.sub(r"[^a-z0-9]+", "-", path.removeprefix("/console").lower()).strip("-")[:60] or "overview"
            if name not in found:
                found.append(name)
                look(name, path)
        return found

    def links(self):
        """Where the page's links lead to, without a script; what is saved as a file is no page."""
        marks = [mark for mark in re.findall(r"<a [^>]*>", self.browser.source) if " download" not in mark]
        links = [link for mark in marks for link in re.findall(r'href="([^"]*)"', mark)]
        return [urljoin(self.browser.address, html.unescape(link)) for link in links]

    @staticmethod
    def shape(path):
        """What pages of one kind have in common: what is named in the path and asked for in the query is left out."""
        path, _, query = path.removeprefix("/console").partition("?")
        steps = path.strip("/").split("/")
        kept = [step if index % 2 == 0 else "*" for index, step in enumerate(steps)]
        return "/".join(kept) + "?" + "&".join(sorted(part.partition("=")[0] for part in query.split("&")))

    def without_scripts(self):
        """What is there to read is read without scripts, too: every page has its content, and no button that does nothing."""
        self.browser.scripts(False)
        try:
            read = self.each_page(self.read, alike=1)
            print(f"read {len(read)} pages without scripts")
            self.open("/console")
            self.browser.click(self.browser.link("Activity"))
            self.settle("Activity")
            self.browser.type(self.browser.find("[name=action]"), "group.create")
            self.browser.click(self.browser.button("Filter"))
            self.see("group.create")
            self.expect("action=group.create" in self.browser.address, "a list is narrowed without scripts")
        finally:
            self.browser.scripts(True)

    def read(self, name, path):
        self.expect(len(self.browser.text_of(self.browser.find("main"))) > 20, f"{path} says something")
        self.expect(self.browser.text_of(self.browser.find("h1")), f"{path} has a title")
        self.expect(
            not self.browser.find_all("button[type=button]:not([hidden])"), f"{path} has no button that does nothing")
