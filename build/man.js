const sentTexts = { yes: "sent", no: "not sent", maybe: "perhaps sent" };

export function manPage({ version, commands, environment, exitCodes }, { homepage, bugs }) {
  const isGlobal = ({ group }) => group === "Global options";
  const globals = new Map(
    commands.flatMap(({ options }) => options.filter(isGlobal).map((each) => [each.option, each])),
  );
  return [
    `.TH SMS 1 "" "sms ${version}" "User Commands"`,
    section("NAME", ["sms \\- send text messages, and know whether they were sent"]),
    section("SYNOPSIS", [".B sms", ".I COMMAND", "[options]"]),
    section(
      "COMMANDS",
      commands.flatMap((command) => commandLines(command, isGlobal)),
    ),
    section("GLOBAL OPTIONS", [
      "Each command takes those that its help lists.",
      ...[...globals.values()].flatMap(optionLines),
    ]),
    section(
      "ENVIRONMENT",
      environment.flatMap(({ name, description }) => item(bold(name), description)),
    ),
    section(
      "EXIT STATUS",
      exitCodes.flatMap((exit) => item(bold(String(exit.code)), exitText(exit))),
    ),
    ...(bugs === undefined ? [] : [section("REPORTING BUGS", [roff(bugs)])]),
    section("SEE ALSO", [
      "sms help exit\\-codes, environment, recipients, templates, json",
      ...(homepage === undefined ? [] : [".PP", roff(homepage)]),
    ]),
  ].join("\n");
}

function section(name, lines) {
  return `.SH ${name}\n${lines.join("\n")}`;
}

function commandLines({ name, usage, summary, description, examples, notes, options }, isGlobal) {
  const ofCommand = options.filter((option) => !isGlobal(option));
  return [
    `.SS "sms ${roff(name)}"`,
    roff(description ?? summary),
    ...(notes === undefined ? [] : [".PP", roff(notes)]),
    ".PP",
    bold(usage),
    ...ofCommand.flatMap(optionLines),
    ...(examples.length === 0 ? [] : [".PP", "Examples:", ".PP", ".RS", ".nf", ...examples.map(roff), ".fi", ".RE"]),
  ];
}

function optionLines({ option, short, value, choices, description }) {
  const names = [short, option].filter((name) => name !== undefined).map(bold);
  const argument = value === undefined ? "" : ` \\fI${roff(value)}\\fP`;
  const among = choices === null || choices === undefined ? "" : ` (${choices.join(", ")})`;
  return item(`${names.join(", ")}${argument}`, description + among);
}

function exitText({ when, sent }) {
  const outcome = sentTexts[sent] === undefined ? "" : ` (${sentTexts[sent]})`;
  return when.join("; ") + outcome;
}

function item(heading, text) {
  return [".TP", heading, roff(text)];
}

function bold(text) {
  return `\\fB${roff(text)}\\fP`;
}

/** No text may become a request or an escape of roff, and people copy hyphens. */
function roff(text) {
  return text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replaceAll(/^(?=[.'])/gm, "\\&");
}
