#!/usr/bin/env bash
# Sends one message, and writes what became of it to GITHUB_OUTPUT. Ends with the exit code of sms.
set -uo pipefail

echo "::add-mask::$SMS_API_KEY"
answer=$(mktemp)
failure=$(mktemp)
trap 'rm -f "$answer" "$failure"' EXIT

options=("--to=$TO" --json --no-input)
[ -z "$SENDER" ] || options+=("--sender=$SENDER")
[ -z "$ONCE_KEY" ] || options+=("--once=$ONCE_KEY")
# As a value of --message, a text that begins with a dash would look like an option.
printf %s "$MESSAGE" | sms send "${options[@]}" >"$answer" 2>"$failure"
code=$?
cat "$answer"
cat "$failure" >&2

# The last line of either is JSON: a receipt, or why there is none.
field() { node -e '
  const [path, name, missing] = process.argv.slice(1);
  const line = require("node:fs").readFileSync(path, "utf8").trim().split("\n").at(-1);
  let value;
  try { value = JSON.parse(line)[name]; } catch {}
  process.stdout.write(/^[\w-]+$/.test(value) ? value : missing);
' "$@"; }
if [ "$code" = 0 ]; then outcome=accepted; else outcome=$(field "$failure" outcome none); fi
{
  echo "message-id=$(field "$answer" messageId "")"
  echo "outcome=$outcome"
  echo "exit-code=$code"
} >>"$GITHUB_OUTPUT"
exit "$code"
