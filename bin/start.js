// `npm start`: one message through a sandbox, for whoever has just cloned this; `npm start -- --to … --message …` sends theirs.
const { main, systemHost } = require("../dist/main.cjs");

const own = process.argv.slice(2);
const demo = ["--to", "+254712345678", "--message", "Hello from sms"];
void main(["send", "--sandbox", ...(own.length > 0 ? own : demo)], systemHost()).then((exitCode) =>
  process.exit(exitCode),
);
