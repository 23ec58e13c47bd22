"""An MDM client of another make, with the habits of a test client in wide use.

usage: mdm_client.py PROFILE CA_FILE DIGEST CIPHER [MDM_DIGEST]

It signs its SCEP message with a key made for that message alone, signs every MDM message with DIGEST (sha1 or sha256),
and asks for its certificate with CIPHER (aes or des). It says what it did, one word a line. With MDM_DIGEST its MDM messages
are signed with that instead, and it ends with what the server says to the first of them.
"""
import plistlib
import secrets
import ssl
import sys
import urllib.error
import urllib.parse
import urllib.request
import uuid

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.x509.oid import AttributeOID

import cms

profile_path, authority_path, digest, cipher, *rest = sys.argv[1:]
context = ssl.create_default_context(cafile=authority_path)
with open(profile_path, "rb") as file:
    profile = plistlib.load(file)
payloads = {payload["PayloadType"]: payload for payload in profile["PayloadContent"]}
scep, mdm = payloads["com.apple.security.scep"]["PayloadContent"], payloads["com.apple.mdm"]


def send(method, url, body=None, headers=None):
    request = urllib.request.Request(url, data=body, method=method, headers=headers or {})
    try:
        with urllib.request.urlopen(request, context=context, timeout=30) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


def scep_get(operation):
    return send("GET", scep["URL"] + "?" + urllib.parse.urlencode({"operation": operation}))[1]


def enrol():
    capabilities = scep_get("GetCACaps").decode().split()
    assert "POSTPKIOperation" in capabilities or "SCEPStandard" in capabilities, capabilities
    authority = x509.load_der_x509_certificate(scep_get("GetCACert"))
    key, message_key = cms.new_key(), cms.new_key()
    message_name = cms.name("SCEP SIGNER")
    message_certificate = cms.certificate(message_name, message_key.public_key(), message_name, message_key)
    request = (
        x509.CertificateSigningRequestBuilder().subject_name(cms.name("a client of another make"))
        .add_attribute(AttributeOID.CHALLENGE_PASSWORD, scep["Challenge"].encode())
        .sign(key, hashes.SHA256()))
    message = cms.sign(
        cms.seal(cms.der(request), authority, cipher), message_certificate, message_key, digest,
        [(cms.TRANSACTION, cms.text(secrets.token_hex(10))), (cms.MESSAGE_TYPE, cms.text("19")),
         (cms.SENDER_NONCE, cms.octets(secrets.token_bytes(16)))])
    status, answer = send(
        "POST", scep["URL"] + "?operation=PKIOperation", message, {"Content-Type": "application/octet-stream"})
    assert status == 200, status
    content, signer, attributes, _ = cms.verified(answer)
    assert signer == authority, "the answer is the authority's"
    if attributes[cms.STATUS] != "0":
        return None, "failure " + attributes[cms.FAIL_INFO]
    envelope, _ = cms.opened(content, message_key)
    certificate = cms.certificates_in(envelope)[0]
    assert certificate.public_key() == key.public_key(), "the certificate is for the key in the request"
    return (certificate, key), "certificate"


identity, said = enrol()
print(said)
if identity is None:
    sys.exit(0)
certificate, key = identity
device = str(uuid.uuid4()).upper()


def put(url, message, content_type=None):
    body = plistlib.dumps({"UDID": device, **message})
    signature = cms.header(cms.sign(body, certificate, key, rest[0] if rest else digest, detached=True))
    headers = {"Mdm-Signature": signature, "Content-Type": content_type or "application/x-www-form-urlencoded"}
    return send("PUT", url, body, headers)


def check_in(message):
    return put(mdm.get("CheckInURL", mdm["ServerURL"]), message, "application/x-apple-aspen-mdm-checkin")


def declarative(endpoint):
    return check_in({"MessageType": "DeclarativeManagement", "Endpoint": endpoint})


status, _ = check_in({"MessageType": "Authenticate", "Topic": mdm["Topic"], "DeviceName": "another make"})
if rest:
    print("authenticate", status)
    sys.exit(0)
assert status == 200, status
status, _ = check_in({
    "MessageType": "TokenUpdate", "Topic": mdm["Topic"], "PushMagic": "magic", "Token": b"token"})
assert status == 200, status
print("enrolled")
status, answer = put(mdm["ServerURL"], {"Status": "Idle"})
while status == 200 and answer:
    command = plistlib.loads(answer)
    print("command", command["Command"]["RequestType"])
    status, answer = put(
        mdm["ServerURL"], {"Status": "Acknowledged", "CommandUUID": command["CommandUUID"]})
assert status == 200, status
status, tokens = declarative("tokens")
assert status == 200 and b"DeclarationsToken" in tokens, status
status, items = declarative("declaration-items")
assert status == 200 and b"Configurations" in items, status
print("declarations")
status, _ = check_in({"MessageType": "CheckOut", "Topic": mdm["Topic"]})
assert status == 200, status
print("left")
