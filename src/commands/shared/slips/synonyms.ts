/**
 * Words that people type, with a space between them; an option of one letter has its dash. They mean the first of the options
 * or commands that exists, or there is a sentence to say about them.
 */
export type Synonyms = Readonly<Record<string, readonly string[] | string>>;

export const keyAdvice =
  "keys are never flags, because others can see flags: `sms login` and `sms keys add NAME` ask for one, or set SMS_API_KEY, SMS_API_KEY_FILE or SMS_API_KEY_CMD";
const accountAdvice =
  "passwords are never flags, because others can see flags: `sms login --email ADDRESS` asks for one, or set SMS_EMAIL and SMS_PASSWORD";

const optionSynonyms: Synonyms = {
  "from sender-name sender-id-name originator source": ["--sender"],
  "sender-id": ["--sender, which takes an identifier too"],
  "text body content msg data -b -d": ["--message"],
  "phone number numbers recipient mobile msisdn destination": ["--to"],
  "file csv contacts list input-file -f -i": ["--recipients", "--message-file"],
  "template body-file": ["--message-file"],
  test: ["--sandbox or --expect test"],
  "live production prod": ["--expect live"],
  "url host endpoint server api-url": ["--base-url", "--url"],
  "debug trace log-level -vv": ["--verbose"],
  "-v": ["--verbose, or --version (-V)", "--version (-V)"],
  "dryrun dry simulate no-send check": ["--dry-run"],
  "budget limit max max-cost": ["--max-credits"],
  "rps throttle per-minute rate-limit": ["--rate"],
  tier: ["--rate free, --rate starter or --rate professional"],
  "parallel jobs workers threads -j -P": ["--concurrency"],
  "max-time connect-timeout": ["--timeout"],
  wait: ["--wait-for", "--timeout"],
  "retry max-retries tries attempts": ["--retries"],
  "skip ignore except blocklist opt-out optout": ["--exclude"],
  "country-code region locale": ["--country"],
  "idempotency-key idempotency": ["--once", "--run"],
  silent: ["--quiet"],
  "no-colour plain": ["--no-color"],
  "zone time-zone timezone tz": ['--between "08:00-20:00 Africa/Nairobi"'],
  "any-time anytime": ["--between any"],
  "redirect-max": ["--first N beside --redirect-to"],
  expect: ["--expect-messages"],
  "-help usage": ["--help"],
  "from until date": ["--since", "--month"],
  "last count top -n": ["--limit"],
  "api-key apikey key token auth-token secret auth bearer -H": keyAdvice,
  "email password user username account-sid -u": accountAdvice,
  "base-url url host endpoint server api-url": "set SMS_BASE_URL, or store the address with `sms login --base-url URL`",
  "force assume-yes": "nothing can be forced; at a terminal sms asks before it sends to many or deletes",
  "resume continue": "`sms runs resume NAME` continues a run",
  "output out -o": "results go to standard output: > FILE keeps them",
  "schedule at send-at delay": "the service sends at once: for later, run `sms send` from cron or at",
  "accept-price": "leave it out: `sms runs resume NAME --accept-price` goes on after a charge that is not as estimated",
  strict: "leave it out: after -- the exit code is always the command's own",
  "on-interrupt": "leave it out: after Ctrl-C nothing is sent",
  "insecure -k": "no option turns certificate checks off: NODE_EXTRA_CA_CERTS names a file of further authorities",
  "proxy -x": "HTTPS_PROXY and HTTP_PROXY name the proxy",
};

const commandSynonyms: Synonyms = {
  "whoami auth me account info balance context": ["status"],
  "config settings": ["status", "profiles"],
  "doctor ping health": ["status --check"],
  "logs log events sent": ["history"],
  "cost usage bill billing price": ["spend"],
  "sanitize normalize list recipients contacts convert": ["clean"],
  "message text sms notify": ["send"],
  "bulk broadcast campaign batch": ["send --recipients FILE"],
  "dry-run test": ["send --dry-run"],
  "messages inbox": ["sandbox messages"],
  version: ["--version"],
  "signin configure init setup": ["login"],
  "signout log-out": ["logout"],
  "server serve start mock": ["sandbox"],
  "count segments length estimate": ["preview"],
  "key api-key token tokens credentials": ["keys"],
  "profile accounts contexts": ["profiles"],
  "run jobs batches campaigns": ["runs"],
  "block blocklist unsubscribe stop": ["optout"],
  "resume continue retry": ["runs resume"],
  "docs man": ["help"],
};

/** What people type for a verb, in every group that has the one they mean. */
const verbSynonyms: Synonyms = {
  "delete del revoke": ["remove"],
  "create import new": ["add"],
  "switch select default": ["use"],
  "continue retry restart": ["resume"],
  "get view describe status results": ["show", "list"],
  "download csv": ["export"],
  "edit update change config unset": ["set"],
};

const argumentAdvice: Readonly<Record<string, string>> = {
  send: "a number needs --to, a file of numbers --recipients, and a text --message, each in quotes if it has spaces",
  preview: "a text needs --message, in quotes if it has spaces, and a file --message-file",
  history: "--to NUMBER lists what was sent to a number, and --limit N the latest",
};

export const synonyms = {
  options: optionSynonyms,
  commands: commandSynonyms,
  verbs: verbSynonyms,
  arguments: argumentAdvice,
} as const;
