#!/usr/bin/env bash
# Sends one message, and writes what became of it to GITHUB_OUTPUT. Ends with the exit code of sms.
set -u

# A mask covers one line, without the white space around it, which sms drops. A runner reads "%25" as a percent sign.
while read -r line; do
  [ -z "$line" ] || echo "::add-mask::${line//%/%25}"
done <<<"${SMS_API_KEY//$'\r'/$'\n'}"
answer=$(mktemp)
failure=$(mktemp)
trap 'rm -f "$answer" "$failure"' EXIT

options=("--to=$TO" --json --no-input)
[ -z "$SENDER" ] || options+=("--sender=$SENDER")
[ -z "$ONCE_KEY" ] || options+=("--once=$ONCE_KEY")
# As a value of --message, a text that begins with a dash would look like an option.
printf %s "$MESSAGE" | sms send "${options[@]}" >"$answer" 2>"$failure"
code=${PIPESTATUS[1]}
cat "$answer"
cat "$failure" >&2

# The last line of either is JSON: a receipt, or why there is none.
field() { node -e '
  const [path, name] = process.argv.slice(1);
  try {
    const value = JSON.parse(require("node:fs").readFileSync(path, "utf8").trim().split("\n").at(-1))[name];
    if (/^[\w-]+$/.test(value ?? "")) process.stdout.write(String(value));
  } catch {}
' "$@"; }
outcome=$(field "$failure" outcome)
if [ "$code" = 0 ]; then
  outcome=accepted
elif [ -z "$outcome" ]; then
  case "$code,$(field "$failure" exitCode)" in
    126,* | 127,*) outcome=none ;;    # The shell had no sms to start.
    1,* | *,) outcome=uncertain ;;    # A fault of sms itself, or it ended without a word: it may have sent.
    *) outcome=none ;;                # It says why it ended, and that there was no message.
  esac
fi
{
  echo "message-id=$(field "$answer" messageId)"
  echo "outcome=$outcome"
  echo "exit-code=$code"
} >>"$GITHUB_OUTPUT"
exit "$code"
