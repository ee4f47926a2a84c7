#!/usr/bin/env bash
# Sends a message, and writes what became of it to GITHUB_OUTPUT. Ends with the exit code of sms.
set -u

# A mask covers one line, without the white space around it, which sms drops. A runner reads "%25" as a percent sign.
while read -r line; do
  [ -z "$line" ] || echo "::add-mask::${line//%/%25}"
done <<<"${SMS_API_KEY//$'\r'/$'\n'}"
answer=$(mktemp)
failure=$(mktemp)
trap 'rm -f "$answer" "$failure"' EXIT

options=(--json --no-input --yes)
count=0
while read -r number; do
  [ -n "$number" ] || continue
  options+=("--to=$number")
  case "$number" in @*) count=2 ;; *) count=$((count + 1)) ;; esac
done <<<"${TO//,/$'\n'}"
# To several it is a run, and the name of a run never sends twice.
once=--once
[ "$count" -le 1 ] || once=--run
[ -z "$SENDER" ] || options+=("--sender=$SENDER")
[ -z "$ONCE_KEY" ] || options+=("$once=$ONCE_KEY")
[ -z "$FOR" ] || options+=("--for=$FOR")
[ -z "$COUNTRY" ] || options+=("--country=$COUNTRY")
[ -z "$EXPECT" ] || options+=("--expect=$EXPECT")
[ -z "$MAX_CREDITS" ] || options+=("--max-credits=$MAX_CREDITS")
case "$LITERAL" in
  true) options+=(--literal) ;;
  "" | false) ;;
  *) options+=("--literal=$LITERAL") ;;
esac
# As a value of --message, a text that begins with a dash would look like an option.
printf %s "$MESSAGE" | sms send "${options[@]}" >"$answer" 2>"$failure"
code=${PIPESTATUS[1]}
node "${BASH_SOURCE[0]%/*}/results.mjs" "$code" "$answer" "$failure"
exit "$code"
