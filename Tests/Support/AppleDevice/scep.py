"""An identity by SCEP (RFC 8894), in the order and the forms of Apple's systems."""
import datetime
import hashlib
import os
import secrets
import urllib.parse

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.padding import PKCS7
from cryptography.hazmat.primitives.serialization import pkcs7
from cryptography.x509.oid import AttributeOID, NameOID

import ber
import signature

ENVELOPED_DATA, AES_128 = "1.2.840.113549.1.7.3", "2.16.840.1.101.3.4.1.2"
MESSAGE_TYPE, STATUS, FAIL_INFO, SENDER_NONCE, RECIPIENT_NONCE, TRANSACTION = (
    f"2.16.840.1.113733.1.9.{number}" for number in range(2, 8))
NAMES = {"CN": NameOID.COMMON_NAME, "O": NameOID.ORGANIZATION_NAME, "OU": NameOID.ORGANIZATIONAL_UNIT_NAME}


def subject(parts):
    """A profile's `Subject`: arrays of arrays of pairs."""
    return x509.Name([
        x509.NameAttribute(NAMES.get(kind) or x509.ObjectIdentifier(kind), text)
        for part in parts for kind, text in part])


def self_signed(key):
    """The certificate of the message's signer, which no authority has certified yet."""
    now, day = datetime.datetime.now(datetime.timezone.utc), datetime.timedelta(days=1)
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "MDM SCEP SIGNER")])
    return (
        x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key())
        .serial_number(x509.random_serial_number()).not_valid_before(now - day).not_valid_after(now + day)
        .sign(key, hashes.SHA256()))


def request(key, payload):
    usage = payload.get("Key Usage", 0)
    extension = x509.KeyUsage(
        digital_signature=bool(usage & 1), key_encipherment=bool(usage & 4), content_commitment=False,
        data_encipherment=False, key_agreement=False, key_cert_sign=False, crl_sign=False, encipher_only=False,
        decipher_only=False)
    builder = x509.CertificateSigningRequestBuilder().subject_name(subject(payload["Subject"]))
    builder = builder.add_extension(extension, critical=True)
    builder = builder.add_attribute(AttributeOID.CHALLENGE_PASSWORD, payload["Challenge"].encode())
    return builder.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.DER)


def sealed(content, recipient):
    """EnvelopedData in BER, its content in pieces: what servers with a reader of DER alone fail at."""
    secret, vector = os.urandom(16), os.urandom(16)
    padder = PKCS7(128).padder()
    encryptor = Cipher(algorithms.AES(secret), modes.CBC(vector)).encryptor()
    encrypted = encryptor.update(padder.update(content) + padder.finalize()) + encryptor.finalize()
    to = ber.definite(
        0x30, ber.integer(0), signature.issuer_and_serial(recipient), ber.algorithm(signature.RSA),
        ber.octets(recipient.public_key().encrypt(secret, padding.PKCS1v15())))
    cipher = ber.definite(0x30, ber.identifier(AES_128), ber.octets(vector))
    inside = ber.left_open(0x30, ber.identifier(signature.DATA), cipher, ber.segmented(0xA0, encrypted))
    data = ber.left_open(0x30, ber.integer(0), ber.definite(0x31, to), inside)
    return ber.left_open(0x30, ber.identifier(ENVELOPED_DATA), ber.left_open(0xA0, data))


def opened(envelope, key):
    data = ber.Element(envelope).children()[1].children()[0].children()
    secret = key.decrypt(data[1].children()[0].children()[3].string(), padding.PKCS1v15())
    _, cipher, encrypted = data[2].children()
    decryptor = Cipher(algorithms.AES(secret), modes.CBC(cipher.children()[1].string())).decryptor()
    plain = decryptor.update(encrypted.string()) + decryptor.finalize()
    unpadder = PKCS7(128).unpadder()
    return unpadder.update(plain) + unpadder.finalize()


def verified(answer, authority):
    """Attributes and content of an answer that the authority signed over signed attributes."""
    signed = ber.Element(answer).children()[1].children()[0].children()
    signer = ber.Element(signed[-1].content).children()
    attributes = next(part for part in signer if part.tag == 0xA0)
    digests = {ber.Element(ber.identifier(name)).content: made for name, made, _ in signature.DIGESTS.values()}
    made = digests[signer[2].children()[0].content]
    authority.public_key().verify(
        signer[-1].string(), ber.definite(0x31, attributes.content), padding.PKCS1v15(), made())
    found = {part.children()[0].bytes: part.children()[1].children()[0] for part in attributes.children()}
    inside = signed[2].children()
    content = inside[1].children()[0].string() if len(inside) > 1 else b""
    whole = hashes.Hash(made())
    whole.update(content)
    assert found[ber.identifier(signature.MESSAGE_DIGEST)].content == whole.finalize(), "the answer's digest"
    return {name: found[ber.identifier(name)].content for name in (STATUS, FAIL_INFO, RECIPIENT_NONCE, TRANSACTION)
            if ber.identifier(name) in found}, content


def obtain(payload, ask):
    """The identity that a SCEP payload describes.

    `ask(method, url, body, content_type)` answers status, headers in small letters, body.
    """
    def operation(name):
        words = {"operation": name, "message": payload.get("Name", "")}
        query = urllib.parse.urlencode(words, quote_via=urllib.parse.quote)
        status, headers, body = ask("GET", f"{payload['URL']}?{query}", None, None)
        assert status == 200, (name, status, body)
        return headers, body

    headers, body = operation("GetCACert")
    # Of several certificates Apple's client wants an authority with a separate signer: one that is alone must say so.
    assert headers["content-type"] == "application/x-x509-ca-cert", headers["content-type"]
    authority = x509.load_der_x509_certificate(body)
    if "CAFingerprint" in payload:
        hashed = {16: hashlib.md5, 20: hashlib.sha1, 32: hashlib.sha256}[len(payload["CAFingerprint"])]
        assert hashed(body).digest() == payload["CAFingerprint"], "another authority than the profile's"
    capabilities = operation("GetCACaps")[1].decode().split()
    assert "POSTPKIOperation" in capabilities and "AES" in capabilities, capabilities
    digest = next(name for name in ("sha512", "sha256") if name.upper().replace("SHA", "SHA-") in capabilities)
    key = rsa.generate_private_key(public_exponent=65537, key_size=payload.get("Keysize", 1024))
    signer = self_signed(key)
    public = key.public_key().public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
    transaction, nonce = hashlib.sha1(public).hexdigest().upper(), secrets.token_bytes(16)
    message = signature.signed_data(
        sealed(request(key, payload), authority), signer, key, digest, [
            signature.attribute(TRANSACTION, ber.printable(transaction)),
            signature.attribute(MESSAGE_TYPE, ber.printable("19")),
            signature.attribute(SENDER_NONCE, ber.octets(nonce))], detached=False)
    status, _, answer = ask("POST", f"{payload['URL']}?operation=PKIOperation", message, "application/x-pki-message")
    assert status == 200, ("PKIOperation", status, answer[:200])
    attributes, content = verified(answer, authority)
    assert attributes[STATUS] == b"0", ("SCEP refused", attributes)
    assert attributes[RECIPIENT_NONCE] == nonce and attributes[TRANSACTION] == transaction.encode(), attributes
    certificates = pkcs7.load_der_pkcs7_certificates(opened(content, key))
    own = next(one for one in certificates if one.public_key() == key.public_key())
    own.verify_directly_issued_by(authority)
    return key, own
