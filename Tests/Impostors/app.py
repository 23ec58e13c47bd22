#!/usr/bin/python3
"""An app in a few lines of Python that asks for a password, in the ways an app can and in those it cannot."""
import array, base64, ctypes, json, os, signal, socket, sys, time

CALL = json.dumps({"method": "dev.martlet.App.GetPassword", "parameters": {"identifier": "account"}}).encode() + b"\0"


def ask(end):
    """What the agent says over one stream: the password, its error's name, or that it hung up."""
    end.settimeout(240)
    try:
        end.sendall(CALL)
    except BrokenPipeError:
        pass  # What was said before it hung up can still be read.
    try:
        text = b""
        while not text.endswith(b"\0"):
            more = end.recv(65536)
            if not more:
                return "hung up"
            text += more
    except OSError as error:
        return f"hung up ({error.strerror})"
    reply = json.loads(text[:-1])
    return reply.get("error") or reply["parameters"]["password"]


def inherited():
    return socket.socket(fileno=int(os.environ["MARTLET_AGENT_FD"]))


def connected():
    end = socket.socket(socket.AF_UNIX)
    end.connect(os.environ["MARTLET_AGENT_SOCKET"])
    return end


def in_child(action):
    if os.fork() == 0:
        print(f"{sys.argv[1]}: {action()}", flush=True)
        os._exit(0)
    os.wait()


def orphan():
    """A process whose parents have ended, and with them the one that the agent launched."""
    if os.fork():
        os._exit(0)
    os.setsid()
    while os.getppid() != 1 and os.path.exists(f"/proc/{PARENT}"):
        time.sleep(0.01)
    time.sleep(0.2)
    print(f"orphan: {ask(connected())}", flush=True)


def lend(path):
    stranger = socket.socket(socket.AF_UNIX)
    stranger.connect(path)
    ours = inherited()
    stranger.sendmsg([b"!"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [ours.fileno()]))])
    stranger.recv(1)
    print("lend: done", flush=True)


def squat():
    """Leaves a child that asks again and again, and that tries to trace what runs as the app of a signed package."""
    if os.fork():
        signal.pause()
    libc = ctypes.CDLL(None, use_errno=True)
    print(f"squat: begun {os.getpid()}", flush=True)
    round = 0
    while True:
        traced = False
        for process in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{process}/cmdline", "rb") as file:
                    command = file.read()
                # Without stopping it: PTRACE_SEIZE.
                if b"tells-number" in command and command.startswith(APPS) and libc.ptrace(0x4206, int(process), 0, 0) == 0:
                    traced = True
            except OSError:
                pass
        try:
            told = ask(connected())
        except OSError as error:
            told = f"hung up ({error.strerror})"
        round += 1
        print(f"squat: {round} {told}{' and traced it' if traced else ''}", flush=True)
        time.sleep(0.1)


def measure(count):
    """How long look-ups take, in microseconds: the one in the middle, of a hundred the last but one, and the longest."""
    end, taken = inherited(), []
    print("measuring", flush=True)
    for _ in range(count):
        begun = time.monotonic_ns()
        assert not ask(end).startswith("hung up")
        taken.append(time.monotonic_ns() - begun)
    taken.sort()
    print(f"measure: {taken[count // 2] // 1000} {taken[count * 99 // 100] // 1000} {taken[-1] // 1000}", flush=True)


def answer(end):
    """The first message on a stream; an error where the agent hung up."""
    end.settimeout(240)
    text = b""
    try:
        while b"\0" not in text:
            more = end.recv(65536)
            if not more:
                return {"error": "hung-up"}
            text += more
    except OSError:
        return {"error": "hung-up"}
    return json.loads(text.split(b"\0")[0])


def note(end, life, sequence, feedback):
    """What the agent says to a note of feedback, which is JSON or the bytes of a property list."""
    if isinstance(feedback, bytes):
        feedback = '"' + base64.b64encode(feedback).decode() + '"'
    text = '{"method":"dev.martlet.Defaults.PutFeedback","parameters":{"life":"%s","sequence":%d,"feedback":%s}}'
    try:
        end.sendall((text % (life, sequence, feedback)).encode() + b"\0")
    except OSError:
        pass  # What was said before it hung up can still be read.
    reply = answer(end)
    return reply.get("error") or ("kept" if reply["parameters"]["life"] == life else "not-its-own")


def dictionary(body):
    return b'<plist version="1.0"><dict>' + body + b"</dict></plist>"


ONE = dictionary(b"<key>n</key><integer>1</integer>")


def notes():
    """The name of the life, and what the agent says to feedback that no library would send."""
    watch = connected()
    watch.sendall(b'{"method":"dev.martlet.Defaults.Watch","parameters":{},"more":true}\0')
    life = answer(watch)["parameters"]["life"]
    end = inherited()
    said = [
        life,
        note(end, life, 1, ONE),
        note(end, life, 2, dictionary(b"<key>deep</key>" + b"<array>" * 900 + b"</array>" * 900)),
        note(end, life, 3, b"no property list"),
        note(end, life, 4, dictionary(b"<key>large</key><string>" + b"x" * 40_000 + b"</string>")),
        note(connected(), life, 5, "[" * 10_000 + "]" * 10_000),
        note(connected(), life, 6, dictionary(b"<key>larger</key><string>" + b"x" * (1 << 20) + b"</string>")),
        note(end, "00000000-0000-0000-0000-000000000000", 7, ONE),
        # With the next note the agent writes down how many it refused.
        note(end, life, 8, ONE),
    ]
    print(f"notes: {' '.join(said)}", flush=True)


PARENT = os.getpid()
APPS = os.path.dirname(os.path.dirname(os.path.abspath(__file__))).encode()
match sys.argv[1]:
    case "measure": measure(int(sys.argv[2]))
    case "ask": print(f"ask: {ask(inherited())}", flush=True)
    case "connect": print(f"connect: {ask(connected())}", flush=True)
    case "child-connects": in_child(lambda: ask(connected()))
    case "child-inherits": in_child(lambda: ask(inherited()))
    case "orphan": orphan()
    case "squat": squat()
    case "lend": lend(sys.argv[2])
    case "notes": notes()
    case "note": print(f"note: {note(inherited(), sys.argv[2], 9, ONE)}", flush=True)
    case "wait":
        print(f"wait: {os.getpid()} {os.environ['MARTLET_AGENT_SOCKET']}", flush=True)
        signal.pause()
