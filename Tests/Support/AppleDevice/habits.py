"""The habits that the played device has: a name, what it sends, and the public report or page it comes from.

`python3 habits.py` prints them as the table of docs/apple-devices.md. A walk fails for a habit that it never tried.
"""
from typing import NamedTuple


class Habit(NamedTuple):
    name: str
    sends: str
    sources: tuple


def issue(place, number):
    return f"[{place.split('/')[-1]} #{number}](https://github.com/{place}/issues/{number})"


def change(place, number):
    return f"[{place.split('/')[-1]} PR #{number}](https://github.com/{place}/pull/{number})"


def schema(name):
    return f"[Apple's schema, {name}](https://github.com/apple/device-management/blob/release/{name})"


def page(title, address):
    return f"[{title}]({address})"


# Nobody reported it: it is tried so that whoever does finds the server ready.
UNREPORTED = "no public report found"
NANOMDM = page("nanomdm's quick start", "https://github.com/micromdm/nanomdm/blob/main/docs/quickstart.md")
MDMDOCS = page("mdmdocs, Authenticate", "https://github.com/mosen/mdmdocs/blob/master/source/commands/Authenticate.rst")
COMMANDMENT = page("commandment's manual", "http://cmdmnt.github.io/commandment/internal/mdm/app.html")
EXTENSIONS = page(
    "Apple, MDM protocol",
    "https://developer.apple.com/library/content/documentation/Miscellaneous/Reference/"
    "MobileDeviceManagementProtocolRef/3-MDM_Protocol/MDM_Protocol.html")
MANAGEMENT = "https://developer.apple.com/documentation/devicemanagement"
FOUNDATION = "https://developer.apple.com/documentation/foundation"
NOT_NOW = page("Apple, NotNow", f"{MANAGEMENT}/handling-notnow-status-responses")
AUTHENTICATE = page("Apple, Authenticate", f"{MANAGEMENT}/authenticate")


def rfc(number, section):
    return page(f"RFC {number} §{section}", f"https://www.rfc-editor.org/rfc/rfc{number}#section-{section}")


ENROLLMENT = [
    Habit(
        "profile-by-browser",
        "Safari fetches the profile, with its own user agent",
        (issue("micromdm/micromdm", 548),)),
    Habit(
        "scep-order",
        "GetCACert, then GetCACaps, both with the payload's `Name` as `message`, then PKIOperation by POST",
        (issue("micromdm/micromdm", 436), issue("micromdm/scep", 155))),
    Habit(
        "scep-user-agent",
        "`profiled/1.0 CFNetwork/…` (iOS), `mdmclient/960 CFNetwork/…` (macOS) for SCEP and ACME",
        (issue("micromdm/micromdm", 453), issue("micromdm/micromdm", 436))),
    Habit(
        "scep-one-certificate",
        "takes a single authority only as `application/x-x509-ca-cert`; as `…-ca-ra-cert` it looks for "
        "separate certificates and gives up",
        (change("NeySlim/ultimate-ca-manager", 102),)),
    Habit(
        "scep-ber",
        "the SCEP message and its envelope in BER, with lengths left open and contents in pieces",
        (issue("NeySlim/ultimate-ca-manager", 101), issue("spotlightishere/mdm-server", 3))),
    Habit(
        "scep-strongest",
        "AES-128, and the strongest digest that GetCACaps announces: SHA-512",
        (UNREPORTED,)),
    Habit(
        "scep-with-identity",
        "a renewal's SCEP goes over a connection on which the present identity is shown, where the server "
        "asks for one",
        (issue("smallstep/certificates", 746),)),
    Habit(
        "acme-unattested",
        "`device-attest-01` with a key that nothing attests, where the payload says `Attest` false",
        (schema("mdm/profiles/com.apple.security.acme.yaml"),)),
]

CHECK_IN = [
    Habit(
        "user-agent",
        "`MDM/1.0` (iOS), `MDM-OSX/1.0 mdmclient/…` (macOS)",
        (issue("micromdm/micromdm", 907), NANOMDM)),
    Habit(
        "content-types",
        "`application/x-apple-aspen-mdm-checkin`, `application/x-apple-aspen-mdm; charset=UTF-8`",
        (issue("micromdm/micromdm", 907), COMMANDMENT)),
    Habit(
        "signature-ber-bare",
        "`Mdm-Signature` in BER with lengths left open and no signed attributes",
        (issue("cmdmnt/commandment", 18), change("fullsailor/pkcs7", 17), rfc(5652, "5.4"))),
    Habit(
        "signature-ber-attributes",
        "the same with signed attributes",
        (issue("micromdm/micromdm", 211), rfc(5652, "5.3"))),
    Habit(
        "signature-sha1",
        "`Mdm-Signature` with SHA-1, of systems before 2022",
        (UNREPORTED,)),
    Habit(
        "signature-and-certificate",
        "signs, and shows its certificate on the connection as well",
        (EXTENSIONS,)),
    Habit(
        "keys-left-out",
        "an iPhone's Authenticate has no `DeviceName`, `Model` or `ModelName`",
        (MDMDOCS,)),
    Habit(
        "keys-unknown",
        "a Mac's Authenticate has `Challenge`, which no schema has",
        (MDMDOCS,)),
    Habit(
        "binary-lists",
        "property lists in the binary form; devices send XML, and nothing binds them to it",
        (
            UNREPORTED,
            page("a form of Apple's writer", f"{FOUNDATION}/propertylistserialization/propertylistformat/binary"),
        )),
    Habit(
        "authenticate-again",
        "Authenticate again, where the answer was lost or a later payload failed",
        (AUTHENTICATE,)),
    Habit(
        "order-turned",
        "a TokenUpdate before the Authenticate that it follows: no 401, which would end the management",
        (UNREPORTED, EXTENSIONS)),
    Habit(
        "token-update-again",
        "TokenUpdate at any time, with the same values or with new ones",
        (schema("mdm/checkin/tokenupdate.yaml"), change("fleetdm/fleet", 12159))),
    Habit(
        "unlock-token-left-out",
        "a TokenUpdate without the `UnlockToken` of an earlier one, which stays good",
        (schema("mdm/checkin/tokenupdate.yaml"),)),
    Habit(
        "awaiting-left-out",
        "a TokenUpdate without `AwaitingConfiguration` while the device waits in its setup",
        (schema("mdm/checkin/tokenupdate.yaml"),)),
    Habit(
        "user-channel",
        "a second TokenUpdate for the user who is logged in, with the device's certificate; requests of both "
        "at the same time",
        (issue("micromdm/micromdm", 766), EXTENSIONS)),
    Habit(
        "shared-ipad-user",
        "`UserID` FFFFFFFF-FFFF-…: only `UserShortName` tells the users apart",
        (schema("mdm/checkin/tokenupdate.yaml"),)),
    Habit(
        "user-authenticate",
        "UserAuthenticate of a directory's user; 410 says that the user is not managed",
        (schema("mdm/checkin/userauthenticate.yaml"),)),
    Habit(
        "bootstrap-token",
        "SetBootstrapToken, the same once more, another, an empty one; GetBootstrapToken",
        (schema("mdm/checkin/setbootstraptoken.yaml"), issue("micromdm/micromdm", 735))),
    Habit(
        "renewal-by-token-update",
        "a renewed profile is answered by TokenUpdate alone, with the new certificate",
        (change("zentralopensource/zentral", 1661),)),
    Habit(
        "renewal-by-authenticate",
        "a renewed profile is answered by Authenticate and TokenUpdate with the new certificate",
        (issue("micromdm/micromdm", 557), issue("fleetdm/fleet", 17232))),
    Habit(
        "check-out",
        "CheckOut when the profile is removed, once or again; nothing after it",
        (issue("micromdm/micromdm", 555), schema("mdm/checkin/checkout.yaml"))),
    Habit(
        "enrolled-again",
        "the same device with another certificate after it left",
        (issue("fleetdm/fleet", 10948),)),
    Habit(
        "erased",
        "a device that was erased says nothing, and enrolls again under its UDID with another certificate",
        (issue("fleetdm/fleet", 48486), issue("micromdm/micromdm", 631))),
    Habit(
        "removed-by-command",
        "RemoveProfile of the enrollment's profile: an answer, then CheckOut",
        (issue("fleetdm/fleet", 8206),)),
    Habit(
        "unrecognized",
        "403 with `com.apple.unrecognized.device` ends the management: the profile goes, CheckOut is tried",
        (page("Apple, ErrorUnrecognizedDevice", f"{MANAGEMENT}/errorunrecognizeddevice"),)),
]

COMMANDS = [
    Habit(
        "not-now",
        "NotNow while it is locked; the command is forgotten and asked for again by Idle",
        (NOT_NOW, change("micromdm/micromdm", 984))),
    Habit(
        "error-chain",
        "Error with a chain of reasons in its own language",
        (issue("fleetdm/fleet", 51653),)),
    Habit(
        "answer-again",
        "an answer once more where its acknowledgment was lost, without end if it is refused",
        (issue("micromdm/micromdm", 211),)),
    Habit(
        "odd-values",
        "a date of the year 2147483647, and what else cannot be decoded: `nan`, a key twice, a number as text",
        (issue("mondoohq/mql", 185), issue("micromdm/micromdm", 1040))),
    Habit(
        "long-answer",
        "answers of many hundred kilobytes, such as a list of apps",
        (change("micromdm/nanomdm", 32),)),
]

DECLARATIVE = [
    Habit(
        "sync-order",
        "tokens, declaration-items, then each declaration whose token is new, one request each",
        (schema("mdm/checkin/declarativemanagement.yaml"), change("fleetdm/fleet", 18273))),
    Habit(
        "declaration-gone",
        "asks for a declaration that is gone meanwhile; 404 has it remove its own",
        (change("zentralopensource/zentral", 1540),)),
    Habit(
        "assets-by-certificate",
        "fetches `DataURL` of assets with its certificate on the connection, unsigned",
        (schema("declarative/declarations/assets/data.yaml"),)),
    Habit(
        "management-inactive",
        "says `active` false of a management declaration that is valid",
        (change("fleetdm/fleet", 50421),)),
    Habit(
        "status-in-parts",
        "a report with `FullReport`, then reports of what changed, with `_removed`",
        (schema("declarative/protocol/statusreport.yaml"), change("jessepeterson/kmfddm", 47))),
    Habit(
        "status-without-declarations",
        "a report without `management.declarations`",
        (change("zentralopensource/zentral", 1287),)),
    Habit(
        "status-unknown-items",
        "items and capabilities that no schema has, and `Errors` for items it cannot tell",
        (issue("fleetdm/fleet", 30835), change("mdmdirector/mdmdirector", 172))),
    Habit(
        "status-bad-item",
        "one element of a list that is of another form",
        (UNREPORTED,)),
]

ALL = ENROLLMENT + CHECK_IN + COMMANDS + DECLARATIVE


def table(habits):
    rows = [f"| `{one.name}` | {one.sends} | {', '.join(one.sources)} |" for one in habits]
    return "\n".join(["| habit | what the device sends | source |", "| --- | --- | --- |", *rows])


if __name__ == "__main__":
    for title, habits in (("Enrollment", ENROLLMENT), ("Check-in", CHECK_IN), ("Commands", COMMANDS),
                          ("Declarations and status", DECLARATIVE)):
        print(f"### {title}\n\n{table(habits)}\n")
