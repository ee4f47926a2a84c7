import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import { topics } from "../../../output/help-topics.ts";
import { everyCommand } from "../../help/pages.ts";
import { alternatives } from "../option-values.ts";
import { nameOf } from "../options.ts";
import { lineWithOptions } from "./send-line.ts";
import { commandSynonyms, groupSynonyms, optionSynonyms, type Synonym, verbSynonyms } from "./synonyms.ts";
import { lineOf, operandsOf, wordsOf, type WrongLine } from "./words.ts";

/** Returns what to type instead of an option that the command does not have. */
export function optionHint(typed: string, suggested: readonly string[], { argv, command, program }: WrongLine): string {
  const word = typed.replace(/^-+/, "").replaceAll("_", "-").toLowerCase();
  const send = program.commands.find((own) => own.name() === "send");
  // Without a command, an option is most likely one of send.
  const reader = command.parent === null && send !== undefined ? send : command;
  const show = (meant: string) => (reader === command ? meant : `${meant} of ${shown("send")}`);
  const known =
    adviceFor(typed, optionSynonyms, (meant) => hasOption(command, meant), String) ??
    adviceFor(word, optionSynonyms, (meant) => hasOption(reader, meant), show);
  if (known !== undefined) return known;
  const negated = command.options.find((own) => !own.hidden && !own.required && `--no-${own.long?.slice(2)}` === typed);
  if (negated !== undefined) return `leave it out: that is so without ${negated.long}`;
  const longer = command.options.flatMap(({ hidden, long }) =>
    !hidden && long?.startsWith(`${typed}-`) ? [long] : [],
  );
  if (longer.length > 0) return didYouMean(longer);
  const isGlobal = hasOption(program, typed);
  const owners = everyCommand(program).filter(
    (own) => !isGlobal && nameOf(own) !== nameOf(command) && hasOption(own, typed),
  );
  if (command.parent === null && owners.some((own) => nameOf(own) === "send")) {
    return `did you mean \`${lineOf(sendLine(argv, program))}\`?`;
  }
  if (owners.length > 0) return `it is an option of ${alternatives(owners.map((own) => `\`sms ${nameOf(own)}\``))}`;
  return suggested.length > 0 ? didYouMean(suggested) : `${pageOf(command)} lists its options`;
}

/** Returns the words with `send` before its options. */
function sendLine(argv: readonly string[], program: CommandUnknownOpts): readonly string[] {
  const words = wordsOf(["send", ...argv], program);
  const repeated = words.find(({ kind, text }) => kind === "operand" && text === "send");
  return words
    .filter((word) => word !== repeated)
    .flatMap((word) => ("value" in word && word.value !== undefined ? [word.text, word.value] : [word.text]));
}

/** Returns what to type instead of a command that is not there. */
export function commandHint(suggested: readonly string[], { argv, command, program, hasCountry }: WrongLine): string {
  const words = wordsOf(argv, program);
  const [typed = "", next = ""] = operandsOf(words);
  const word = typed.toLowerCase();
  const path = nameOf(command);
  const inProgram = (meant: string) => exists(program, meant);
  const known =
    command.parent === null
      ? adviceFor(word, commandSynonyms, inProgram, shown)
      : (adviceFor(word, groupSynonyms[path] ?? [], inProgram, shown) ??
        adviceFor(
          word,
          verbSynonyms,
          (meant) => exists(command, meant),
          (meant) => shown(`${path} ${meant}`),
        ));
  if (known !== undefined) return known;
  if (command.parent !== null && inProgram(typed)) return didYouMean([shown(typed)]);
  const isNumber = /^\+?\d{6,}$/.test(typed);
  if (isNumber && path === "optout") return didYouMean([shown(`optout add ${typed}`)]);
  if (suggested.length > 0) return didYouMean(suggested.map((name) => shown(`${path} ${name}`.trim())));
  if (command.parent !== null) return `${pageOf(command)} lists the commands`;
  if (topics.some(({ name }) => name === word)) return didYouMean([shown(`help ${word}`)]);
  if (isNumber) {
    return `type ${lineWithOptions([{ kind: "command", text: "send" }, ...words], true, hasCountry)}`;
  }
  const verbs = verbsCalled(word, program);
  const named = verbs.filter((verb) => verb.startsWith(`${next.toLowerCase().replace(/s?$/, "s")} `));
  const meant = named.length > 0 ? named : verbs;
  return meant.length > 0 ? didYouMean(meant.map(shown)) : `${pageOf(program)} lists the commands`;
}

/** Returns what the first row with this word says; undefined if no row has it, or nothing that fits. */
export function adviceFor(
  word: string,
  rows: readonly Synonym[],
  has: (meant: string) => boolean,
  show: (meant: string) => string,
): string | undefined {
  const row = rows.find(({ typed }) => typed.split(" ").includes(word));
  const meant = row?.meant.find(has);
  return meant === undefined ? row?.advice : didYouMean([show(meant)]);
}

/** The verbs of all groups that are called so, or for which the word is a synonym. */
function verbsCalled(word: string, program: CommandUnknownOpts): readonly string[] {
  const meant = verbSynonyms.filter(({ typed }) => typed.split(" ").includes(word)).flatMap((row) => row.meant);
  const names = new Set([word, ...meant]);
  return program.commands.flatMap((group) =>
    group.commands.filter((own) => own.name() !== "help" && namesOf(own).some((name) => names.has(name))).map(nameOf),
  );
}

/** Returns whether there is such a command with such an option, as in `send --recipients FILE`. */
export function exists(command: CommandUnknownOpts, phrase: string): boolean {
  const [word = "", ...rest] = phrase.split(" ");
  if (word === "" || /^[A-Z]/.test(word)) return true;
  if (word.startsWith("--")) return hasOption(command, word);
  if (command.name() === "help") return topics.some(({ name }) => name === word);
  const own = command.commands.find((known) => namesOf(known).includes(word));
  return own !== undefined && exists(own, rest.join(" "));
}

/** Returns whether the help of a command lists the option that this text begins with. */
export function hasOption(command: CommandUnknownOpts, text: string): boolean {
  const [name] = /^--?[\w-]+/.exec(text) ?? [];
  return command
    .createHelp()
    .visibleOptions(command)
    .some(({ long, short }) => name !== undefined && (long === name || short === name));
}

/** Returns a command as it is shown in a sentence. */
export function shown(command: string): string {
  return `\`sms ${command}\``;
}

/** Returns the command that prints the help of a command. */
export function pageOf(command: CommandUnknownOpts): string {
  return shown([nameOf(command), "--help"].filter(Boolean).join(" "));
}

/** Returns a question that names these. */
export function didYouMean(names: readonly string[]): string {
  return `did you mean ${alternatives(names)}?`;
}

function namesOf(command: CommandUnknownOpts): readonly string[] {
  return [command.name(), ...command.aliases()];
}
