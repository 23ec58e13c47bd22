#!/usr/bin/python3
"""The blocker of the browser, an extension: it reads addresses, a line each, and says which of them are blocked.

Its configuration is its own. The browser never sees it, and it sees nothing of the browser's.
"""
import http.client, json, os, socket, sys, time, urllib.parse

TIMEOUT_SECONDS = 20


class Agent(http.client.HTTPConnection):
    """The device's agent, which answers this extension with what is meant for it."""

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(TIMEOUT_SECONDS)
        self.sock.connect(os.path.dirname(os.environ["MARTLET_AGENT_SOCKET"]) + "/app-http.socket")


def configuration():
    """The configuration as it is now; empty where the administrator has set none."""
    if "MARTLET_AGENT_SOCKET" not in os.environ:
        return {}  # Nobody manages it.
    end = time.monotonic() + TIMEOUT_SECONDS
    while True:
        agent = Agent("agent")
        agent.request("GET", "/configuration")
        answer = agent.getresponse()
        text = answer.read()
        agent.close()
        if answer.status == 200:
            return json.loads(text)
        if answer.status == 404:
            return {}
        # 503 asks to come again; anything else will not change.
        if answer.status != 503 or time.monotonic() >= end:
            raise ConnectionError(f"the agent answered with {answer.status}")
        time.sleep(0.2)


def is_blocked(address, hosts):
    """Whether the address is on one of the hosts, or on one below it."""
    name = "." + (urllib.parse.urlsplit(address).hostname or "").lower()
    return any(name.endswith("." + host.lower()) for host in hosts)


for line in sys.stdin:
    address = line.strip()
    try:
        verdict = "blocked" if is_blocked(address, configuration().get("blockedHosts", [])) else "allowed"
    except (OSError, ValueError, http.client.HTTPException):
        # What the administrator wants is unknown: nothing is opened.
        verdict = "blocked"
    print(verdict, address, flush=True)
