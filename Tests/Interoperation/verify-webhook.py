"""Has PyPI's standardwebhooks judge an event: what it was sent with stands in a JSON file."""

import base64
import json
import sys

from standardwebhooks.webhooks import Webhook, WebhookVerificationError

with open(sys.argv[1]) as file:
    event = json.load(file)
headers = {"webhook-" + name: event[name] for name in ("id", "timestamp", "signature")}
try:
    Webhook(event["secret"]).verify(base64.b64decode(event["body"]), headers)
except WebhookVerificationError as refusal:
    print("refused:", refusal)
    sys.exit(1)
print("genuine")
