"""What administrators do, measured: groups' rules, changes, and changes that many listen to. Part of bench-admin."""
import json, os, plistlib, re, socket, threading, time

# The most that one administrator may have open.
LISTENERS = int(os.environ.get("BENCH_LISTENERS", "32"))
RULES = ("os = linux", "shard 5% of rollout", "os = linux and app com.example.app-003 < 1.5",
         "person.department = Sales or model begins ThinkPad")


def summary(taken):
    taken = sorted(taken)
    return taken[len(taken) // 2], taken[min(len(taken) - 1, int(len(taken) * .99))], taken[-1]


class Onlooker:
    """Somebody who looks at the overview again and again, until they are told to end."""

    def __init__(self, admin):
        self.admin, self.taken, self.ended = admin.again(), [], threading.Event()
        self.thread = threading.Thread(target=self.look, daemon=True)

    def look(self):
        while not self.ended.is_set():
            begun = time.perf_counter()
            self.admin.must("GET", "/overview")
            self.taken.append((time.perf_counter() - begun) * 1000)
            self.ended.wait(0.02)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.thread.join(60)


def rules(admin, rounds):
    """Previews, and what it takes to fill a group by a rule, with the overview looked at meanwhile."""
    for rule in RULES:
        calls, wholes = [], []
        for _ in range(max(3, rounds // 4)):
            wish, count, first = {"rule": rule}, 0, time.perf_counter()
            while True:
                begun = time.perf_counter()
                said = admin.must("POST", "/groups/preview", json.dumps(wish))
                calls.append((time.perf_counter() - begun) * 1000)
                count += said["members"]["count"]
                if "next" not in said:
                    break
                wish["cursor"] = said["next"]
            wholes.append((time.perf_counter() - first) * 1000)
        yield f"a call of the preview of `{rule}`", summary(calls)
        yield f"its calls together: {count:,} devices", summary(wholes)
    admin.must("POST", "/groups", json.dumps({"name": "rollout"}))
    for rule in ("shard 5% of rollout", "shard 10% of rollout"):
        with Onlooker(admin) as onlooker:
            taken = rule_set(admin, rule)
        yield f"a group's rule set to `{rule}`", summary([taken])
        yield "the overview meanwhile", summary(onlooker.taken)
    # All come in and all go again: some times while the fleet is still judged by the rule before, some after.
    for name, whole, tries in (("while the fleet is judged", False, max(8, rounds)), ("when it is judged", True, 4)):
        taken, judged = [], []
        with Onlooker(admin) as onlooker:
            for turn in range(tries):
                taken.append(rule_set(admin, "os = macos" if turn % 2 else "os = linux"))
                if whole:
                    begun = time.perf_counter()
                    await_judged(admin)
                    judged.append((time.perf_counter() - begun) * 1000)
                else:
                    onlooker.ended.wait(0.3)
        yield f"a rule set so that all come in, or go, {name}", summary(taken)
        yield "the overview meanwhile", summary(onlooker.taken)
        if judged:
            yield "until all are judged", summary(judged)
    rule_set(admin, "os = linux")
    await_judged(admin)
    with Onlooker(admin) as onlooker:
        taken = answered(admin, "DELETE", "/groups/rollout")
    yield "a group removed in which all are by its rule", summary([taken])
    yield "the overview meanwhile", summary(onlooker.taken)
    # Its pages are among those asked for.
    admin.must("POST", "/groups", json.dumps({"name": "rollout", "rule": "shard 10% of rollout"}))
    await_judged(admin)


def rule_set(admin, rule):
    return answered(admin, "PUT", "/groups/rollout/rule", json.dumps({"rule": rule}))


def await_judged(admin):
    for _ in until(lambda: not admin.must("GET", "/groups/rollout/rule")["judging"], 0.1, "the fleet was not judged"):
        pass


def until(is_done, pause, otherwise):
    """Turns between two looks, until what is awaited is done."""
    deadline = time.monotonic() + 600
    while not is_done():
        if time.monotonic() > deadline:
            raise SystemExit(f"bench: {otherwise} in ten minutes")
        yield
        time.sleep(pause)


LANDMARKS, OTHER = "com.example.landmarks", "com.example.app-007"
PLIST = "application/x-plist"


def configuration(turn):
    return plistlib.dumps({"managedCollection": {"title": f"Again {turn}", "landmarks": [1001]}})


def specification(turn):
    return json.dumps({"x-app": {"bundleIdentifier": LANDMARKS, "version": "1.9"}, "type": "object", "properties": {},
                       "description": f"Edition {turn}"})


def changed_things(admin, device):
    """Pairs of changes that take each other back, or one alone whose body is another each time: name, method, path, body."""
    configured = f"/apps/{LANDMARKS}/configurations/default"

    def version_before(_):
        return json.dumps({"version": admin.must("GET", configured + "/versions?limit=2")["items"][1]["version"]})

    given = f"/assignments/teachers/{OTHER}"
    slot = f"/secret-assignments/teachers/{LANDMARKS}/password/bench"
    group, person = f"/devices/{device}/groups/region-3", f"/devices/{device}/person"
    return [
        [("a configuration that all have", "PUT", configured, configuration),
         ("the version before it brought back", "POST", configured + "/revert", version_before)],
        [("an app assigned to all", "PUT", given, '{"configuration": "default"}'), ("and taken from them", "DELETE", given, None)],
        [("a password that all have", "PUT", "/secrets/default", lambda turn: json.dumps({"password": {"password": f"p{turn}"}}))],
        [("taken from them", "DELETE", slot, None), ("and assigned again", "PUT", slot, '{"secret": "default"}')],
        [("an app's specification", "PUT", f"/apps/{LANDMARKS}/specifications/1.9", specification)],
        [("a device put into a group", "PUT", group, None), ("and taken out of it", "DELETE", group, None)],
        [("a device's person", "PUT", person, '{"userName": "ada"}'), ("nobody's any more", "DELETE", person, None)],
        [("a person", "PUT", "/people/ada", lambda turn: json.dumps({"fullName": "Ada", "department": f"Sales {turn}"}))],
        [("an app's devices asked to look for an update", "POST", f"/apps/{LANDMARKS}/update-check", None)],
    ]


def changes(admin, rounds, device):
    """What administrators change in a large fleet: how long until each is answered."""
    for things in changed_things(admin, device):
        taken = {name: [] for name, *_ in things}
        for turn in range(max(5, rounds)):
            for name, method, path, body in things:
                taken[name].append(answered(admin, method, path, body(turn) if callable(body) else body))
        for name, times in taken.items():
            yield f"changed: {name}", summary(times)
    # No more may wait at a time, and of those that read the whole audit log one.
    jobs = [answered(admin, "POST", "/audit/verification")]
    jobs += [answered(admin, "POST", "/groups/region-3/devices", json.dumps({"devices": [device]})) for _ in range(19)]
    yield "a job begun", summary(jobs)
    # Each of their certificates is revoked.
    slot = f"/secret-assignments/teachers/{LANDMARKS}/identity/license"
    yield "an identity taken from all, who hold a certificate each", summary([answered(admin, "DELETE", slot)])
    begun, meanwhile = time.perf_counter(), []
    with Onlooker(admin) as onlooker:
        for _ in until(lambda: not admin.must("GET", "/secrets/license").get("revoking"), 0.02, "not all were revoked"):
            person = json.dumps({"fullName": "Ada", "department": f"Hills {len(meanwhile)}"})
            meanwhile.append(answered(admin, "PUT", "/people/ada", person))
    yield "until all are revoked", summary([(time.perf_counter() - begun) * 1000])
    yield "a person changed meanwhile", summary(meanwhile)
    yield "the overview meanwhile", summary(onlooker.taken)
    # What goes with all that hangs on it.
    apps = range(150, 155)
    for number in apps:
        admin.must("DELETE", f"/assignments/site-{number}/com.example.app-{number}")
        admin.must("DELETE", f"/apps/com.example.app-{number}/configurations/default")
    for name, paths in [("an app that 10,000 devices run", [f"/apps/com.example.app-{number}" for number in apps]),
                        ("a webhook with 20,000 deliveries", ["/webhooks/bench"]), ("a device", [f"/devices/{device}"])]:
        yield f"removed: {name}", summary([answered(admin, "DELETE", path) for path in paths])


def answered(admin, method, path, body=None):
    """Milliseconds until a change is made; one that is refused is no figure."""
    begun = time.perf_counter()
    admin.must(method, path, body, PLIST if isinstance(body, bytes) else "application/json")
    return (time.perf_counter() - begun) * 1000


class Listener:
    """One connection to the events; when each event about an app came."""

    def __init__(self, admin):
        self.admin, self.heard, self.open = admin.again(), {}, threading.Event()
        self.thread = threading.Thread(target=self.listen, daemon=True)
        self.thread.start()

    def listen(self):
        self.admin.connection.request("GET", "/api/v1/events", headers=self.admin.headers)
        answer = self.admin.connection.getresponse()
        if answer.status == 200:
            self.open.set()
        try:
            while line := answer.fp.readline():
                if found := re.search(rb"heard-(\d+)", line):
                    self.heard.setdefault(int(found[1]), time.perf_counter())
        except (OSError, ValueError, AttributeError):
            return


def listening(admin, rounds):
    """A change until each of many listeners has heard of it, and the change itself."""
    listeners = [Listener(admin) for _ in range(LISTENERS)]
    for listener in listeners:
        if not listener.open.wait(30):
            raise SystemExit("bench: the events were not opened")
    changed, told = [], []
    for turn in range(max(5, rounds)):
        begun = time.perf_counter()
        admin.must("POST", "/groups", json.dumps({"name": f"heard-{turn}"}))
        changed.append((time.perf_counter() - begun) * 1000)
        deadline = time.monotonic() + 10
        while not all(turn in listener.heard for listener in listeners):
            if time.monotonic() > deadline:
                raise SystemExit("bench: a change was not told to all who listen")
            time.sleep(0.002)
        told += [(listener.heard[turn] - begun) * 1000 for listener in listeners]
    yield f"a change while {LISTENERS} listen", summary(changed)
    yield f"a change until each of {LISTENERS} has heard of it", summary(told)
    for listener in listeners:
        # Closing alone would wait for the thread that reads.
        listener.admin.connection.sock.shutdown(socket.SHUT_RDWR)
