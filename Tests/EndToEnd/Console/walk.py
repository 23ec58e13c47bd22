"""Walks the console as people do: with a mouse, with the keyboard alone, without scripts, on a phone, in the dark.

Called by ConsoleTests: walk.py CHROMIUM DRIVER AXE ADDRESS PICTURES STEP…; names and passwords come as JSON on standard
input. Prints a line for each step; ends with 1 and a sentence when something is not as it must be.
"""

import json
import pathlib
import re
import sys
import time
from urllib.parse import urlsplit

from webdriver import ELEMENT, ENTER, TAB, Browser, Failure

LOOKS = {
    "light": (1280, 900, False), "dark": (1280, 900, True), "phone": (360, 740, False), "phone-dark": (360, 740, True),
}


class Walk:
    def __init__(self, browser, axe, base, pictures, secrets):
        self.browser, self.axe, self.base = browser, axe, base
        self.pictures, self.secrets = pathlib.Path(pictures), secrets
        self.pictures.mkdir(parents=True, exist_ok=True)

    def open(self, path):
        self.browser.open(self.base + path)

    def expect(self, condition, sentence):
        if not condition:
            self.browser.picture(self.pictures / "failed.png")
            raise Failure(f"{sentence} ({self.browser.address}, “{self.browser.title}”)")

    def says(self, text):
        try:
            return text in self.browser.text
        except Failure:
            # The page that was there goes while it is asked.
            return False

    def see(self, text):
        """Waits until the page says something: a form was sent, and what comes of it opens."""
        deadline = time.monotonic() + 30
        while not self.says(text):
            self.expect(time.monotonic() < deadline, f"the page says “{text}”")
            time.sleep(0.1)

    def wait_for(self, text, seconds=60):
        """Reloads the page until it says something, as people do who wait."""
        deadline = time.monotonic() + seconds
        while not self.says(text):
            self.expect(time.monotonic() < deadline, f"the page does not come to say “{text}”")
            time.sleep(0.5)
            self.browser.open(self.browser.address)

    def send(self, button):
        """Presses a form's button and waits for the page that comes of it."""
        self.browser.run("window.isOld = true")
        self.browser.click(self.browser.button(button))
        deadline = time.monotonic() + 30
        while not self.is_new():
            self.expect(time.monotonic() < deadline, f"something comes of “{button}”")
            time.sleep(0.05)

    def is_new(self):
        try:
            return self.browser.run("return !window.isOld && document.readyState === 'complete'")
        except Failure:
            return False

    def fill(self, fields):
        for name, value in fields.items():
            self.browser.type(self.browser.find(f"[name='{name}']"), value)

    # Steps

    def first_login(self):
        """A one-time password leads to the page that changes it, and to nothing else."""
        self.open("/console")
        self.judge("sign-in")
        self.fill({"name": self.secrets["name"], "password": self.secrets["once"]})
        self.send("Sign in")
        self.see("Change the password")
        self.judge("password")
        password = self.secrets["password"]
        self.fill({"old": self.secrets["once"], "new": password, "again": password})
        self.send("Change the password")
        self.see("The password is changed")
        self.send("Sign out")
        self.see("You are signed out")

    def keyboard(self):
        """Signing in and reaching every section takes no mouse, and what has the focus is seen."""
        self.open("/console/sign-in")
        self.reach("[name=name]")
        self.browser.press(self.secrets["name"] + TAB + self.secrets["password"] + ENTER)
        self.settle("Overview")
        self.browser.press(TAB)
        self.expect(self.browser.text_of(self.browser.focused) == "Skip to content", "the first stop skips to content")
        self.browser.press(ENTER)
        self.expect(self.browser.attribute(self.browser.focused, "id") == "content", "it skips to the content")
        sections = [self.browser.text_of(link) for link in self.browser.find_all("nav.sections a")]
        for section in sections:
            self.open("/console")
            for _ in range(40):
                self.browser.press(TAB)
                outline = self.browser.run(
                    "const s = getComputedStyle(document.activeElement);"
                    "return s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) >= 2")
                self.expect(outline, "what has the focus is seen")
                if self.browser.text_of(self.browser.focused) == section:
                    break
            self.browser.press(ENTER)
            self.settle(section)

    def reach(self, selector):
        for _ in range(20):
            if self.browser.find(selector) == self.browser.focused:
                return
            self.browser.press(TAB)
        self.expect(False, f"{selector} is not reached with the keyboard")

    def settle(self, title):
        deadline = time.monotonic() + 30
        while not self.browser.title.startswith(title):
            self.expect(time.monotonic() < deadline, f"“{title}” does not open")
            time.sleep(0.1)

    def field(self, label):
        """The field that is called so."""
        return self.browser.run(
            "const all = Array.from(document.querySelectorAll('label'));"
            "const one = all.find(l => l.textContent.trim().startsWith(arguments[0]) && l.control);"
            "return one ? one.control : null", label)[ELEMENT]

    def save(self):
        self.send("Save")
        self.see("Saved.")

    def enter(self):
        """Signs in with the mouse."""
        self.open("/console/sign-in")
        self.fill({"name": self.secrets["name"], "password": self.secrets["password"]})
        self.send("Sign in")
        self.settle("Overview")

    def administer(self):
        """Adds an app, imports what it publishes, configures it by form, is refused at the key, gives it to a group; sees
        the device take it, the app refuse, and why; brings the version before back."""
        app, device = self.secrets["app"], "/console/devices/" + self.secrets["device"]
        self.open("/console")
        self.browser.click(self.browser.link("Apps"))
        self.settle("Apps")
        self.browser.click(self.browser.link("Add an app"))
        self.fill({"app": app, "name": "Landmarks"})
        self.judge("add-app")
        self.send("Add")
        self.see("Added.")
        self.browser.click(self.browser.link("Import"))
        self.browser.run("document.querySelector('[name=text]').value = arguments[0]", self.secrets["specification"])
        self.judge("import")
        self.send("Import")
        self.see("Saved.")

        configurations = f"/console/apps/{app}/configurations"
        self.open(configurations)
        self.fill({"name": "default"})
        self.send("Fill it in")
        self.browser.type(self.field("More landmarks"), "http://landmarks.example")
        self.send("Check and see what changes")
        self.expect(
            self.browser.attribute(self.field("More landmarks"), "aria-invalid") == "true",
            "the key is marked at which the app would refuse it")
        # That the page says 422 is what it should say.
        self.browser.complaints()
        self.judge("refused-at-the-key")
        self.browser.type(self.field("More landmarks"), "https://landmarks.example/all.json")
        self.send("Check and see what changes")
        self.judge("review")
        self.save()

        self.open(f"/console/apps/{app}/assignments")
        self.browser.run(
            "for (const [name, value] of [['group', 'teachers'], ['configuration', 'default'], ['trust', 'shared']])"
            "document.querySelector(`[name=${name}]`).value = value")
        self.send("Assign")
        self.open(device)
        self.wait_for("Took its configuration")
        self.judge("device-green")

        # Whatever Base64 is, to the specification; to the app it is no certificate.
        self.open(f"{configurations}/default/edit")
        self.browser.type(self.field("Whom to believe, in the configuration"), "bm8gY2VydGlmaWNhdGU=")
        self.send("Check and see what changes")
        self.save()
        self.open(device)
        self.wait_for("Refuses its configuration")
        self.see("Convert it: openssl x509")
        self.judge("device-refused")
        self.open("/console")
        self.judge("overview-refused")

        self.open(f"{configurations}/default/versions/1")
        self.send("Bring this version back")
        self.open(device)
        self.wait_for("Took its configuration")

    def every_page(self):
        """Every page that a link leads to, in both themes and at phone width."""
        seen, waiting, judged = set(), ["/console"], set()
        while waiting and len(judged) < 60:
            path = waiting.pop(0)
            self.open(path)
            for link in self.browser.run(
                    "return Array.from(document.querySelectorAll('a[href]'), a => a.href)"):
                parts = urlsplit(link)
                next_path = parts.path + (f"?{parts.query}" if parts.query else "")
                if link.startswith(self.base + "/console") and next_path not in seen:
                    seen.add(next_path)
                    waiting.append(next_path)
            name = re.sub(r"[^a-z0-9]+", "-", path.removeprefix("/console").lower()).strip("-")[:60] or "overview"
            if name not in judged:
                judged.add(name)
                self.judge(name)
        print(f"judged {len(judged)} pages: {', '.join(sorted(judged))}")
        self.expect(len(judged) >= 8, "there are pages to judge")

    def without_scripts(self):
        """What is there to read is read without scripts, too."""
        self.browser.scripts(False)
        try:
            for section in ["", "/apps", "/devices", "/activity", "/account"]:
                self.open("/console" + section)
                self.expect(len(self.browser.text_of(self.browser.find("main"))) > 20, "the page says something")
                self.expect(not self.browser.find_all("button[data-copy]:not([hidden])"), "no button does nothing")
            self.browser.click(self.browser.link("Apps"))
            self.settle("Apps")
        finally:
            self.browser.scripts(True)

    def judge(self, name):
        """Holds the page against the accessibility rules, and looks for complaints and for foreign addresses."""
        for look, (width, height, dark) in LOOKS.items():
            self.browser.look(width, height, dark)
            if look in ("light", "phone-dark"):
                self.browser.picture(self.pictures / f"{name}-{look}.png")
            wide = self.browser.run("return document.documentElement.scrollWidth - innerWidth")
            self.expect(wide <= 0, f"{name} fits its {width} pixels, and is {wide} wider")
            found = self.browser.run_async(
                self.axe + ";const done = arguments[arguments.length - 1];"
                "axe.run(document, {runOnly: ['wcag2a','wcag2aa','wcag21a','wcag21aa','wcag22aa','best-practice']})"
                ".then(r => done(r.violations.map(v => v.id + ': ' + v.nodes.slice(0, 3).map(n => n.html).join(' '))),"
                " e => done([String(e)]))")
            self.expect(not found, f"{name} in {look}: " + "; ".join(found))
        self.browser.look(1280, 900, False)
        self.quiet(name)

    def quiet(self, name):
        complaints = self.browser.complaints()
        self.expect(not complaints, f"{name} complains: {complaints[:3]}")
        # The browser's own pages, such as the empty one that it begins with, come from nowhere.
        foreign = [a for a in self.browser.requests() if not a.startswith((self.base + "/console", "data:", "chrome:"))]
        self.expect(not foreign, f"{name} asks elsewhere: {foreign[:3]}")


def main():
    chromium, driver, axe, base, pictures, *steps = sys.argv[1:]
    secrets = json.load(sys.stdin)
    with Browser(chromium, driver) as browser:
        walk = Walk(browser, pathlib.Path(axe).read_text(encoding="utf-8"), base, pictures, secrets)
        walk.browser.requests()
        try:
            for step in steps:
                getattr(walk, step.replace("-", "_"))()
                print(f"done: {step}", flush=True)
        except Failure as failure:
            print(f"{step}: {failure}", flush=True)
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
