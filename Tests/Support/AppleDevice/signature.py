"""`Mdm-Signature`: a detached CMS SignedData over the body of a request, as Apple's systems write it (RFC 5652 §5)."""
import base64
import datetime
import hashlib

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa

import ber

DATA, SIGNED_DATA = "1.2.840.113549.1.7.1", "1.2.840.113549.1.7.2"
CONTENT_TYPE, MESSAGE_DIGEST, SIGNING_TIME = (f"1.2.840.113549.1.9.{number}" for number in (3, 4, 5))
RSA = "1.2.840.113549.1.1.1"
DIGESTS = {
    "sha1": ("1.3.14.3.2.26", hashes.SHA1, "1.2.840.10045.4.1"),
    "sha256": ("2.16.840.1.101.3.4.2.1", hashes.SHA256, "1.2.840.10045.4.3.2"),
    "sha512": ("2.16.840.1.101.3.4.2.3", hashes.SHA512, "1.2.840.10045.4.3.4"),
}


def issuer_and_serial(certificate):
    return ber.definite(0x30, certificate.issuer.public_bytes(), ber.integer(certificate.serial_number))


def attribute(name, value):
    return ber.definite(0x30, ber.identifier(name), ber.definite(0x31, value))


def signing_time():
    now = datetime.datetime.now(datetime.timezone.utc)
    return attribute(SIGNING_TIME, ber.definite(0x17, now.strftime("%y%m%d%H%M%SZ").encode()))


def signed_data(content, certificate, key, digest="sha256", attributes=None, detached=True, opened=True):
    """SignedData by one signer, whose certificate goes with it.

    `attributes` are those beside type and digest; without any list the signature is over the content itself (RFC 5652
    §5.4). `opened` leaves the lengths of the outer elements open.
    """
    name, algorithm, with_elliptic = DIGESTS[digest]
    wrap = ber.left_open if opened else ber.definite
    covered, shown = content, b""
    if attributes is not None:
        inner = b"".join(sorted([
            attribute(CONTENT_TYPE, ber.identifier(DATA)),
            attribute(MESSAGE_DIGEST, ber.octets(hashlib.new(digest, content).digest())), *attributes]))
        covered, shown = ber.definite(0x31, inner), ber.definite(0xA0, inner)
    if isinstance(key, rsa.RSAPrivateKey):
        signature, how = key.sign(covered, padding.PKCS1v15(), algorithm()), ber.algorithm(RSA)
    else:
        signature = key.sign(covered, ec.ECDSA(algorithm()))
        how = ber.definite(0x30, ber.identifier(with_elliptic))
    signer = ber.definite(
        0x30, ber.integer(1), issuer_and_serial(certificate), ber.algorithm(name), shown, how, ber.octets(signature))
    if detached:
        inside = wrap(0x30, ber.identifier(DATA))
    elif opened:
        inside = wrap(0x30, ber.identifier(DATA), wrap(0xA0, ber.segmented(0x24, content)))
    else:
        inside = wrap(0x30, ber.identifier(DATA), wrap(0xA0, ber.octets(content)))
    der = certificate.public_bytes(serialization.Encoding.DER)
    signed = wrap(
        0x30, ber.integer(1), ber.definite(0x31, ber.algorithm(name)), inside, wrap(0xA0, der),
        ber.definite(0x31, signer))
    return wrap(0x30, ber.identifier(SIGNED_DATA), wrap(0xA0, signed))


# The forms of the header that were seen, by name.
FORMS = {
    "ber-bare": {},
    "ber-attributes": {"attributes": True},
    "der-attributes": {"attributes": True, "opened": False},
    "sha1": {"digest": "sha1"},
}


def header(body, certificate, key, form="ber-bare"):
    shape = dict(FORMS[form])
    if shape.pop("attributes", False):
        shape["attributes"] = [signing_time()]
    return base64.b64encode(signed_data(body, certificate, key, **shape)).decode()
