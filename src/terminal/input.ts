import { composeText } from "../message/text.ts";
import { slip, usageError } from "../errors.ts";
import { readLimited } from "../files/file-system.ts";
import { shellWord } from "../words/shell-word.ts";
import type { Context } from "./context.ts";

const mostTextBytes = 64 * 1024;

interface TextSource {
  readonly message?: string;
  readonly messageFile?: string;
  readonly literal?: boolean;
}

type InputContext = Pick<Context, "host" | "presenter">;

export async function readText(source: TextSource, context: InputContext): Promise<string> {
  const text = composeText(await textOf(source, context));
  if (!source.literal) warnOfSlips(text, context);
  return text;
}

export async function readTemplate(
  { recipients, ...source }: TextSource & { readonly recipients?: string },
  context: InputContext,
): Promise<string | undefined> {
  if (recipients === undefined || (source.message ?? source.messageFile) !== undefined)
    return readText(source, context);
  if (recipients === "-" || context.host.stdin.isTerminal()) return undefined;
  const text = composeText(await textFromInput(context));
  warnOfSlips(text, context);
  return text === "" ? undefined : text;
}

/** Shells end no quotation at “ or ”, and write no line break for \n. */
function warnOfSlips(text: string, { presenter }: InputContext): void {
  if (/^(?:“[^“”]*”|‘[^‘’]*’|„[^„“]*“)$/.test(text))
    presenter.warn(`${text.charAt(0)} and ${text.charAt(text.length - 1)} around the text are sent as written`);
  if (!text.includes("\\n")) return;
  const ways =
    "for a line break, write --message $'one\\ntwo' in bash and zsh, pipe from printf, or use --message-file";
  presenter.warn(`\\n in the text is sent as written; ${ways}`);
}

async function textOf({ message, messageFile, literal }: TextSource, context: InputContext): Promise<string> {
  if (message !== undefined && messageFile !== undefined)
    throw usageError("AMBIGUOUS_MESSAGE", "--message and --message-file are both given", "give the text once");
  if (message !== undefined && message !== "-") {
    if (literal !== true) refuseSource(message);
    return message;
  }
  if (messageFile !== undefined && messageFile !== "-") {
    try {
      const bytes = await readLimited(context.host.readFile(messageFile), messageFile, mostTextBytes);
      return decodeText(bytes, messageFile);
    } catch (error) {
      const { unreadableFile } = await import("../files/unreadable-file.ts");
      throw unreadableFile(error, messageFile, "--message-file") ?? error;
    }
  }
  if ((message ?? messageFile) === undefined && context.host.stdin.isTerminal()) {
    const hint = "give it with --message, with --message-file, or on standard input";
    throw slip("NO_MESSAGE", "there is no message", hint);
  }
  const text = await textFromInput(context);
  if (text !== "") return text;
  const hint = "check what writes to it, or give the text with --message or --message-file";
  throw slip("EMPTY_MESSAGE", "there is no message: standard input was empty", hint);
}

async function textFromInput({ host, presenter }: InputContext): Promise<string> {
  const { stdin } = host;
  sayHowToEnd("the message", { host, presenter });
  const wait = stdin.isTerminal() ? undefined : "Reading the message from standard input";
  const bytes = await presenter.waitFor(wait, () => readLimited(stdin.chunks(), "standard input", mostTextBytes));
  const text = decodeText(bytes, "standard input");
  if (areNumbers(text)) throw usageError("AMBIGUOUS_MESSAGE", "the text on standard input is only numbers", listHint);
  return text;
}

/** A loop of a shell reads one line of its list, and each command in the loop would take the rest for its text. */
function areNumbers(text: string): boolean {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return lines.length > 1 && lines.every((line) => /^[\s"']*\+?[\d\s().,;"'/-]{7,}$/.test(line));
}

const listHint =
  "for a list of recipients: `sms send -r - -m TEXT`; in a loop of a shell, give the text with --message";

export function sayHowToEnd(what: string, { host, presenter }: InputContext): void {
  const keys = host.platform === "win32" ? "Ctrl-Z and Enter" : "Ctrl-D";
  if (host.stdin.isTerminal())
    presenter.note(`Reading ${what} from the terminal. End with ${keys} on a line of its own.`);
}

/** curl reads `@FILE`, and others read `-` and `file://FILE`: here they would reach a customer. `way` reads a file. */
export function refuseSource(message: string, way = (path: string) => `--message-file ${path}`): void {
  if (message === "-") throw usageError("AMBIGUOUS_MESSAGE", "- stands for standard input", "give the text itself");
  const [, atFile, file = atFile] = /^(?:@([~./]\S*|\S+\.[A-Za-z]\w{0,4})|file:\/\/(\S+))$/.exec(message) ?? [];
  if (file !== undefined) {
    throw usageError(
      "AMBIGUOUS_MESSAGE",
      `--message ${JSON.stringify(message)} would be sent as written`,
      `\`${way(shellWord(file))}\` reads the text from the file`,
    );
  }
}

/** A phone shows LF for every CR LF and CR, and a service counts LF. */
export function decodeText(bytes: Uint8Array, name: string): string {
  const mark = Buffer.from(bytes.subarray(0, 2)).toString("latin1");
  const encoding = { "\xFF\xFE": "utf-16le", "\xFE\xFF": "utf-16be" }[mark] ?? "utf-8";
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
    return text.replace(/\r\n?/g, "\n").replace(/\n$/, "");
  } catch {
    const what = encoding === "utf-8" ? "UTF-8 text" : "text in UTF-16, as its first bytes say";
    throw usageError("NOT_UTF8", `${name} is not ${what}`, "convert it to UTF-8 first");
  }
}
