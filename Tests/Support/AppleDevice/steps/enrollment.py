"""From the profile to the first TokenUpdate, with what is repeated, left out and turned round on the way."""
import plistlib
import secrets


def profile(walk, device):
    """What an Apple device asks of an enrollment profile."""
    assert device.mdm["Topic"].startswith("com.apple.mgmt."), device.mdm["Topic"]
    assert "com.apple.mdm.per-user-connections" in device.mdm["ServerCapabilities"], device.mdm
    assert "com.apple.mdm.bootstraptoken" in device.mdm["ServerCapabilities"], device.mdm
    for key in ("ServerURL", "CheckInURL"):
        assert device.mdm[key].startswith("https://"), device.mdm
    walk.did("profile-by-browser")
    walk.did("scep-order", "scep-user-agent", "scep-one-certificate", "scep-ber", "scep-strongest")


def served(answer, *more):
    assert answer[0] == 200, (answer[0], answer[-1], *more)
    return answer


def not_ended(answer, what):
    """A refusal that keeps the device enrolled: 401 and 403 have it remove its profile."""
    assert answer[0] >= 400 and answer[0] not in (401, 403), (what, answer[0], answer[-1])


def mac(walk):
    device = walk.device("mac", "mac")
    profile(walk, device)
    not_ended(device.token_update(), "a TokenUpdate before any Authenticate")
    not_ended(device.say(), "Idle before any Authenticate")
    walk.did("order-turned")
    served(device.authenticate())
    served(device.authenticate())
    walk.did("authenticate-again", "keys-unknown", "user-agent", "content-types", "signature-and-certificate")
    served(device.token_update({"AwaitingConfiguration": False}))
    found = walk.administrator.device(device.udid)
    assert found["state"] == "enrolled" and found["facts"]["ModelName"] == "MacBook Pro", found
    # The same again, as after a lost answer, and then what APNs gave it anew.
    served(device.token_update({"AwaitingConfiguration": False}))
    device.token = secrets.token_bytes(32)
    served(device.token_update())
    walk.did("token-update-again")
    signatures(walk, device)
    return device


def signatures(walk, device):
    """Each form alone, without a certificate on the connection, as where TLS ends before the server."""
    for form in ("ber-bare", "ber-attributes", "der-attributes"):
        device.form = form
        served(device.say("NotNow", {"CommandUUID": "00000000-0000-0000-0000-000000000000"}, identity=False), form)
        served(device.declarative("tokens", identity=False), form)
    device.form = "ber-bare"
    walk.did("signature-ber-bare", "signature-ber-attributes")
    device.binary = True
    served(device.declarative("tokens"))
    served(device.token_update())
    device.binary = False
    walk.did("binary-lists")
    old = walk.device("mac", "old", allowLegacyCryptography=True)
    old.form = "sha1"
    served(old.authenticate(identity=False))
    served(old.token_update(identity=False))
    served(old.check_out(identity=False))
    # Without the permission a message is refused, and the device stays enrolled.
    device.form = "sha1"
    not_ended(device.declarative("tokens", identity=False), "SHA-1 that no code allows")
    device.form = "ber-bare"
    walk.did("signature-sha1")


def phone(walk):
    device = walk.device("iphone", "phone")
    served(device.authenticate())
    device.unlock_token = secrets.token_bytes(2100)
    served(device.token_update({"AwaitingConfiguration": True, "UnlockToken": device.unlock_token}))
    found = walk.administrator.device(device.udid)
    assert found["state"] == "enrolled" and not found.get("name"), found
    assert found["awaitsConfiguration"], found
    walk.did("keys-left-out")
    # What is left out is no answer: it waits on, and its passcode can still be cleared.
    served(device.token_update())
    assert walk.administrator.device(device.udid)["awaitsConfiguration"], "AwaitingConfiguration was left out"
    walk.did("awaiting-left-out")
    return device


def bootstrap_token(walk, device):
    def kept():
        answer = served(device.check_in("GetBootstrapToken"))
        assert answer[1]["content-type"].startswith("application/xml"), answer[1]
        return plistlib.loads(answer[2]).get("BootstrapToken") or b""

    assert kept() == b"", "no token was left yet"
    first, second = secrets.token_bytes(64), secrets.token_bytes(96)
    for token in (first, first, second):
        served(device.check_in("SetBootstrapToken", {"AwaitingConfiguration": False, "BootstrapToken": token}))
        assert kept() == token
    served(device.check_in("SetBootstrapToken", {"BootstrapToken": b""}))
    assert kept() == b"", "an empty token takes the former one back"
    served(device.check_in("SetBootstrapToken", {"BootstrapToken": second}))
    served(device.check_in("SetBootstrapToken"))
    assert kept() == b"", "a missing token takes the former one back"
    walk.did("bootstrap-token")


def by_acme(walk):
    device = walk.device("mac", "acme")
    served(device.authenticate())
    served(device.token_update())
    _, command = served(device.say())
    assert command["Command"]["RequestType"] == "DeclarativeManagement", command
    served(device.say("Acknowledged", command))
    served(device.check_out())
    walk.did("acme-unattested")
