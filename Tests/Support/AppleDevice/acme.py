"""An identity by ACME (RFC 8555) with the challenge `device-attest-01`, for a key that nothing attests."""
import base64
import json
import time

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

import scep

# A CBOR map: fmt is none, attStmt is empty.
NO_STATEMENT = b"\xa2\x63fmt\x64none\x67attStmt\xa0"


def text(content):
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


class Account:
    """An account with a key of its own; every request is signed by it."""

    def __init__(self, directory_url, ask):
        self.ask, self.url, self.nonce = ask, None, None
        self.key = ec.generate_private_key(ec.SECP256R1())
        status, _, body = ask("GET", directory_url, None, None)
        assert status == 200, ("the directory", status)
        self.directory = json.loads(body)
        _, headers, _ = self.post(self.directory["newAccount"], {"termsOfServiceAgreed": True}, 201)
        self.url = headers["location"]

    def post(self, url, payload, *expected):
        """A signed request; without a payload what is there is read."""
        if self.nonce is None:
            _, headers, _ = self.ask("HEAD", self.directory["newNonce"], None, None)
            self.nonce = headers["replay-nonce"]
        head = {"alg": "ES256", "nonce": self.nonce, "url": url}
        head.update({"kid": self.url} if self.url else {"jwk": self.public()})
        parts = text(json.dumps(head).encode()), "" if payload is None else text(json.dumps(payload).encode())
        r, s = decode_dss_signature(self.key.sign(".".join(parts).encode(), ec.ECDSA(hashes.SHA256())))
        signed = text(r.to_bytes(32, "big") + s.to_bytes(32, "big"))
        body = {"protected": parts[0], "payload": parts[1], "signature": signed}
        status, headers, answer = self.ask("POST", url, json.dumps(body).encode(), "application/jose+json")
        self.nonce = headers.get("replay-nonce")
        assert status in (expected or (200,)), ("ACME", url, status, answer[:300])
        return status, headers, answer

    def public(self):
        numbers = self.key.public_key().public_numbers()
        x, y = (text(number.to_bytes(32, "big")) for number in (numbers.x, numbers.y))
        return {"crv": "P-256", "kty": "EC", "x": x, "y": y}

    def read(self, url, wanted, patience=60):
        """An order or authorization as soon as it has a status; asks again after pauses that grow."""
        deadline, pause = time.monotonic() + patience, 0.02
        while True:
            found = json.loads(self.post(url, None)[2])
            if found["status"] in wanted:
                return found
            assert found["status"] != "invalid" and time.monotonic() < deadline, found
            time.sleep(pause)
            pause = min(pause * 2, 1)


def new_key(payload):
    if payload["KeyType"] == "RSA":
        return rsa.generate_private_key(public_exponent=65537, key_size=payload["KeySize"])
    return ec.generate_private_key({256: ec.SECP256R1, 384: ec.SECP384R1}[payload["KeySize"]]())


def obtain(payload, ask):
    """The identity that an ACME payload describes; `ask` is as for SCEP."""
    assert not payload["Attest"], "this device has no chip whose maker vouches for a key"
    account, key = Account(payload["DirectoryURL"], ask), new_key(payload)
    wish = {"identifiers": [{"type": "permanent-identifier", "value": payload["ClientIdentifier"]}]}
    _, headers, body = account.post(account.directory["newOrder"], wish, 201)
    place, order = headers["location"], json.loads(body)
    authorization = json.loads(account.post(order["authorizations"][0], None)[2])
    challenge = next(one for one in authorization["challenges"] if one["type"] == "device-attest-01")
    account.post(challenge["url"], {"attObj": text(NO_STATEMENT)})
    account.read(order["authorizations"][0], ("valid",))
    name = scep.subject(payload["Subject"])
    request = x509.CertificateSigningRequestBuilder().subject_name(name).sign(key, hashes.SHA256())
    order = account.read(place, ("ready",))
    account.post(order["finalize"], {"csr": text(request.public_bytes(serialization.Encoding.DER))})
    order = account.read(place, ("valid",))
    chain = x509.load_pem_x509_certificates(account.post(order["certificate"], None)[2])
    assert chain[0].public_key() == key.public_key(), "the certificate is for another key"
    return key, chain[0]
