"""PyPI's PyScep against a server that issues device certificates for an enrollment code.

usage: scep_client.py SCEP_URL CHALLENGE FOLDER    (REQUESTS_CA_BUNDLE names whom to trust)

Leaves in FOLDER the certificate it got (certificate.der) and its key (key.pem), and says what it did, one word a line.
"""
import re
import sys

# PyScep's oscrypto reads OpenSSL's version with one digit for each part, and there is an OpenSSL 3.0.19.
search, one_digit = re.search, r"\b(\d\.\d\.\d[a-z]*)\b"
re.search = lambda pattern, *rest: search(r"\b(\d\.\d\.\d+)\b" if pattern == one_digit else pattern, *rest)
from scep import Client  # noqa: E402

re.search = search

url, challenge, folder = sys.argv[1:]
purposes = {"digital_signature", "key_encipherment"}
client = Client.Client(url)


def enrol(password):
    identity, identity_key = Client.SigningRequest.generate_self_signed(cn="PyScep", key_usage=purposes)
    request, key = Client.SigningRequest.generate_csr(
        cn="device of another make", key_usage=purposes, password=password, private_key=identity_key)
    return client.enrol(csr=request, identity=identity, identity_private_key=identity_key), key


answer, _ = enrol("a guess")
assert answer.status.name == "FAILURE", "a guessed challenge"
print("guess refused")
answer, key = enrol(challenge)
assert answer.status.name == "SUCCESS", answer.status
certificate = answer.certificates[0]
with open(f"{folder}/certificate.der", "wb") as file:
    file.write(certificate.to_der())
with open(f"{folder}/key.pem", "wb") as file:
    file.write(key.to_pem())
print("certificate")
answer, _ = enrol(challenge)
assert answer.status.name == "FAILURE", "the same challenge for another key"
print("reuse refused")
