#!/usr/bin/env bash
# Installs the version of sms that this action is part of: its tag names it, and nobody can publish it again.
set -eu

package=$(cd "$GITHUB_ACTION_PATH/../../.." && pwd)/package.json
version=$(node -p 'const { name, version } = require(process.argv[1]); name === "sms-cli" ? version : ""' "$package") || version=
if [ -z "$version" ]; then
  echo "::error::The action is not in the repository of sms-cli, so its version is not known. Name it by its tag."
  exit 1
fi
# A job may have installed it, from a copy of the repository for example.
[ "$(sms --version 2>/dev/null)" != "$version" ] || exit 0
npm install --global --ignore-scripts --no-audit --no-fund "sms-cli@$version"
