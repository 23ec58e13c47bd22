"""What a signed program does that the agent did not launch: Python itself is the program, so that it can do anything.

Whoever starts a program decides what runs in it; each says what it was told.
"""
import array, http.client, json, os, socket, sys, threading, time

PASSWORD = {"method": "dev.martlet.App.GetPassword", "parameters": {"identifier": "account"}}
WATCH = {"method": "dev.martlet.App.WatchConfiguration", "parameters": {}, "more": True}


def say(text):
    print(f"{sys.argv[1]}: {text}", flush=True)


def http_socket():
    return os.path.dirname(os.environ["MARTLET_AGENT_SOCKET"]) + "/app-http.socket"


def connected():
    end = socket.socket(socket.AF_UNIX)
    end.connect(os.environ["MARTLET_AGENT_SOCKET"])
    end.settimeout(240)
    return end


def send(end, call):
    try:
        end.sendall(json.dumps(call).encode() + b"\0")
    except BrokenPipeError:
        pass  # What was said before it hung up can still be read.


def heard(end):
    text = b""
    try:
        while not text.endswith(b"\0"):
            more = end.recv(65536)
            if not more:
                return {"error": "hung up"}
            text += more
    except OSError as error:
        return {"error": f"hung up ({error.strerror})"}
    return json.loads(text[:-1])


def ask(end, call):
    send(end, call)
    return heard(end)


def answer(challenge):
    return {"method": "dev.martlet.App.Identify", "parameters": {"challenge": challenge}}


def challenged(end):
    """The challenge that comes in place of what is asked for."""
    reply = ask(end, PASSWORD)
    return (reply.get("parameters") or {}).get("challenge") or say(told(reply))


def identified():
    end = connected()
    reply = ask(end, answer(challenged(end)))
    return end if "error" not in reply else say(told(reply))


def reached():
    """A connection that is answered: a naive server asks for nothing."""
    return connected() if "MARTLET_NAIVE" in os.environ else identified()


def told(reply):
    return reply.get("error") or reply["parameters"].get("password") or reply["parameters"].get("version")


def over_http(path="/secrets/password/account"):
    """The status of a request, of one for the password where nothing is said, and what it brings."""
    class Agent(http.client.HTTPConnection):
        def connect(self):
            self.sock = socket.socket(socket.AF_UNIX)
            self.sock.connect(http_socket())
            self.sock.settimeout(240)

    agent = Agent("agent")
    try:
        agent.request("GET", path)
    except BrokenPipeError:
        pass  # What was said before it hung up can still be read.
    try:
        reply = agent.getresponse()
        return f"{reply.status} {reply.read().decode()}".strip()
    except OSError as error:
        return f"hung up ({error.strerror})"


def in_child(action):
    if os.fork() == 0:
        action()
        os._exit(0)
    os.wait()


def become(end, *program):
    """Becomes another program that has the stream as its input and output."""
    end.setblocking(True)
    os.dup2(end.fileno(), 0)
    os.execv(program[0], program)


match sys.argv[1]:
    case "unanswered":
        end = connected()
        say(told(ask(end, PASSWORD)))
        say(told(ask(end, WATCH)))
    case "answered": say(told(ask(identified(), PASSWORD)))
    case "configured": say(told(ask(identified(), WATCH)))
    case "wrong":
        end = connected()
        challenged(end)
        say(told(ask(end, answer("wrong"))))
        say(told(ask(end, PASSWORD)))
    case "child-answers":
        end = connected()
        challenge = challenged(end)
        in_child(lambda: say(told(ask(end, answer(challenge)))))
    case "child-asks":
        end = reached()
        in_child(lambda: say(told(ask(end, PASSWORD))))
    case "lends":
        stranger = socket.socket(socket.AF_UNIX)
        stranger.connect(sys.argv[2])
        end = reached()
        stranger.sendmsg([b"!"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [end.fileno()]))])
        stranger.recv(1)
        say("done")
    case "becomes":
        # The stream stays, the program does not: nothing more is told on it.
        end = identified()
        say(told(ask(end, WATCH)))
        become(end, "/bin/cat")
    case "becomes-and-asks":
        end = identified()
        os.set_inheritable(end.fileno(), True)
        os.execv("/usr/bin/python3", ["/usr/bin/python3", __file__, "asks-on", str(end.fileno())])
    case "asks-on":
        end = socket.socket(fileno=int(sys.argv[2]))
        end.settimeout(240)
        say(told(ask(end, PASSWORD)))
    case "launched": say(told(ask(socket.socket(fileno=int(os.environ["MARTLET_AGENT_FD"])), PASSWORD)))
    case "launched-connects": say(told(ask(connected(), PASSWORD)))
    case "over-http": say(over_http(*[path for path in sys.argv[2:] if path]))
    case "child-over-http": in_child(lambda: say(over_http()))
    case "follows":
        # Each piece of news, and what a new connection is told then.
        end = identified()
        reply = ask(end, WATCH)
        while "error" not in reply:
            new = identified()
            say(f"{told(reply)} {new and told(ask(new, WATCH))}")
            reply = heard(end)
        say(told(reply))
    case "loaded": say(os.environ.get("LD_PRELOAD", "nothing"))
    case "holds":
        # As many connections as it gets.
        held = []
        for _ in range(int(sys.argv[2])):
            end = connected()
            challenge = (ask(end, PASSWORD).get("parameters") or {}).get("challenge")
            if challenge is None:
                break
            ask(end, answer(challenge))
            held.append(end)
        say(len(held))
        time.sleep(600)
    case "watches":
        # Many streams that are answered, and on each now and then a call.
        half = int(sys.argv[2]) // 2
        watching, calling = [identified() for _ in range(half)], [identified() for _ in range(half)]
        for end in watching:
            ask(end, WATCH)
        say(len(watching + calling))
        while True:
            for end in calling:
                ask(end, PASSWORD)
                time.sleep(1 / half)
    case "knocks":
        for _ in range(int(sys.argv[2])):
            try:
                connected().close()
            except OSError:
                pass
        say("done")
        # Of those who have ended nobody can tell whose they were.
        time.sleep(600)
    case "floods" | "floods-over-http":
        # As many calls on as many connections as it gets, without an end; says how many were answered until when.
        http_call = b"GET /secrets/password/account HTTP/1.1\r\nHost: a\r\n\r\n"
        call, mark = (json.dumps(PASSWORD).encode() + b"\0", b"\0") if sys.argv[1] == "floods" else (http_call, b"HTTP/")
        answered = [0] * 12

        def flood(number):
            end = socket.socket(socket.AF_UNIX)
            end.connect(os.environ["MARTLET_AGENT_SOCKET"] if sys.argv[1] == "floods" else http_socket())
            threading.Thread(target=lambda: [end.sendall(call * 500) for _ in range(100_000)], daemon=True).start()
            while text := end.recv(1 << 20):
                answered[number] += text.count(mark)

        for number in range(12):
            threading.Thread(target=flood, args=[number], daemon=True).start()
        say("begun")
        for _ in range(6000):
            print(f"answered: {sum(answered)} {time.monotonic_ns() // 1000}", flush=True)
            time.sleep(0.1)
    case "tells-number":
        say(os.getpid())
        time.sleep(600)
    case "sleeps": time.sleep(600)
