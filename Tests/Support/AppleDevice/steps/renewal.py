"""A renewed profile, answered in either of the two ways that were seen."""
import secrets

from device import Device
from steps.enrollment import not_ended, served

WAYS = {"by-token-update": "mac", "by-authenticate": "iphone"}
USER = {"UserID": "5A1E7C0D-0000-4000-8000-000000000501", "UserShortName": "anna", "UserLongName": "Anna Anders"}


def enroll(walk):
    """Enrolls a device for each way, while the server issues identities that soon end."""
    for way, system in WAYS.items():
        device = walk.device(system, way)
        served(device.authenticate())
        served(device.token_update())
        if system == "mac":
            served(device.token_update({"NotOnConsole": False}, user=USER))


def renew(walk):
    for way in WAYS:
        old = Device.kept(walk.authority, walk.folder / way)
        command = walk.until(f"the renewal {way} is ordered", lambda: ordered(old))
        new = Device.kept(walk.authority, walk.folder / way)
        new.install(command["Command"]["Payload"], walk.folder / f"{way}-renewed")
        for key in ("Topic", "ServerURL", "CheckInURL", "ServerCapabilities", "AccessRights"):
            assert new.mdm[key] == old.mdm[key], f"a renewed profile may not change {key}"
        assert new.profile["PayloadIdentifier"] == old.profile["PayloadIdentifier"], "it replaces the present one"
        if way == "by-authenticate":
            # The answer may still go by the identity of before.
            served(old.say("Acknowledged", command))
            served(new.authenticate())
        else:
            # The user's agent may be the first to use it.
            served(new.say(user=USER), "a user's channel with the new certificate")
        new.token = secrets.token_bytes(32)
        served(new.token_update())
        served(new.say("Acknowledged", command))
        served(new.say())
        not_ended(old.say(), "the identity that was replaced")
        walk.did(f"renewal-{way}", "scep-with-identity")
        if way == "by-token-update":
            served(new.token_update({"NotOnConsole": True}, user=USER))
        served(new.check_out())


def ordered(device):
    status, command = device.say()
    while status == 200 and command and command["Command"]["RequestType"] != "InstallProfile":
        status, command = device.say("Acknowledged", command)
    # One whose identity has ended meanwhile hears of its renewal all the same.
    assert status == 200, (status, command)
    return command
