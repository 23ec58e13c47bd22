#!/bin/sh
# A backup in shell that an administrator configures; started by: martlet-agent exec com.example.backup -- backup.sh
target=${CONFIG_SERVER__HOST:-nowhere}:${CONFIG_SERVER__PORT:-22}
password=$(cat "$MARTLET_FILES/secrets/password/backup" 2>/dev/null) || { echo "no password for $target"; exit 1; }
echo "would send $HOME to $target with a password of ${#password} letters"
