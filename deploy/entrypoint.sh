#!/bin/sh
# Secrets by file, as orchestrators mount them: NAME_FILE becomes NAME where NAME itself is not set. The gateway reads
# REPERTOIRE_SECRET_KEY_FILE by itself. Nothing is printed, and the gateway takes the place of this shell, so that it
# gets the signals.
set -eu

if [ -z "${REPERTOIRE_DATABASE_URL:-}" ] && [ -n "${REPERTOIRE_DATABASE_URL_FILE:-}" ]; then
  REPERTOIRE_DATABASE_URL=$(cat "$REPERTOIRE_DATABASE_URL_FILE")
  export REPERTOIRE_DATABASE_URL
fi
if [ -z "${REPERTOIRE_TOKEN:-}" ] && [ -n "${REPERTOIRE_TOKEN_FILE:-}" ]; then
  REPERTOIRE_TOKEN=$(cat "$REPERTOIRE_TOKEN_FILE")
  export REPERTOIRE_TOKEN
fi
unset REPERTOIRE_DATABASE_URL_FILE REPERTOIRE_TOKEN_FILE

exec node /app/dist/main.js "$@"
