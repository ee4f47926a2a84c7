/**
 * Words that people type, with a space between them; an option of one letter has its dash. They mean the first of the options
 * or commands that exists, or there is a sentence to say about them.
 */
export type Synonyms = Readonly<Record<string, readonly string[] | string>>;

export const keyAdvice =
  "keys are never flags, because others can see flags: `sms login` and `sms keys add NAME` ask for one, or set SMS_API_KEY, SMS_API_KEY_FILE or SMS_API_KEY_CMD";
const accountAdvice =
  "passwords are never flags, because others can see flags: `sms login --email ADDRESS` asks for one, or set SMS_EMAIL and SMS_PASSWORD";
const scheduleAdvice = "the service sends at once: for later, run `sms send` from cron or at";

/** What people type for an option. */
const optionSynonyms: Synonyms = {
  "from sender-name sender-id-name from-name originator source": ["--sender"],
  "sender-id": ["--sender, which takes an identifier too"],
  "text body content msg data -b -d -M": ["--message"],
  "phone phone-number number numbers tel mobile msisdn destination dest": ["--to"],
  recipient: ["--to, or --recipients for a file"],
  "file csv contacts list input-file bulk -f -i": ["--recipients", "--message-file"],
  "template body-file text-file": ["--message-file"],
  "test testing": ["--sandbox or --expect test"],
  "live production prod": ["--expect live"],
  "base-url url host endpoint server api-url api-base": ["--base-url", "--url"],
  "debug trace log-level -vv -vvv": ["--verbose"],
  "-v": ["--verbose, or --version (-V)", "--version (-V)"],
  "dryrun dry simulate noop no-send check pretend": ["--dry-run"],
  "budget limit max max-cost max-price credit-limit": ["--max-credits"],
  "rps throttle speed per-minute rate-limit": ["--rate"],
  tier: ["--rate free, --rate starter or --rate professional"],
  "parallel jobs workers threads -j -P": ["--concurrency"],
  "max-time connect-timeout": ["--timeout"],
  wait: ["--wait-for", "--timeout"],
  "retry max-retries tries attempts": ["--retries"],
  "skip ignore except blocklist blacklist opt-out optout": ["--exclude"],
  "column phone-column number-column": ["--to-column"],
  "country-code region locale cc -c": ["--country"],
  "name job campaign run-name": ["--run", "--key-name"],
  "idempotency-key idempotency": ["--once", "--run"],
  "ascii gsm gsm-7 transliterate no-unicode smart-encoding": ["--gsm7"],
  "raw no-template verbatim": ["--literal"],
  silent: ["--quiet"],
  "no-colour nocolor no-colors plain": ["--no-color"],
  "non-interactive noninteractive batch no-prompt": ["--no-input"],
  "account context": ["--profile"],
  "zone time-zone timezone tz": ['--between "08:00-20:00 Africa/Nairobi"'],
  "any-time anytime": ["--between any"],
  "redirect-max": ["--first N beside --redirect-to"],
  expect: ["--expect-messages"],
  "-? -help h usage": ["--help"],
  "from until date": ["--since", "--month"],
  "day group group-by": ["--by"],
  "last count top head -n": ["--limit"],
  "api-key apikey key token auth-token access-token secret auth bearer authorization -H": keyAdvice,
  "email password user username account-sid -u": accountAdvice,
  "server endpoint host url base-url api-url api-base":
    "set SMS_BASE_URL, or store the address with `sms login --base-url URL`",
  "force assume-yes confirm no-confirm":
    "nothing can be forced; at a terminal sms asks before it sends to many or deletes",
  "resume continue": "`sms runs resume NAME` continues a run",
  "dedupe unique dedup": "a number that occurs twice gets one message, without an option",
  "output out -o": "results go to standard output: > FILE keeps them",
  "schedule at send-at delay later": scheduleAdvice,
  "accept-price": "leave it out: `sms runs resume NAME --accept-price` goes on after a charge that is not as estimated",
  strict: "leave it out: after -- the exit code is always the command's own",
  "on-interrupt": "leave it out: after Ctrl-C nothing is sent",
  "media mms image attachment": "the service sends only text",
  "insecure no-check-certificate -k":
    "no option turns certificate checks off: NODE_EXTRA_CA_CERTS names a file of further authorities",
  "proxy -x": "HTTPS_PROXY and HTTP_PROXY name the proxy",
  "shell -s": "name the shell as a word: `sms completion bash`",
};

/** What people type for a command. */
const commandSynonyms: Synonyms = {
  "whoami auth me account info balance credits quota context current": ["status"],
  "config settings setting defaults": ["status", "profiles"],
  "doctor ping health diagnose": ["status --check"],
  "logs log events activity sent": ["history"],
  "cost usage bill billing spending price pricing": ["spend"],
  "sanitize sanitise normalize normalise tidy scrub list lists recipients contacts convert": ["clean"],
  "message msg text sms push notify post new create deliver": ["send"],
  "bulk broadcast campaign batch blast": ["send --recipients FILE"],
  "dry-run dryrun test": ["send --dry-run"],
  "messages inbox": ["sandbox messages"],
  version: ["--version"],
  "signin sign-in log-in configure init setup register": ["login"],
  "signout sign-out log-out": ["logout"],
  "server serve start mock dev emulator listen trial try demo": ["sandbox"],
  "count segments length estimate lint": ["preview"],
  "key api-key api-keys apikeys token tokens credentials": ["keys"],
  "profile accounts contexts": ["profiles"],
  "run job jobs batches campaigns": ["runs"],
  "block blocklist unsubscribe stop opt-out suppress": ["optout"],
  "completions autocomplete": ["completion"],
  "resume continue retry": ["runs resume"],
  export: ["runs export"],
  rotate: ["keys rotate"],
  "env variables": ["help environment"],
  "docs man manual commands h": ["help"],
  "sender senders": "the dashboard lists sender IDs, and `sms profiles set sender NAME` chooses the default",
  "update upgrade": "install the new version as you installed this one",
  schedule: scheduleAdvice,
};

/** What people type for a verb, in every group that has the one they mean. */
const verbSynonyms: Synonyms = {
  "all index": ["list"],
  "delete del erase forget drop destroy revoke": ["remove"],
  "create new import store save put": ["add"],
  "switch select activate choose default": ["use"],
  "mv move": ["rename"],
  "check test validate ping": ["verify"],
  "roll renew replace": ["rotate"],
  "continue retry restart rerun": ["resume"],
  "get view show describe info inspect status cat results": ["show", "list"],
  "download csv dump save": ["export"],
  "edit update change config unset": ["set"],
  "release free": ["unlock"],
};

/** What people type for a verb in one group, when they mean another command. */
const groupSynonyms: Readonly<Record<string, Synonyms>> = {
  profiles: {
    "create add new login": ["login --profile NAME"],
    "show get current status": ["status --profile NAME"],
  },
  keys: { current: ["status"] },
  runs: {
    "create new add start run send": ["send --run NAME"],
    "cancel stop kill abort pause": "Ctrl-C stops a run, and `sms runs resume` continues it",
  },
  sandbox: {
    "start serve run up": ["sandbox"],
    "stop down kill": "Ctrl-C stops a sandbox, in the shell where it runs",
  },
};

/** What to say about an argument of a command that takes none. */
const argumentAdvice: Readonly<Record<string, string>> = {
  send: "a number needs --to, a file of numbers --recipients, and a text --message, each in quotes if it has spaces",
  preview: "a text needs --message, in quotes if it has spaces, and a file --message-file",
  status: "--profile NAME chooses a profile",
  logout: "--profile NAME chooses a profile",
  login: "--base-url URL gives the address, and --profile NAME the profile",
  spend: "--month YYYY-MM chooses a month",
  history: "--to NUMBER lists what was sent to a number, and --limit N the latest",
  "runs list": "`sms runs show NAME` shows one run",
  "keys list": "--profile NAME chooses a profile",
  sandbox: "--port PORT chooses the port",
  clean: "-o FILE writes the usable rows to a file",
  record: "it is chosen by SMS_RECORD or `sms profiles set record URL`",
};

export const synonyms = {
  options: optionSynonyms,
  commands: commandSynonyms,
  verbs: verbSynonyms,
  groups: groupSynonyms,
  arguments: argumentAdvice,
} as const;
