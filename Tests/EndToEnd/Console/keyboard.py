"""What administrators do with the keyboard alone."""

import json
import time

from webdriver import ENTER, PATIENCE, TAB


class Keyboard:
    """The steps of a walk that take no mouse."""

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
        self.lines_of_sections()
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

    def lines_of_sections(self):
        """On a desk the sections stand in one line; where they have no room in it, in columns."""
        for width, most in [(1280, 1), (1024, 2), (360, 7)]:
            self.browser.look(width, 900, False)
            lines = self.browser.run(
                "const tops = Array.from(document.querySelectorAll('nav.sections a'), a => a.getBoundingClientRect().top);"
                "return tops.reduce((all, top) => ({...all, [top]: (all[top] || 0) + 1}), {})")
            counts = [lines[top] for top in sorted(lines, key=float)]
            self.expect(len(counts) <= most, f"at {width} pixels the sections have {most} lines at most, not {counts}")
            self.expect(len(set(counts[:-1])) <= 1, f"at {width} pixels the lines are alike: {counts}")
        self.browser.look(1280, 900, False)

    def reach(self, selector):
        self.reach_element(self.browser.find(selector), selector)

    def reach_element(self, element, name):
        """Steps from one thing to the next until it has the focus."""
        for _ in range(200):
            if element == self.browser.focused:
                return
            self.browser.press(TAB)
        self.expect(False, f"“{name}” is not reached with the keyboard")

    def leave(self, name, element):
        """Presses Enter on what has the focus, and waits for the page that comes of it."""
        self.reach_element(element, name)
        self.browser.run("window.isOld = true")
        self.browser.press(ENTER)
        deadline = time.monotonic() + PATIENCE
        while not self.is_new():
            self.expect(time.monotonic() < deadline, f"something comes of “{name}”")
            time.sleep(0.05)

    def follow(self, text):
        self.leave(text, self.browser.link(text))

    def push(self, text):
        self.leave(text, self.browser.button(text))

    def enter_into(self, label, text):
        """Types into the field that is called so, or into a list of choices until the right one is chosen."""
        self.reach_element(self.field(label), label)
        self.browser.press(text)

    def keyboard_tasks(self):
        """What administrators come for, from the first page on and without a mouse: a group with a rule, an app with what it
        publishes, its configuration by form, its assignment; a code, a person's invitation, an API token, a webhook, a job; another
        administrator, a device's groups and a command to it."""
        specification = json.dumps({"x-app": {"bundleIdentifier": "com.example.keys", "version": "1"}, "type": "object",
                                    "properties": {"title": {"type": "string", "title": "Headline"}}})
        self.open("/console")
        self.follow("Groups")
        self.enter_into("Name", "keyboards")
        self.push("Create")
        self.see("Added.")
        self.follow("Give it a rule")
        self.enter_into("Rule", "os = linux")
        self.push("Show who would be in")
        self.see("Would join")
        self.judgement.page("rule-preview")
        self.push("Save")
        self.see("Saved.")

        self.follow("Apps")
        self.follow("Add an app")
        self.enter_into("Bundle identifier", "com.example.keys")
        self.enter_into("Name", "Keys")
        self.push("Add")
        self.see("Added.")
        self.follow("Import")
        self.enter_into("Specification", specification)
        self.push("Import")
        self.see("Saved.")
        self.follow("New configuration")
        self.enter_into("Name", "default")
        self.push("Fill it in")
        self.enter_into("Headline", "Typed")
        self.push("Check and see what changes")
        self.push("Save")
        self.see("Saved.")
        self.follow("Assign the app")
        self.enter_into("Group", "keyboards")
        self.enter_into("Configuration", "default")
        self.push("Assign")
        self.see("Saved.")
        self.expect(self.says("keyboards"), "the group has the app")

        self.follow("Enrollment")
        self.push("Create a code")
        self.see("It is shown only once")
        self.judgement.page("code-shown")
        self.follow("People")
        self.follow("Add a person")
        self.enter_into("User name", "kim")
        self.enter_into("Email", "kim@example.org")
        self.push("Add")
        self.see("Added.")
        self.push("Invite")
        self.see("It is shown only once")
        self.judgement.page("invitation-shown")
        self.follow(self.secrets["name"])
        self.follow("API tokens")
        self.enter_into("Name", "keyed")
        self.push("Make a token")
        self.see("It is shown only once")
        self.judgement.page("token-shown")
        self.follow("To the tokens")
        self.push("Revoke the token keyed")
        self.see("Removed.")

        self.follow("Webhooks")
        self.enter_into("Name", "tickets")
        # Nobody is there, for whoever runs this: the page shows trouble, too.
        self.enter_into("Address", "https://tickets.invalid/events")
        self.push("Add a webhook")
        self.see("It is shown only once")
        self.judgement.page("webhook-secret-shown")
        self.follow("To the webhook")
        self.push("Send a test")
        self.see("It is on its way.")
        self.follow("Jobs")
        self.push("Check the audit log")
        self.see("It has begun")
        self.follow("Administrators")
        self.enter_into("Name", "keyed")
        self.push("Add an administrator")
        self.see("It is shown only once")
        self.judgement.page("administrator-shown")

        self.follow("Groups")
        self.enter_into("Name", "by-hand")
        self.push("Create")
        self.see("Added.")
        self.follow("Devices")
        self.follow(self.browser.text_of(self.browser.find("tbody th a")))
        device = self.browser.address
        self.follow("Its groups")
        self.push("Show what there is to say")
        self.see("Nothing speaks against")
        self.judgement.page("group-said")
        self.open_address(device)
        self.follow("Commands")
        self.follow("Ask which profiles are on it")
        self.push("Send it")
        self.see("It waits for the device")
        self.wait_for("Done")
        self.judgement.page("command-answered")
        for kind in ["InstallProfile", "EraseDevice", ""]:
            self.open_address(f"{device}/command?kind={kind}")
            self.judgement.page(f"command-{kind.lower() or 'other'}")
        # The browser itself asks for the box that confirms.
        self.open_address(f"{device}/command?kind=RestartDevice")
        self.reach_element(self.browser.button("Send it"), "Send it")
        self.browser.press(ENTER)
        self.expect(self.browser.attribute(self.browser.focused, "name") == "confirmed", "the confirmation is asked for")
