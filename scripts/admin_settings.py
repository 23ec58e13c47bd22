"""Settings over a large fleet: filled, changed, and how many devices a change wakes. Part of bench-admin."""
import json, os, pathlib, re, subprocess, threading, time

import admin_work

SETTINGS = 30
KIND = "root-certificate"
# Devices that wait to be woken, and how many of them take roots; the others do not say that they do.
WAITING = int(os.environ.get("BENCH_WAITING", "200"))
TAKING = WAITING * 3 // 5
# A change that wakes nobody is one after which nobody was woken for so long, in seconds.
SILENCE = 3.0
PATIENCE = 120.0
PILOTS = (10, 100, 1_000)


def name(number):
    return f"root-{number:02}"


def path(number):
    return f"/settings/{KIND}/{name(number)}"


def given(group, number):
    return f"/setting-assignments/{group}/{KIND}/{name(number)}"


def body(pem):
    return json.dumps({"payload": {"certificate": pem}})


class Roots:
    """Two certificates for each setting, to be set in turns."""

    def __init__(self):
        self.pems = [self.make(number) for number in range(2 * (SETTINGS + 1))]

    @staticmethod
    def make(number):
        made = subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "3650",
             "-keyout", "/dev/null", "-subj", f"/CN=Root {number:02}"], check=True, capture_output=True, text=True).stdout
        return made[made.index("-----BEGIN CERTIFICATE"):]

    def body(self, number, turn):
        return body(self.pems[2 * number + turn % 2])


def groups():
    """Each setting's group: of all devices, of a tenth, of one for each app, and of few."""
    sites = SETTINGS - 2 - 10 - 2 * len(PILOTS)
    return ["teachers"] * 2 + [f"region-{one}" for one in range(10)] + [f"site-{one:03}" for one in range(sites)] \
        + [f"pilot-{size}" for size in PILOTS for _ in range(2)]


def fill(admin, roots):
    """The settings, each with three versions, and who gets them."""
    for size in PILOTS:
        admin.must("POST", "/groups", json.dumps({"name": f"pilot-{size}"}))
    for number, group in enumerate(groups()):
        for turn in (0, 1, 0):
            admin.must("PUT", path(number), roots.body(number, turn))
        admin.must("PUT", given(group, number), "{}")


def memberships(number):
    """The groups for settings alone that the device of this number is in."""
    return [f"pilot-{size}" for size in PILOTS if number < size]


def asked(device):
    """What is asked for beside each route and page as it stands."""
    everywhere = ",".join(sorted(set(groups())))
    return [f"/api/v1/devices/{device}/effective?groups={everywhere}",
            "/api/v1/setting-assignments?group=region-0&limit=500",
            f"/api/v1/setting-assignments?kind={KIND}&name={name(2)}&limit=500",
            f"/api/v1/settings?kind={KIND}&limit=500"]


def changes(admin, rounds, roots):
    """New versions of settings of groups of all sizes, and settings taken from groups and given again."""
    for number, group in list(enumerate(groups()))[::-1]:
        if group in ("teachers", "region-0", "site-000", "pilot-10") and group != groups()[number - 1]:
            count = admin.must("GET", f"/groups/{group}")["deviceCount"]
            taken = [admin_work.answered(admin, "PUT", path(number), roots.body(number, turn + 1))
                     for turn in range(max(5, rounds))]
            yield f"changed: a setting of a group of {count:,}", admin_work.summary(taken)
            if group == "teachers":
                dry = [admin_work.answered(admin, "PUT", path(number) + "?dryRun=true", roots.body(number, turn))
                       for turn in range(max(5, rounds))]
                yield "the same as a dry run", admin_work.summary(dry)
            away, again = [], []
            for _ in range(max(5, rounds)):
                away.append(admin_work.answered(admin, "DELETE", given(group, number)))
                again.append(admin_work.answered(admin, "PUT", given(group, number), "{}"))
            yield f"changed: a setting taken from {count:,}", admin_work.summary(away)
            yield "and given again", admin_work.summary(again)


class WaitingFleet:
    """Played devices of a group that keep their wake streams open; how often they were woken so far."""

    def __init__(self, demo, group):
        self.woken, self.lines, self.changed = 0, [], time.monotonic()
        self.ready = threading.Event()
        program = pathlib.Path(os.environ["MARTLET_BINARIES"]) / "martlet-load"
        # The server has another port since it was started again.
        session = json.loads(pathlib.Path(demo.environment["MARTLET_SESSION"]).read_text())
        there = demo.home / "session-of-the-fleet.json"
        there.touch(0o600)
        there.write_text(json.dumps({**session, "server": demo.url}))
        self.process = subprocess.Popen(
            [str(program), "fleet", "--session", str(there), "--devices", str(WAITING), "--taking", str(TAKING),
             "--group", group, "--tell-wakes"],
            env=demo.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            if found := re.match(r"woken (\d+)", line):
                self.woken, self.changed = int(found[1]), time.monotonic()
            elif line.startswith("ready"):
                self.ready.set()
            else:
                self.lines = (self.lines + [line])[-5:]
        self.ready.set()

    def __enter__(self):
        self.ready.wait(PATIENCE)
        if not self.ready.is_set() or self.process.poll() is not None:
            self.__exit__()
            raise SystemExit("bench: the waiting devices did not get ready:\n" + "".join(self.lines))
        self.settle()
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()

    def settle(self):
        """Until nobody has been woken for a while."""
        begun = time.monotonic()
        while time.monotonic() - max(begun, self.changed) < SILENCE:
            if self.process.poll() is not None:
                raise SystemExit("bench: the waiting devices ended:\n" + "".join(self.lines))
            if time.monotonic() - begun > PATIENCE:
                raise SystemExit("bench: the waiting devices are woken again and again")
            time.sleep(0.05)

    def count(self, change):
        """How many a change wakes, and after how many milliseconds the last is."""
        before, begun = self.woken, time.monotonic()
        change()
        self.settle()
        return self.woken - before, max(0.0, self.changed - begun) * 1000


def getting(admin, devices, setting):
    """How many of these devices are given a setting, as is said of each of them."""
    count = 0
    for device in devices:
        effective = admin.must("GET", f"/devices/{device}/effective")
        count += any(one["name"] == setting and one["given"] for one in effective["settings"])
    return count


def woken(demo, admin, roots):
    """What each change wakes, beside what it should: rows of name, expected, woken, milliseconds until the last."""
    everyone, some = "waiting", "waiting-some"
    for group in (everyone, some):
        admin.must("POST", "/groups", json.dumps({"name": group}))
    ours = SETTINGS
    admin.must("PUT", path(ours), roots.body(ours, 0))
    admin.must("PUT", given(everyone, ours), "{}")
    rows = []
    with WaitingFleet(demo, everyone) as fleet:
        # The connection from before may have been idle for too long meanwhile.
        admin = admin.again()
        devices = [one["id"] for one in admin.must("GET", f"/devices?group={everyone}&limit=500")["items"]]
        few = devices[::7]
        for device in few:
            admin.must("PUT", f"/devices/{device}/groups/{some}")
        fleet.settle()
        all_given = getting(admin, devices, name(ours))
        if all_given != TAKING:
            raise SystemExit(f"bench: {all_given} of the waiting devices are given the setting, not {TAKING}")
        turn = iter(range(1, 1_000))

        def row(change, expected, method, target, text=None):
            count, last = fleet.count(lambda: admin.must(method, target, text))
            rows.append((change, expected, count, last))
            print(f"bench: {change}: {expected} are to be woken, {count} were, the last after {last:.0f} ms", flush=True)

        latest = roots.body(ours, next(turn))
        row("a new version", all_given, "PUT", path(ours), latest)
        row("the same payload again", 0, "PUT", path(ours), latest)
        row("another priority, where all roots count", 0, "PUT", given(everyone, ours), '{"priority": 5}')
        row("given by a second group whose devices have it", 0, "PUT", given(some, ours), "{}")
        row("taken from that group again", 0, "DELETE", given(some, ours))
        row("a setting of another group", 0, "PUT", path(2), roots.body(2, next(turn)))
        row("another setting given to some", getting(admin, few, name(ours)), "PUT", given(some, 3), "{}")
        row("a new version of that", getting(admin, few, name(3)), "PUT", path(3), roots.body(3, next(turn)))
        row("that taken from them", getting(admin, few, name(3)), "DELETE", given(some, 3))
        row("taken from all", all_given, "DELETE", given(everyone, ours))
        # Those of the group hold it no longer: a new version concerns none.
        row("a new version, assigned to none", 0, "PUT", path(ours), roots.body(ours, next(turn)))
        row("given to all again", all_given, "PUT", given(everyone, ours), "{}")
    return rows, len(devices), all_given
