"""Commands and what a device makes of them."""
from steps.enrollment import served
from steps.users import queue


def queue_of(walk, device, *kinds):
    return [walk.administrator.queue(device.udid, kind) for kind in kinds]


def state(walk, device, uuid):
    return walk.administrator.command(device.udid, uuid)


def waiting(walk, device):
    queue(device, None)
    first, second, third = queue_of(walk, device, "InstalledApplicationList", "ProfileList", "SecurityInfo")
    _, command = served(device.say())
    assert command["CommandUUID"] == first, command
    # It was locked, has forgotten the command, and is given the others.
    _, command = served(device.say("NotNow", command))
    assert command["CommandUUID"] == second, command
    chain = [{
        "ErrorCode": 12021, "ErrorDomain": "MCMDMErrorDomain", "LocalizedDescription": "„ProfileList“ ist ungültig.",
        "USEnglishDescription": "“ProfileList” is not a valid request type."}]
    _, third_command = served(device.say("Error", command, {"ErrorChain": chain}))
    assert third_command["CommandUUID"] == third, third_command
    found = state(walk, device, second)
    assert found["state"] == "error" and found["errorChain"], found
    walk.did("error-chain")
    _, left = served(device.say("NotNow", third_command))
    assert left is None or left["CommandUUID"] != third, left
    # Unlocked: it asks by itself and is given both again, the first one first.
    _, command = served(device.say())
    assert command["CommandUUID"] == first, command
    apps = [{"Identifier": f"com.example.{number}", "Name": "Ä" * 40, "BundleSize": 2**40} for number in range(4000)]
    _, command = served(device.say("Acknowledged", command, {"InstalledApplicationList": apps}))
    assert command["CommandUUID"] == third, command
    walk.did("not-now", "long-answer")
    answer = {"SecurityInfo": {"FDE_Enabled": True}}
    served(device.say("Acknowledged", command, answer))
    served(device.say("Acknowledged", command, answer))
    assert state(walk, device, third)["state"] == "acknowledged"
    assert state(walk, device, first)["state"] == "acknowledged"
    walk.did("answer-again")


# A value that no strict reader takes, in an answer whose envelope is plain.
ODD = {
    "a date of the year 2147483647": "<key>X</key><date>2147483647-07-28T00:00:00Z</date>",
    "not a number": "<key>X</key><real>nan</real>",
    "a key twice": "<key>X</key><true/><key>X</key><true/>",
    "an error's number as text":
        "<key>ErrorChain</key><array><dict><key>ErrorCode</key><string>12</string></dict></array>",
}


def oddities(walk, device):
    for name, inner in ODD.items():
        odd, plain = queue_of(walk, device, "DeviceInformation", "ProfileList")
        _, command = served(device.say())
        assert command["CommandUUID"] == odd, (name, command)
        body = (
            '<?xml version="1.0" encoding="UTF-8"?>\n<plist version="1.0"><dict>'
            f"<key>CommandUUID</key><string>{odd}</string><key>Status</key><string>Acknowledged</string>"
            f"<key>UDID</key><string>{device.udid}</string>{inner}</dict></plist>")
        _, command = served(device.say(body=body.encode()), name)
        assert command and command["CommandUUID"] == plain, (name, command)
        served(device.say("Acknowledged", command))
        assert state(walk, device, odd)["state"] in ("acknowledged", "error"), name
    walk.did("odd-values")


def unlock_token(walk, device):
    """The token of its first TokenUpdate comes back with ClearPasscode, though later ones left it out."""
    uuid = walk.administrator.queue(device.udid, "ClearPasscode")
    _, command = served(device.say())
    assert command["CommandUUID"] == uuid, command
    assert command["Command"].get("UnlockToken") == device.unlock_token, "the unlock token that the device left"
    served(device.say("Acknowledged", command))
    walk.did("unlock-token-left-out")
