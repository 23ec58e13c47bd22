"""Holds a page against what is promised of every page."""


class Judge:
    """Accessibility by axe-core in both themes and at phone width, no complaint in the console, no request elsewhere."""

    LOOKS = {
        "light": (1280, 900, False), "dark": (1280, 900, True), "phone": (360, 740, False), "phone-dark": (360, 740, True),
    }
    TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
    # Themes differ in colours alone: what else axe looks at was looked at in the light.
    COLOURS = ["color-contrast", "link-in-text-block"]

    def __init__(self, browser, axe, base, pictures, expect):
        self.browser, self.axe, self.base = browser, axe, base
        self.pictures, self.expect = pictures, expect

    def page(self, name):
        """Judges the page that is open."""
        for look, (width, height, dark) in self.LOOKS.items():
            self.browser.look(width, height, dark)
            if look in ("light", "phone-dark"):
                self.browser.picture(self.pictures / f"{name}-{look}.png")
            wide = self.browser.run("return document.documentElement.scrollWidth - innerWidth")
            self.expect(wide <= 0, f"{name} fits its {width} pixels, and is {wide} wider")
            found = self.violations({"type": "rule", "values": self.COLOURS} if dark else {"type": "tag", "values": self.TAGS})
            self.expect(not found, f"{name} in {look}: " + "; ".join(found))
        self.browser.look(1280, 900, False)
        self.quiet(name)

    def violations(self, rules):
        """What axe finds; it stays in the page from one look to the next."""
        if not self.browser.run("return typeof window.axe === 'object'"):
            self.browser.run(self.axe)
        return self.browser.run_async(
            "const [rules, done] = arguments; axe.run(document, {runOnly: rules, resultTypes: ['violations']})"
            ".then(r => done(r.violations.map(v => v.id + ': ' + v.nodes.slice(0, 3).map(n => n.html).join(' '))),"
            " e => done([String(e)]))", rules)

    def quiet(self, name):
        complaints = self.browser.complaints()
        self.expect(not complaints, f"{name} complains: {complaints[:3]}")
        # The browser's own pages, such as the empty one that it begins with, come from nowhere.
        foreign = [a for a in self.browser.requests() if not a.startswith((self.base + "/console", "data:", "chrome:"))]
        self.expect(not foreign, f"{name} asks elsewhere: {foreign[:3]}")
