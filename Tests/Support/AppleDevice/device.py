"""A played Apple device: what it says on the wire, and nothing of any server's or agent's code.

It keeps its identity in a folder, so that what was enrolled goes on in another process.
"""
import contextlib
import http.client
import json
import pathlib
import plistlib
import secrets
import ssl
import urllib.parse
import uuid

from cryptography import x509
from cryptography.hazmat.primitives import serialization

import acme
import scep
import signature

CHECK_IN, COMMAND = "application/x-apple-aspen-mdm-checkin", "application/x-apple-aspen-mdm; charset=UTF-8"
SHARED_USER = "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF"

# What the programs of each system call themselves, and what they say of the device (see habits.py for the sources).
SYSTEMS = {
    "iphone": {
        "browser": "Mozilla/5.0 (iPhone; CPU iPhone OS 12_0_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
                   "Version/12.0 Mobile/15E148 Safari/604.1",
        "installer": "profiled/1.0 CFNetwork/901.1 Darwin/17.6.0", "client": "MDM/1.0",
        "facts": {"BuildVersion": "24A5355q", "OSVersion": "27.0", "ProductName": "iPhone17,2"},
    },
    "mac": {
        "browser": "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) "
                   "Version/26.1 Safari/605.1.15",
        "installer": "mdmclient/960 CFNetwork/811.9 Darwin/16.7.0 (x86_64)", "client": "MDM-OSX/1.0 mdmclient/1090",
        "facts": {"BuildVersion": "26A5353q", "Challenge": b"apple", "DeviceName": "device-name", "Model": "Mac16,1",
                  "ModelName": "MacBook Pro", "OSVersion": "27.0", "ProductName": "Mac16,1"},
    },
}


class Device:
    """One enrollment of one device."""

    def __init__(self, system, authority, udid=None, serial=None):
        """`authority` is a PEM file with the roots by which the device knows the server before it has a profile."""
        self.system, self.words, self.authority = system, SYSTEMS[system], str(authority)
        self.udid, self.serial = udid or str(uuid.uuid4()).upper(), serial or "C0" + secrets.token_hex(5).upper()
        self.form, self.binary = "ber-bare", False
        self.key = self.certificate = self.profile = None
        self.token, self.magic = secrets.token_bytes(32), str(uuid.uuid4()).upper()
        self.pins, self.files, self.connections = None, None, {}

    # MARK: the wire

    def request(self, method, url, body=None, headers=None, identity=True):
        """Asks by a connection that is kept, as URLSession does; answers status, headers in small letters, body."""
        parts = urllib.parse.urlsplit(url)
        place = (parts.hostname, parts.port or 443, identity and self.files is not None)
        path = parts.path + (f"?{parts.query}" if parts.query else "")
        for is_last in (False, True):
            connection = self.connections.get(place) or http.client.HTTPSConnection(
                place[0], place[1], context=self.context(place[2]), timeout=60)
            self.connections[place] = connection
            try:
                connection.request(method, path, body, headers or {})
                answer = connection.getresponse()
                return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()
            except (http.client.RemoteDisconnected, ConnectionError, http.client.CannotSendRequest):
                # A kept connection that the server closed meanwhile: once more, by a new one.
                self.hang_up()
                if is_last:
                    raise

    def context(self, with_identity):
        context = ssl.create_default_context(cafile=self.authority)
        if self.pins:
            context.load_verify_locations(cadata=self.pins)
        if with_identity:
            context.load_cert_chain(*self.files)
        return context

    def hang_up(self):
        for connection in self.connections.values():
            with contextlib.suppress(OSError):
                connection.close()
        self.connections = {}

    # MARK: profile and identity

    def install(self, profile, folder):
        """Takes an enrollment profile apart, as bytes, and obtains the identity that it describes."""
        self.profile = plistlib.loads(profile)
        payloads = {payload["PayloadUUID"]: payload for payload in self.profile["PayloadContent"]}
        self.mdm = next(one for one in payloads.values() if one["PayloadType"] == "com.apple.mdm")
        roots = [one["PayloadContent"] for one in payloads.values() if one["PayloadType"] == "com.apple.security.root"]
        self.pins = "".join(ssl.DER_cert_to_PEM_cert(root) for root in roots) or None
        payload = payloads[self.mdm["IdentityCertificateUUID"]]
        if payload["PayloadType"] == "com.apple.security.acme":
            key, certificate = acme.obtain(payload, self.ask)
        else:
            key, certificate = scep.obtain(payload["PayloadContent"], self.ask)
        self.use(key, certificate, folder)

    def ask(self, method, url, body, content_type):
        headers = {"User-Agent": self.words["installer"], "Accept": "*/*", "Accept-Language": "en-US,en;q=0.9"}
        if content_type:
            headers["Content-Type"] = content_type
        return self.request(method, url, body, headers)

    def fetch(self, url):
        """The profile at an address, as Safari asks for it."""
        headers = {
            "User-Agent": self.words["browser"], "Accept-Language": "en-US,en;q=0.9",
            "Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}
        status, headers, body = self.request("GET", url, None, headers, identity=False)
        assert status == 200, (url, status, body[:200])
        assert headers["content-type"] == "application/x-apple-aspen-config", headers["content-type"]
        return body

    def use(self, key, certificate, folder):
        """Has an identity from now on, kept in a folder."""
        folder = pathlib.Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        self.hang_up()
        self.key, self.certificate = key, certificate
        self.files = str(folder / "certificate.pem"), str(folder / "key.pem")
        pathlib.Path(self.files[0]).write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
        pathlib.Path(self.files[1]).touch(0o600)
        pathlib.Path(self.files[1]).write_bytes(key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
        (folder / "profile.mobileconfig").write_bytes(plistlib.dumps(self.profile))
        names = {"system": self.system, "udid": self.udid, "serial": self.serial}
        (folder / "device.json").write_text(json.dumps(names))

    @classmethod
    def kept(cls, authority, folder):
        """The device whose identity lies in a folder."""
        folder = pathlib.Path(folder)
        device = cls(authority=authority, **json.loads((folder / "device.json").read_text()))
        device.profile = plistlib.loads((folder / "profile.mobileconfig").read_bytes())
        device.mdm = next(one for one in device.profile["PayloadContent"] if one["PayloadType"] == "com.apple.mdm")
        device.key = serialization.load_pem_private_key((folder / "key.pem").read_bytes(), None)
        device.certificate = x509.load_pem_x509_certificate((folder / "certificate.pem").read_bytes())
        device.files = str(folder / "certificate.pem"), str(folder / "key.pem")
        return device

    # MARK: messages

    def put(self, url, message, content_type, identity=True):
        """A message as a property list, or bytes as they are; signed if the profile says so."""
        kind = plistlib.FMT_BINARY if self.binary else plistlib.FMT_XML
        body = message if isinstance(message, bytes) else plistlib.dumps(message, fmt=kind)
        headers = {"Content-Type": content_type, "User-Agent": self.words["client"], "Accept": "*/*"}
        if self.mdm.get("SignMessage"):
            headers["Mdm-Signature"] = signature.header(body, self.certificate, self.key, self.form)
        return self.request("PUT", url, body, headers, identity)

    def check_in(self, kind, more=None, user=None, **rest):
        message = {"MessageType": kind, "UDID": self.udid, **(user or {}), **(more or {})}
        return self.put(self.mdm.get("CheckInURL", self.mdm["ServerURL"]), message, CHECK_IN, **rest)

    def authenticate(self, **rest):
        facts = {**self.words["facts"], "SerialNumber": self.serial, "Topic": self.mdm["Topic"]}
        return self.check_in("Authenticate", facts, **rest)

    def token_update(self, more=None, **rest):
        facts = {"PushMagic": self.magic, "Token": self.token, "Topic": self.mdm["Topic"], **(more or {})}
        return self.check_in("TokenUpdate", facts, **rest)

    def check_out(self, **rest):
        return self.check_in("CheckOut", {"Topic": self.mdm["Topic"]}, **rest)

    def declarative(self, endpoint, document=None, **rest):
        more = {"Endpoint": endpoint}
        if document is not None:
            more["Data"] = document if isinstance(document, bytes) else json.dumps(document).encode()
        return self.check_in("DeclarativeManagement", more, **rest)

    def say(self, status="Idle", command=None, more=None, user=None, body=None, **rest):
        """Says how a command fared, or that nothing is to be reported; answers status and the next command."""
        message = {"Status": status, "UDID": self.udid, **(user or {}), **(more or {})}
        if command:
            message["CommandUUID"] = command["CommandUUID"]
        code, _, answer = self.put(self.mdm["ServerURL"], body or message, COMMAND, **rest)
        return code, plistlib.loads(answer) if code == 200 and answer else None

    def download(self, url):
        """What an asset refers to: by the identity on the connection, unsigned, as there is no body."""
        return self.request("GET", url, None, {"User-Agent": self.words["client"], "Accept": "*/*"})
