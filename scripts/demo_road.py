"""What the demos share: a server, a device agent and one app on this machine, and their end."""
import argparse, ctypes, fcntl, json, os, pathlib, re, shutil, signal, subprocess, sys, tempfile, threading, time

ROOT = pathlib.Path(__file__).resolve().parent.parent
BINARIES = pathlib.Path(os.environ.get("MARTLET_BINARIES", ROOT / ".build" / "debug"))
PATIENCE = 20.0
COLOUR = sys.stdout.isatty() and "NO_COLOR" not in os.environ


def tint(code, text):
    return f"\033[{code}m{text}\033[0m" if COLOUR else text


def step(text):
    print(tint("32", "ok") + f"    {text}", flush=True)


class Failed(Exception):
    pass


LIBC = ctypes.CDLL(None)
PR_SET_PDEATHSIG = 1


def end_with_the_demo():
    """Has the kernel end a child when this process is gone, however it went."""
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


class Program:
    """A process of the demo, its output read line by line."""

    def __init__(self, name, arguments, environment, shown=False, own_input=None):
        self.name, self.lines, self.arrived = name, [], threading.Condition()
        self.shown = shown
        self.process = subprocess.Popen(
            [str(a) for a in arguments], stdin=own_input or subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, env=environment, start_new_session=True, preexec_fn=end_with_the_demo)
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            with self.arrived:
                self.lines.append((time.monotonic(), line.rstrip("\n")))
                self.arrived.notify_all()
            if self.shown:
                print("  " + tint("36", "│") + " " + line, end="", flush=True)
        with self.arrived:
            self.arrived.notify_all()

    def type(self, *lines):
        """What a person types; needs an input of its own."""
        self.process.stdin.write("".join(line + "\n" for line in lines))
        self.process.stdin.flush()

    def wait_for(self, pattern, after=0, patience=PATIENCE):
        """The first line at or after index `after` that matches, as (index, time, match)."""
        deadline, seen = time.monotonic() + patience, after
        with self.arrived:
            while True:
                while seen < len(self.lines):
                    found = re.search(pattern, self.lines[seen][1])
                    if found:
                        return seen, self.lines[seen][0], found
                    seen += 1
                left = deadline - time.monotonic()
                if left <= 0 or (self.process.poll() is not None and not self.arrived.wait(0.2) and seen == len(self.lines)):
                    tail = "\n".join("    " + text for _, text in self.lines[-12:])
                    raise Failed(f"{self.name}: no line matching {pattern!r} within {patience:.0f} s; its last lines:\n{tail}")
                self.arrived.wait(min(left, 0.5))

    def mark(self):
        with self.arrived:
            return len(self.lines)

    def stop(self, patience=5.0):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(patience)
            except subprocess.TimeoutExpired:
                os.killpg(self.process.pid, signal.SIGKILL)
                self.process.wait()
        return self.process.returncode


def passable(path):
    """Whether every user may come to a file."""
    return all(folder.stat().st_mode & 0o001 for folder in pathlib.Path(path).resolve().parents)


class Demo:
    """The road with one of the example apps. A demo says which, and how an administrator manages it."""

    example, app = "", ""

    def manage(self):
        """Configures the app and assigns it to the group `teachers`, before the device enrolls."""
        raise NotImplementedError

    def __init__(self, home, quiet):
        self.home, self.quiet, self.running = home, quiet, []
        # Apps have users of their own, and pass through.
        home.chmod(0o711)
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith("MARTLET_")}
        self.environment["MARTLET_SESSION"] = str(home / "session.json")
        self.password = "demo-" + os.urandom(6).hex()

    def start(self, name, *arguments, **options):
        program = Program(name, arguments, self.environment, **options)
        self.running.append(program)
        return program

    def martlet(self, *arguments, given=None):
        result = subprocess.run([str(BINARIES / "martlet"), *map(str, arguments)], input=given, text=True,
                                capture_output=True, env=self.environment, timeout=60)
        if result.returncode != 0:
            raise Failed(f"martlet {' '.join(map(str, arguments))} failed with {result.returncode}:\n{result.stderr or result.stdout}")
        return result.stdout

    def configure(self, values):
        """Sets the app's configuration as an administrator does; answers when the command was given."""
        file = self.home / "configuration.json"
        file.write_text(json.dumps(values))
        begun = time.monotonic()
        self.martlet("configuration", "set", self.app, "default", "--file", file)
        return begun

    def synchronised(self):
        self.martlet("device", "wait", self.udid, "--synchronised", "--timeout", "30s")

    def open_app(self, **options):
        return self.start(self.example, BINARIES / "martlet-agent", "open", self.app, "--directory", self.home / "agent",
                          shown=not self.quiet, **options)

    def processes(self):
        """The app's processes, as their identifiers."""
        program = self.home / "apps" / f"{self.example}.app" / self.example
        return subprocess.run(["pgrep", "-f", str(program)], text=True, capture_output=True).stdout.split()

    def start_server(self, port):
        server = self.start("martlet-server", BINARIES / "martlet-server", "run", "--data-directory",
                            self.home / "server", "--port", port)
        _, _, found = server.wait_for(r"martlet-server ready|([Ii]n use)")
        if not found.group(1) or port == 0:
            return server
        server.stop()
        self.running.remove(server)
        # The one-time password is printed at the very first start alone, and this one may have been it.
        shutil.rmtree(self.home / "server", ignore_errors=True)
        print(f"Port {port} is taken: the server takes another one.", flush=True)
        return self.start_server(0)

    def set_up(self):
        self.server = self.start_server(8443)
        self.url = self.server.wait_for(r"martlet-server ready (https://\S+)")[2].group(1)
        once = self.server.wait_for(r"[Pp]assword:? +(\S+)")[2].group(1)
        ca = self.home / "server" / "ca.pem"
        self.martlet("login", "--server", self.url, "--ca-file", ca, "--name", "admin", "--password-stdin",
                     "--new-password-stdin", given=f"{once}\n{self.password}\n")
        self.martlet("group", "create", "teachers")
        self.martlet("app", "create", self.app, "--name", self.example)
        self.manage()
        code = json.loads(self.martlet("enrollment-code", "create", "--group", "teachers", "--json"))["code"]

        bundle = self.home / "apps" / f"{self.example}.app"
        bundle.mkdir(parents=True)
        shutil.copy(ROOT / "Examples" / self.example / "Info.plist", bundle)
        shutil.copy(BINARIES / self.example, bundle)
        runtime = re.search(r"libswiftCore\.so => (\S+)", subprocess.run(
            ["ldd", str(bundle / self.example)], text=True, capture_output=True).stdout)
        if os.geteuid() != 0:
            print("Without root the app runs as your own user: that is for development, and gets no secrets.", flush=True)
        elif not all(passable(path) for path in [bundle, *(runtime.groups() if runtime else [])]):
            print("Only root can reach Swift's libraries here: the app runs as root, not as a user of its own, and gets no "
                  "secrets.", flush=True)
            self.environment["MARTLET_AGENT_APP_USERS"] = "shared"
        agent = [BINARIES / "martlet-agent"]
        enrolled = subprocess.run([str(agent[0]), "enroll", "--url", self.url, "--code-file", "-", "--ca-file", str(ca),
                                   "--directory", str(self.home / "agent")],
                                  input=code + "\n", text=True, capture_output=True, env=self.environment, timeout=60)
        if enrolled.returncode != 0:
            raise Failed(f"martlet-agent enroll failed:\n{enrolled.stderr or enrolled.stdout}")
        self.agent = self.start("martlet-agent", agent[0], "run", "--directory", self.home / "agent", "--apps", self.home / "apps")
        self.udid = self.agent.wait_for(r"martlet-agent ready (\S+)")[2].group(1)
        self.synchronised()

    def tear_down(self):
        codes = {}
        for program in reversed(self.running):
            begun = time.monotonic()
            codes[program.name] = (program.stop(), time.monotonic() - begun)
        return codes

    def end(self):
        """Stops everything and checks that it stopped well; answers how long the programs took."""
        codes = self.tear_down()
        measured = []
        for name in ("martlet-server", "martlet-agent"):
            code, took = codes[name]
            if code != 0:
                raise Failed(f"{name} exited with {code}")
            measured.append((f"{name} stops after SIGTERM in", took * 1000))
        if self.processes():
            raise Failed("the app was left running")
        step("everything stopped, nothing left running")
        return measured

    def introduce(self, *attempts):
        """Says what is running, and what to try in another terminal; `martlet` stands for the program's path."""
        inside = str(BINARIES).startswith(str(ROOT))
        binary = os.path.relpath(BINARIES / "martlet") if inside else BINARIES / "martlet"
        commands = "\n".join("  " + re.sub(r"\bmartlet (?=[a-z])", f"{binary} ", line) for line in attempts)
        print(f"""
{tint('1', 'Martlet is running.')}
  server         {self.url}
  administrator  admin / {self.password}
  device         {self.udid}

{tint('1', 'Try, in another terminal:')}
  export MARTLET_SESSION={self.home / 'session.json'}
{commands}

{tint('1', 'The app, each time its view changes')} (Ctrl-C stops everything):
""", flush=True)

    def stay(self, app):
        """Stays until the person quits the app; no other program should end."""
        while all(program.process.poll() is None for program in (self.server, self.agent, app)):
            time.sleep(0.5)
        if app.process.poll() != 0:
            raise Failed("one of the programs ended by itself")


def show_measured(measured):
    print("\nmeasured")
    for what, milliseconds in measured:
        print(f"  {milliseconds:9.1f} ms  {what}")


class Home:
    """The demo's directory: locked while the demo lives, so that the next one knows which are left over."""

    PREFIX = "martlet-demo-"

    def __init__(self):
        self.sweep()
        self.path = pathlib.Path(tempfile.mkdtemp(prefix=self.PREFIX))
        self.lock = open(self.path / "lock", "w")
        fcntl.flock(self.lock, fcntl.LOCK_EX)

    @classmethod
    def sweep(cls):
        """Removes what demos that were killed have left behind."""
        for lock in pathlib.Path(tempfile.gettempdir()).glob(cls.PREFIX + "*/lock"):
            try:
                with open(lock) as held:
                    fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    shutil.rmtree(lock.parent, ignore_errors=True)
            except OSError:
                pass  # It is in use, or somebody else's.

    def remove(self):
        shutil.rmtree(self.path, ignore_errors=True)
        self.lock.close()


def interrupt(*_):
    """The first signal ends the demo; those after it must not disturb the taking down."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    raise KeyboardInterrupt


def run(kind, once, foreground, description):
    """Runs a demo as its command line asks; answers with the exit status."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--once", action="store_true")
    options = parser.parse_args()
    # Set by hand: a shell ignores SIGINT in the jobs that its scripts start in the background.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, interrupt)
    home = Home()
    demo = kind(home.path, quiet=options.once)
    failed = False
    try:
        (once if options.once else foreground)(demo)
    except KeyboardInterrupt:
        print("\nStopping …", flush=True)
    except (Failed, subprocess.TimeoutExpired) as problem:
        failed = True
        print(tint("31", "failed") + f"  {problem}", file=sys.stderr)
        for program in demo.running:
            print(f"--- {program.name}", file=sys.stderr)
            for _, text in program.lines[-25:]:
                print("    " + text, file=sys.stderr)
    finally:
        demo.tear_down()
        home.remove()
    print("demo: failed" if failed else "demo: every step held" if options.once else "Everything is stopped.")
    return 1 if failed else 0
