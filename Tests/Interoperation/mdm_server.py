"""An MDM server of another make, which has never heard of Martlet.

usage: mdm_server.py FOLDER CONVERSATION SCEP    (SCEP is modern, or legacy for SHA-1 and DES in the answers)

Its answers are the files in conversations/CONVERSATION: what such servers send, written after their published source. They
go out byte for byte as they stand there, but 65535 becomes the port. NAME.http answers the request NAME each time, NAME.1.http the first one, NAME.2.http the
second, and the last of them every further one; once the file FOLDER/later is there, NAME.later.http goes before these. Only
certificates are made anew: it has a certificate authority of its own that answers by SCEP, and whose certificate is the
asset root.pem.

Leaves in FOLDER the port (port), its authority (ca.pem), enrollment profiles (plain.mobileconfig, signed.mobileconfig,
identity.mobileconfig), and a line for each request (requests.jsonl).
"""
import base64
import http.server
import json
import pathlib
import plistlib
import secrets
import ssl
import sys
import threading
import urllib.parse

from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.serialization import pkcs12
from cryptography.x509.oid import AttributeOID

import cms

folder, conversation, scep = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
answers = pathlib.Path(__file__).parent / "conversations" / conversation
CHALLENGE, PASSWORD = "challenge-of-this-profile", "password-of-this-identity"
authority_key = cms.new_key()
authority_name = cms.name("another maker's authority")
authority = cms.certificate(authority_name, authority_key.public_key(), authority_name, authority_key, authority=True)
lock, counts = threading.Lock(), {}


def pem(certificate):
    return certificate.public_bytes(serialization.Encoding.PEM)


def private_pem(key):
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())


def note(**entry):
    with lock, open(folder / "requests.jsonl", "a") as file:
        file.write(json.dumps(entry) + "\n")


def golden(name):
    """The bytes of the next answer to a request; what there is no file for has the answer missing.http."""
    with lock:
        counts[name] = number = counts.get(name, 0) + 1
    later = [answers / f"{name}.later.http"] if (folder / "later").exists() else []
    files = [*later, answers / f"{name}.http", *(answers / f"{name}.{one}.http" for one in range(number, 0, -1))]
    found = next((one for one in files if one.exists()), answers / "missing.http")
    return found.read_bytes().replace(b"65535", str(port).encode())


def issue(message):
    """Answers a SCEP message: with a certificate, or with badMessageCheck for a wrong challenge."""
    content, signer, attributes, _ = cms.verified(message)
    request_der, cipher = cms.opened(content, authority_key)
    request = x509.load_der_x509_csr(request_der)
    assert request.is_signature_valid
    challenge = request.attributes.get_attribute_for_oid(AttributeOID.CHALLENGE_PASSWORD).value.decode()
    note(request="scep", cipher=cipher, subject=request.subject.rfc4514_string(), challenge=challenge == CHALLENGE)
    digest, own_cipher = ("sha1", "des") if scep == "legacy" else ("sha256", "aes")
    answer = [
        (cms.TRANSACTION, cms.text(attributes[cms.TRANSACTION])), (cms.MESSAGE_TYPE, cms.text("3")),
        (cms.SENDER_NONCE, cms.octets(secrets.token_bytes(16))),
        (cms.RECIPIENT_NONCE, cms.octets(attributes[cms.SENDER_NONCE]))]
    if challenge != CHALLENGE:
        return cms.sign(b"", authority, authority_key, digest, [
            *answer, (cms.STATUS, cms.text("2")), (cms.FAIL_INFO, cms.text("1"))])
    device = cms.certificate(request.subject, request.public_key(), authority_name, authority_key)
    # As a server in wide use does, the device's certificate stands before the authority's.
    return cms.sign(
        cms.seal(cms.bundle(device), signer, own_cipher), authority, authority_key, digest,
        [*answer, (cms.STATUS, cms.text("0"))], certificates=[device])


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        url = urllib.parse.urlparse(self.path)
        if url.path == "/scep":
            operation = urllib.parse.parse_qs(url.query)["operation"][0]
            body = (
                b"Renewal\nSHA-1\nSHA-256\nAES\nDES3\nSCEPStandard\nPOSTPKIOperation" if operation == "GetCACaps"
                else cms.der(authority))
            return self.answer(body)
        note(request="asset", path=url.path, certificate=self.identified())
        if url.path == "/assets/root.pem":
            return self.answer(pem(authority), "application/pem")
        self.wfile.write(golden("asset-" + url.path.rsplit("/", 1)[-1]))

    def do_POST(self):
        self.answer(issue(self.body()))

    def do_PUT(self):
        body = self.body()
        message = plistlib.loads(body)
        entry = {
            "path": self.path, "type": self.headers.get("Content-Type", ""), "certificate": self.identified(),
            "signature": self.signature(body)}
        name = {"Authenticate": "authenticate", "TokenUpdate": "token-update", "CheckOut": "check-out"}.get(
            message.get("MessageType"), "command")
        if message.get("MessageType") == "DeclarativeManagement":
            name = message["Endpoint"].replace("/", "-")
            if message.get("Data"):
                entry["report"] = json.loads(message["Data"])
        elif name == "command":
            entry["status"] = message.get("Status")
            entry["message"] = base64.b64encode(body).decode()
        note(request=name, **entry)
        self.wfile.write(golden(name))

    def body(self):
        return self.rfile.read(int(self.headers["Content-Length"]))

    def identified(self):
        """Whether the connection shows a certificate of this server's authority."""
        return self.connection.getpeercert(binary_form=True) is not None

    def signature(self, body):
        """The digest of the message's signature, if it has one and that is right."""
        text = self.headers.get("Mdm-Signature")
        if text is None:
            return None
        _, signer, _, digest = cms.verified(base64.b64decode(text), body)
        assert signer.issuer == authority_name, "a certificate of this authority"
        return digest

    def answer(self, body, kind=None):
        self.send_response(200)
        if kind:
            self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def payload(kind, name, uuid, **entries):
    return {"PayloadType": kind, "PayloadVersion": 1, "PayloadIdentifier": f"org.example.{name}", "PayloadUUID": uuid,
            **entries}


def profile(identity, root, **mdm):
    return plistlib.dumps({
        "PayloadType": "Configuration", "PayloadVersion": 1, "PayloadIdentifier": "org.example.enrollment",
        "PayloadUUID": "F9760DD4-F2D1-4F29-8D2C-48D52DD0A9B3", "PayloadDisplayName": "Another server",
        "PayloadContent": [root, identity, payload(
            "com.apple.mdm", "mdm", "96B11019-B54C-49DC-9480-43525834DE7B", AccessRights=8191,
            CheckOutWhenRemoved=True, IdentityCertificateUUID="CB90E976-AD44-4B69-8108-8095E6260978",
            ServerCapabilities=["com.apple.mdm.per-user-connections"], SignMessage=True,
            Topic="com.apple.mgmt.External.11111111-2222-3333-4444-555555555555", **mdm)]})


def write_profiles(port):
    base = f"https://localhost:{port}"
    root_uuid, identity_uuid = "0B0E2B2A-0000-4000-8000-000000000001", "CB90E976-AD44-4B69-8108-8095E6260978"
    root = payload("com.apple.security.root", "root", root_uuid, PayloadContent=cms.der(authority))
    by_scep = payload(
        "com.apple.security.scep", "scep", identity_uuid,
        PayloadContent={"URL": base + "/scep", "Challenge": CHALLENGE, "Key Type": "RSA", "Keysize": 2048,
                        "Key Usage": 5, "Subject": [[["O", "Another"]], [["CN", "%HardwareUUID%"]]]})
    plain = profile(by_scep, root, ServerURL=base + "/mdm")
    (folder / "plain.mobileconfig").write_bytes(plain)
    signer_key = cms.new_key()
    signer = cms.certificate(cms.name("whoever signs profiles"), signer_key.public_key(), authority_name, authority_key)
    pinned = profile(
        by_scep, payload("com.apple.security.pem", "root", root_uuid, PayloadContent=pem(authority)),
        ServerURL=base + "/mdm/connect", CheckInURL=base + "/mdm/checkin/",
        ServerURLPinningCertificateUUIDs=[root_uuid], CheckInURLPinningCertificateUUIDs=[root_uuid])
    (folder / "signed.mobileconfig").write_bytes(cms.sign(pinned, signer, signer_key, "sha256"))
    key = cms.new_key()
    own = cms.certificate(cms.name("made by the administrator"), key.public_key(), authority_name, authority_key)
    file = pkcs12.serialize_key_and_certificates(
        b"identity", key, own, None, serialization.BestAvailableEncryption(PASSWORD.encode()))
    by_file = payload(
        "com.apple.security.pkcs12", "identity", identity_uuid, PayloadContent=file, Password=PASSWORD)
    (folder / "identity.mobileconfig").write_bytes(profile(by_file, root, ServerURL=base + "/mdm"))


server_key = cms.new_key()
server_certificate = cms.certificate(
    cms.name("localhost"), server_key.public_key(), authority_name, authority_key, names=["localhost"])
(folder / "ca.pem").write_bytes(pem(authority))
(folder / "tls.pem").write_bytes(pem(server_certificate) + private_pem(server_key))
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
port = server.server_address[1]
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(folder / "tls.pem")
context.load_verify_locations(folder / "ca.pem")
context.verify_mode = ssl.CERT_OPTIONAL
server.socket = context.wrap_socket(server.socket, server_side=True)
write_profiles(port)
(folder / "port.part").write_text(str(port))
(folder / "port.part").rename(folder / "port")
server.serve_forever()
