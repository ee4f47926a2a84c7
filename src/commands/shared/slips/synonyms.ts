/** Words that people type, and what they mean by them. */
export interface Synonym {
  /** With a space between them; an option of one letter has its dash. */
  readonly typed: string;
  /** Options or commands as they are typed. The first that exists counts. */
  readonly meant: readonly string[];
  /** What to say if none of them exists. */
  readonly advice?: string;
}

/** What to say about a key on the command line. */
export const keyAdvice =
  "keys are never flags, because others can see flags: `sms login` and `sms keys add NAME` ask for one, or set SMS_API_KEY, SMS_API_KEY_FILE or SMS_API_KEY_CMD";
const accountAdvice =
  "passwords are never flags, because others can see flags: `sms login --email ADDRESS` asks for one, or set SMS_EMAIL and SMS_PASSWORD";
const scheduleAdvice = "the service sends at once: for later, run `sms send` from cron or at";

/** What people type for an option. */
export const optionSynonyms: readonly Synonym[] = [
  { typed: "from sender-name sender-id-name from-name originator source", meant: ["--sender"] },
  { typed: "sender-id", meant: ["--sender, which takes an identifier too"] },
  { typed: "text body content msg data -b -d -M", meant: ["--message"] },
  { typed: "phone phone-number number numbers tel mobile msisdn destination dest", meant: ["--to"] },
  { typed: "recipient", meant: ["--to, or --recipients for a file"] },
  { typed: "file csv contacts list input-file bulk -f -i", meant: ["--recipients", "--message-file"] },
  { typed: "template body-file text-file", meant: ["--message-file"] },
  { typed: "test testing", meant: ["--sandbox or --expect test"] },
  { typed: "live production prod", meant: ["--expect live"] },
  {
    typed: "api-key apikey key token auth-token access-token secret auth bearer authorization -H",
    meant: [],
    advice: keyAdvice,
  },
  { typed: "email password user username account-sid -u", meant: [], advice: accountAdvice },
  {
    typed: "base-url url host endpoint server api-url api-base",
    meant: ["--base-url", "--url"],
    advice: "set SMS_BASE_URL, or store the address with `sms login --base-url URL`",
  },
  { typed: "debug trace log-level -vv -vvv", meant: ["--verbose"] },
  { typed: "-v", meant: ["--verbose, or --version (-V)", "--version (-V)"] },
  { typed: "dryrun dry simulate noop no-send check pretend", meant: ["--dry-run"] },
  {
    typed: "force assume-yes confirm no-confirm",
    meant: [],
    advice: "nothing can be forced; at a terminal sms asks before it sends to many or deletes",
  },
  { typed: "budget limit max max-cost max-price credit-limit", meant: ["--max-credits"] },
  { typed: "rps throttle speed per-minute rate-limit", meant: ["--rate"] },
  { typed: "tier", meant: ["--rate free, --rate starter or --rate professional"] },
  { typed: "parallel jobs workers threads -j -P", meant: ["--concurrency"] },
  { typed: "max-time connect-timeout", meant: ["--timeout"] },
  { typed: "wait", meant: ["--wait-for", "--timeout"] },
  { typed: "retry max-retries tries attempts", meant: ["--retries"] },
  { typed: "skip ignore except blocklist blacklist opt-out optout", meant: ["--exclude"] },
  { typed: "column phone-column number-column", meant: ["--to-column"] },
  { typed: "country-code region locale cc -c", meant: ["--country"] },
  { typed: "name job campaign run-name", meant: ["--run", "--key-name"] },
  { typed: "resume continue", meant: [], advice: "`sms runs resume NAME` continues a run" },
  { typed: "idempotency-key idempotency", meant: ["--once", "--run"] },
  { typed: "ascii gsm gsm-7 transliterate no-unicode smart-encoding", meant: ["--gsm7"] },
  { typed: "raw no-template verbatim", meant: ["--literal"] },
  { typed: "dedupe unique dedup", meant: [], advice: "a number that occurs twice gets one message, without an option" },
  { typed: "output out -o", meant: [], advice: "results go to standard output: > FILE keeps them" },
  { typed: "silent", meant: ["--quiet"] },
  { typed: "no-colour nocolor no-colors plain", meant: ["--no-color"] },
  { typed: "non-interactive noninteractive batch no-prompt", meant: ["--no-input"] },
  { typed: "account context", meant: ["--profile"] },
  { typed: "schedule at send-at delay later", meant: [], advice: scheduleAdvice },
  { typed: "zone time-zone timezone tz", meant: ['--between "08:00-20:00 Africa/Nairobi"'] },
  { typed: "any-time anytime", meant: ["--between any"] },
  { typed: "redirect-max", meant: ["--first N beside --redirect-to"] },
  {
    typed: "accept-price",
    meant: [],
    advice: "leave it out: `sms runs resume NAME --accept-price` goes on after a charge that is not as estimated",
  },
  { typed: "strict", meant: [], advice: "leave it out: after -- the exit code is always the command's own" },
  { typed: "on-interrupt", meant: [], advice: "leave it out: after Ctrl-C nothing is sent" },
  { typed: "media mms image attachment", meant: [], advice: "the service sends only text" },
  {
    typed: "insecure no-check-certificate -k",
    meant: [],
    advice: "no option turns certificate checks off: NODE_EXTRA_CA_CERTS names a file of further authorities",
  },
  { typed: "proxy -x", meant: [], advice: "HTTPS_PROXY and HTTP_PROXY name the proxy" },
  { typed: "shell -s", meant: [], advice: "name the shell as a word: `sms completion bash`" },
  { typed: "expect", meant: ["--expect-messages"] },
  { typed: "-?", meant: ["--help"] },
];

/** What people type for a command. */
export const commandSynonyms: readonly Synonym[] = [
  { typed: "whoami auth config me account info balance credits context current", meant: ["status"] },
  { typed: "doctor ping health diagnose", meant: ["status --check"] },
  { typed: "logs log events activity sent", meant: ["history"] },
  { typed: "cost usage bill billing spending", meant: ["spend"] },
  { typed: "message msg text sms push notify post new create deliver", meant: ["send"] },
  { typed: "bulk broadcast campaign batch blast", meant: ["send --recipients FILE"] },
  { typed: "dry-run dryrun test", meant: ["send --dry-run"] },
  { typed: "messages inbox", meant: ["sandbox messages"] },
  { typed: "version", meant: ["--version"] },
  { typed: "signin sign-in log-in configure init setup register", meant: ["login"] },
  { typed: "signout sign-out log-out", meant: ["logout"] },
  { typed: "server serve start mock dev emulator listen trial try demo", meant: ["sandbox"] },
  { typed: "count segments length estimate lint", meant: ["preview"] },
  { typed: "key api-key api-keys apikeys token tokens credentials", meant: ["keys"] },
  { typed: "profile accounts contexts", meant: ["profiles"] },
  { typed: "run job jobs batches campaigns", meant: ["runs"] },
  { typed: "block blocklist unsubscribe stop opt-out suppress", meant: ["optout"] },
  { typed: "completions autocomplete", meant: ["completion"] },
  { typed: "resume continue retry", meant: ["runs resume"] },
  { typed: "export", meant: ["runs export"] },
  { typed: "rotate", meant: ["keys rotate"] },
  { typed: "env variables", meant: ["help environment"] },
  { typed: "docs man manual commands", meant: ["help"] },
  { typed: "update upgrade", meant: [], advice: "install the new version as you installed this one" },
  { typed: "schedule", meant: [], advice: scheduleAdvice },
];

/** What people type for a verb, in every group that has the one they mean. */
export const verbSynonyms: readonly Synonym[] = [
  { typed: "all index", meant: ["list"] },
  { typed: "delete del erase forget drop destroy revoke", meant: ["remove"] },
  { typed: "create new import store save put", meant: ["add"] },
  { typed: "switch select activate choose default", meant: ["use"] },
  { typed: "mv move", meant: ["rename"] },
  { typed: "check test validate ping", meant: ["verify"] },
  { typed: "roll renew replace", meant: ["rotate"] },
  { typed: "continue retry restart rerun", meant: ["resume"] },
  { typed: "get view show describe info inspect status cat results", meant: ["show", "list"] },
  { typed: "download csv dump save", meant: ["export"] },
  { typed: "edit update change config unset", meant: ["set"] },
  { typed: "release free", meant: ["unlock"] },
];

/** What people type for a verb in one group, when they mean another command. */
export const groupSynonyms: Readonly<Record<string, readonly Synonym[]>> = {
  profiles: [
    { typed: "create add new login", meant: ["login --profile NAME"] },
    { typed: "show get current status", meant: ["status --profile NAME"] },
  ],
  keys: [{ typed: "current", meant: ["status"] }],
  runs: [
    { typed: "create new add start run send", meant: ["send --run NAME"] },
    {
      typed: "cancel stop kill abort pause",
      meant: [],
      advice: "Ctrl-C stops a run, and `sms runs resume` continues it",
    },
  ],
  sandbox: [{ typed: "start serve run up", meant: ["sandbox"] }],
};

/** What to say about an argument of a command that takes none. */
export const argumentAdvice: Readonly<Record<string, string>> = {
  send: "a number needs --to, a file of numbers --recipients, and a text --message, each in quotes if it has spaces",
  preview: "a text needs --message, in quotes if it has spaces, and a file --message-file",
  status: "--profile NAME chooses a profile",
  logout: "--profile NAME chooses a profile",
  login: "--base-url URL gives the address, and --profile NAME the profile",
  spend: "--month YYYY-MM chooses a month",
};
