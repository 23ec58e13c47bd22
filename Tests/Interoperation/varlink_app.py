"""PyPI's varlink client as a managed app: asks the agent that launched it, by the agent's own description.

Says what it was told, one fact a line.
"""
import base64
import os
import plistlib

import varlink

with varlink.Client("unix:" + os.environ["MARTLET_AGENT_SOCKET"]) as client:
    print("interfaces", *sorted(client.get_interfaces()))
    for interface in ("dev.martlet.App", "org.varlink.service"):
        print(interface, *sorted(client.get_interface(interface).members))
    with client.open("dev.martlet.App") as watch:
        for state in watch.WatchConfiguration(_more=True):
            print("configuration", plistlib.loads(base64.b64decode(state["configuration"])), state["managed"])
            version = state["version"]
            break
    with client.open("dev.martlet.App") as app:
        print("password", app.GetPassword("account")["password"])
        try:
            app.GetPassword("of-another-app")
        except varlink.VarlinkError as refusal:
            print("refusal", refusal.error())
        try:
            app.WatchConfiguration()
        except varlink.VarlinkError as refusal:
            print("refusal", refusal.error())
        print("report", app.ReportConfiguration(version, False, 7, "wrong", "a.b", True))
