"""Declarations, assets and status reports."""
import base64
import json
import plistlib
import secrets

import scep
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from declarations import Declarations, app_status
from steps.enrollment import served

APP, STORE_NUMBER = "com.example.apple.notes", "361309726"
CONFIGURATION = {"title": "Notes for all", "count": 3}


def told(device):
    """The command that says that there are other declarations; what else is queued is acknowledged."""
    _, command = served(device.say())
    while command and command["Command"]["RequestType"] != "DeclarativeManagement":
        _, command = served(device.say("Acknowledged", command))
    if command:
        served(device.say("Acknowledged", command))
    return command


def facts(device):
    version = device.words["facts"]["OSVersion"]
    family = {"mac": ("Mac", "macOS"), "iphone": ("iPhone", "iOS")}[device.system]
    return {
        "identifier": {"serial-number": device.serial, "udid": device.udid},
        "model": {"family": family[0], "identifier": device.words["facts"]["ProductName"]},
        "operating-system": {
            "build-version": device.words["facts"]["BuildVersion"], "family": family[1], "version": version},
    }


def road(walk, device):
    administrator, held = walk.administrator, Declarations(device)
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    root = scep.self_signed(key).public_bytes(serialization.Encoding.DER)
    password = secrets.token_hex(12)
    administrator.give(
        walk.group, APP, plistlib.dumps(CONFIGURATION), password, base64.b64encode(root).decode())
    command = walk.until("the device is told of its declarations", lambda: told(device))
    tokens = json.loads(command["Command"]["Data"])["SyncTokens"]
    assert held.synchronize() and held.token == tokens["DeclarationsToken"], (held.token, tokens)
    walk.did("sync-order")
    app = held.app(APP)
    assert plistlib.loads(held.asset(app["AppConfig"]["DataAssetReference"])) == CONFIGURATION, "the configuration"
    given = json.loads(held.asset(app["AppConfig"]["Passwords"][0]["AssetReference"]))
    assert given == {"UserName": "guest", "Password": password}, "the password"
    assert held.asset(app["AppConfig"]["Certificates"][0]["AssetReference"]) == root, "the certificate"
    # Nobody without this certificate has them, and a signature over no body is none.
    reference = held.held["asset", app["AppConfig"]["Passwords"][0]["AssetReference"]]["Payload"]["Reference"]
    assert device.request("GET", reference["DataURL"], identity=False)[0] in (400, 404), "a secret without identity"
    walk.did("assets-by-certificate")
    reports(walk, device, held)
    changed(walk, device, held)


def reports(walk, device, held):
    """The first report says everything; those after it what changed since."""
    def send(items, full=None, errors=()):
        document = {"StatusItems": items, "Errors": list(errors)}
        if full is not None:
            document["FullReport"] = full
        answer = served(device.declarative("status", document))
        assert answer[2] == b"", answer

    administrator = walk.administrator
    everything = {
        "app": {"managed": {"list": [app_status(APP), app_status("com.example.other")]}},
        "device": facts(device),
        "management": {
            "client-capabilities": {
                "supported-versions": ["1.0.0", "2.0.0"], "supported-features": {"com.example.unheard": {}},
                "supported-payloads": {"declarations": {"configurations": ["com.apple.configuration.unheard"]},
                                       "status-items": ["unheard.item"]}},
            "declarations": held.report()},
        "security": {"unheard": {"of": [1, "two", None, {"three": 3.5}]}},
    }
    reason = {"Code": "Error.UnsupportedStatusValue", "Description": "Unsupported"}
    error = {"StatusItem": "unheard.item", "Reasons": [{**reason, "Details": {"StatusItem": "unheard.item"}}]}
    send(everything, True, [error])
    send(everything, True, [error])
    found = administrator.status(device.udid)
    assert found["device.operating-system.version"] == device.words["facts"]["OSVersion"], found
    assert len(found["app.managed.list"]) == 2, found
    walk.did("status-unknown-items", "management-inactive")
    # In parts: each says what changed, and leaves the rest as it was.
    send({"app": {"managed": {"list": [{"identifier": "com.example.other", "_removed": True}]}}}, False)
    send({"device": {"operating-system": {"supplemental": {"build-version": "25B79"}}}})
    found = administrator.status(device.udid)
    assert [one["identifier"] for one in found["app.managed.list"]] == [APP], found
    assert found["device.identifier.udid"] == device.udid and found["management.declarations"], found
    walk.did("status-in-parts", "status-without-declarations")
    # An element of no form is lost alone: the app that changed has changed, and the one that is not mentioned is there.
    send(everything, True)
    send({"app": {"managed": {"list": [app_status(APP, version="2"), "of no form", {"name": "of no app"}]}}})
    found = administrator.status(device.udid)
    apps = {one["identifier"]: one["version"] for one in found["app.managed.list"]}
    assert apps == {APP: "2", "com.example.other": "1"}, apps
    assert found["martlet.status.left-out"]["oddities"]["count"] == 2, found["martlet.status.left-out"]
    walk.did("status-bad-item")
    send(everything, True)


def changed(walk, device, held):
    """A newer configuration: only what is new is fetched, and what is gone is known as gone."""
    administrator = walk.administrator
    administrator.ask(
        "PUT", f"/apps/{APP}/configurations/main", body=plistlib.dumps({"title": "other"}),
        content_type="application/xml")
    walk.until("the device is told of the newer configuration", lambda: told(device))
    before = dict(held.held)
    assert held.synchronize()
    kept = [key for key in held.held if before.get(key) == held.held[key]]
    assert kept and not set(kept) & set(held.fetched), (kept, held.fetched)
    assert plistlib.loads(held.asset(held.app(APP)["AppConfig"]["DataAssetReference"])) == {"title": "other"}
    served(device.declarative("status", {"StatusItems": {"management": {"declarations": held.report()}}}))
    # What is taken away is not given from that moment on; the device lets go of what is gone when it asks for it.
    certificate = held.app(APP)["AppConfig"]["Certificates"][0]["AssetReference"]
    reference = held.held["asset", certificate]["Payload"]["Reference"]
    administrator.ask("DELETE", f"/secret-assignments/{walk.group}/{APP}/certificate/main")
    assert device.download(reference["DataURL"])[0] == 404, "a certificate that was taken away"
    assert device.declarative("declaration/configuration/never.there")[0] == 404
    walk.until("the device is told that the certificate is gone", lambda: told(device))
    assert held.synchronize() and ("asset", certificate) not in held.held
    assert device.declarative(f"declaration/asset/{certificate}")[0] == 404, "an asset that is gone"
    walk.did("declaration-gone")
    served(device.declarative("status", {"StatusItems": {"management": {"declarations": held.report()}}}))
    found = administrator.device(device.udid)
    assert found["declarationsToken"] == {"acknowledged": held.token, "current": held.token}, found["declarationsToken"]
    tokens = {one["ServerToken"] for one in held.held.values()}
    assert {one["serverToken"] for one in found["declarations"]} == tokens, found["declarations"]


def setup(walk, device):
    """A phone that waits in its setup is let go once its app from the App Store is there, and not before."""
    walk.until("the waiting device is told", lambda: told(device))
    held = Declarations(device)
    held.synchronize()
    app = held.app(STORE_NUMBER)
    assert plistlib.loads(held.asset(app["AppConfig"]["DataAssetReference"])) == {"title": "other"}
    assert json.loads(held.asset(app["AppConfig"]["Passwords"][0]["AssetReference"]))["UserName"] == "guest"
    items = {"device": facts(device), "management": {"declarations": held.report()}}
    items["app"] = {"managed": {"list": [app_status(APP, state="downloading")]}}
    served(device.declarative("status", {"StatusItems": items, "Errors": [], "FullReport": True}))
    assert "DeviceConfigured" not in kinds(device), "its app is not there yet"
    changes = {"app": {"managed": {"list": [app_status(APP)]}}}
    served(device.declarative("status", {"StatusItems": changes, "Errors": []}))
    walk.until("DeviceConfigured", lambda: "DeviceConfigured" in kinds(device))
    served(device.token_update({"AwaitingConfiguration": False}))
    assert not walk.administrator.device(device.udid).get("awaitsConfiguration"), "it waits no more"


def kinds(device):
    """The kinds of the commands that were waiting, each acknowledged."""
    found, (_, command) = [], served(device.say())
    while command:
        found.append(command["Command"]["RequestType"])
        _, command = served(device.say("Acknowledged", command))
    return found
