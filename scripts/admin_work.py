"""What administrators do together, measured: groups' rules, and changes that many listen to. Part of bench-admin."""
import json, os, re, socket, threading, time

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
    for rule in ("shard 5% of rollout", "shard 10% of rollout", "os = linux"):
        with Onlooker(admin) as onlooker:
            begun = time.perf_counter()
            admin.must("PUT", "/groups/rollout/rule", json.dumps({"rule": rule}))
            taken = (time.perf_counter() - begun) * 1000
        yield f"a group's rule set to `{rule}`", (taken, taken, taken)
        yield "the overview meanwhile", summary(onlooker.taken)


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
    changes, told = [], []
    for turn in range(max(5, rounds)):
        begun = time.perf_counter()
        admin.must("POST", "/groups", json.dumps({"name": f"heard-{turn}"}))
        changes.append((time.perf_counter() - begun) * 1000)
        deadline = time.monotonic() + 10
        while not all(turn in listener.heard for listener in listeners):
            if time.monotonic() > deadline:
                raise SystemExit("bench: a change was not told to all who listen")
            time.sleep(0.002)
        told += [(listener.heard[turn] - begun) * 1000 for listener in listeners]
    yield f"a change while {LISTENERS} listen", summary(changes)
    yield f"a change until each of {LISTENERS} has heard of it", summary(told)
    for listener in listeners:
        # Closing alone would wait for the thread that reads.
        listener.admin.connection.sock.shutdown(socket.SHUT_RDWR)
