#!/usr/bin/env bash
# Signs a standalone program: with the certificate in CERTIFICATE (base64 of a .p12), or without an identity if there is none.
set -euo pipefail

file=$1
identity=-
if [ -n "${CERTIFICATE:-}" ]; then
  keychain="$RUNNER_TEMP/signing.keychain-db"
  password=$(openssl rand -hex 16)
  printf %s "$CERTIFICATE" | openssl base64 -d -A >"$RUNNER_TEMP/certificate.p12"
  security create-keychain -p "$password" "$keychain"
  security unlock-keychain -p "$password" "$keychain"
  security import "$RUNNER_TEMP/certificate.p12" -P "$CERTIFICATE_PASSWORD" -k "$keychain" -T /usr/bin/codesign
  security set-key-partition-list -S apple-tool:,apple: -k "$password" "$keychain" >/dev/null
  rm "$RUNNER_TEMP/certificate.p12"
  identity=$(security find-identity -v -p codesigning "$keychain" | awk 'NR == 1 { print $2 }')
fi
codesign --force --sign "$identity" --options runtime --entitlements "$(dirname "$0")/entitlements.plist" "$file"
codesign --verify --strict "$file"
