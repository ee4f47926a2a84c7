import { Command, type CommandUnknownOpts } from "@commander-js/extra-typings";
import type { Perform } from "../terminal/context.ts";
import { sendCommand } from "./send.ts";
import { explainProgram, programHelpCommand } from "./help/help.ts";

/** Commands for every day, in the order of the help. */
const everyday = {
  send: "send a message to one or many recipients",
  preview: "count segments, and show what raises the cost",
  runs: "show, resume, export, close and remove the runs of send",
  history: "list what was sent, with the outcomes",
  login: "store the credentials of a profile",
  status: "show what the next send would use, and from where",
  keys: "list, switch, add and rotate keys, and see which is on",
  profiles: "list, switch, change, rename and remove profiles",
  sandbox: "simulate the service on this machine, for tests",
};

const summaries = {
  ...everyday,
  notify: "run a command, then send how it ended",
  watch: "turn a pipe that never ends into few texts",
  clean: "make a list of recipients from any spreadsheet or text",
  spend: "sum what messages cost in a month",
  logout: "delete the credentials of a profile",
  record: "show where the record is kept, or share it",
  optout: "keep a list of numbers that are never sent to",
  completion: "print a completion script for your shell",
};

/**
 * Adds the commands to the program. To load and define one takes long: a line of `words` gets only the commands that it may
 * name, and the help lists the others by their summaries. `whole` defines all of them.
 */
export async function addCommands(
  program: CommandUnknownOpts,
  perform: Perform,
  whole: () => Promise<CommandUnknownOpts>,
  words?: readonly string[],
): Promise<void> {
  const commands: Readonly<Record<keyof typeof summaries, () => Promise<CommandUnknownOpts>>> = {
    send: async () => sendCommand(perform),
    preview: async () => (await import("./preview.ts")).previewCommand(perform),
    runs: async () => (await import("./runs.ts")).runsCommand(perform),
    history: async () => (await import("./history.ts")).historyCommand(perform),
    login: async () => (await import("./login.ts")).loginCommand(perform),
    status: async () => (await import("./status/status.ts")).statusCommand(perform),
    keys: async () => (await import("./keys.ts")).keysCommand(perform),
    profiles: async () => (await import("./profiles.ts")).profilesCommand(perform),
    sandbox: async () => (await import("./sandbox.ts")).sandboxCommand(perform),
    notify: async () => (await import("./notify.ts")).notifyCommand(perform),
    watch: async () => (await import("./watch.ts")).watchCommand(perform),
    clean: async () => (await import("./clean.ts")).cleanCommand(perform),
    spend: async () => (await import("./spend.ts")).spendCommand(perform),
    logout: async () => (await import("./logout.ts")).logoutCommand(perform),
    record: async () => (await import("./record.ts")).recordCommand(perform),
    optout: async () => (await import("./optout.ts")).optoutCommand(perform),
    completion: async () => (await import("./completion/completion.ts")).completionCommand(perform, whole),
  };
  const summaryOf = new Map(Object.entries(summaries));
  for (const [name, define] of Object.entries(commands)) {
    // The help of runs has options of send, which is loaded anyway.
    const isDefined = words === undefined || name === "send" || words.includes(name);
    const command = isDefined ? await define() : new Command(name);
    const heading = Object.hasOwn(everyday, name) ? "Commands:" : "More commands:";
    program.addCommand(command.summary(summaryOf.get(name) ?? "").helpGroup(heading));
  }
  program.usage("<command> [options]").addCommand(programHelpCommand(perform, program, whole));
  explainProgram(program);
}
