// `npm start`: one message through a sandbox, for whoever has just cloned this; `npm start -- --to … --message …` sends theirs.
import { main, systemHost } from "../dist/main.js";

const own = process.argv.slice(2);
const demo = ["--to", "+254712345678", "--message", "Hello from sms"];
process.exitCode = await main(["send", "--sandbox", ...(own.length > 0 ? own : demo)], systemHost());
