#!/bin/sh
# Makes the secrets of compose.yaml, once: deploy/secrets/ has a file for each. What is there already stays.
#
# Compose hands a file to a container as it is on the machine, and the gateway has uid 10001 there. So the files can be
# read by everybody, and the folder, which containers do not see, only by you.
set -eu
cd "$(dirname "$0")"

mkdir -p secrets
chmod 0700 secrets
cd secrets
umask 022

random() { head -c 32 /dev/urandom | base64 | tr '+/' '-_' | tr -d '=\n'; }
make() { if [ ! -e "$1" ]; then printf '%s' "$2" >"$1"; echo "made deploy/secrets/$1"; fi; }

make postgres-password "$(random)"
make database-url "postgres://repertoire:$(cat postgres-password)@postgres:5432/repertoire"
make secret-key "$(random)"
make token "$(random)"
