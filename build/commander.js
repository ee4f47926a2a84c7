// What the program uses of commander. The package with the types, and commander's index, each make a command that nobody runs.
export { Command } from "../node_modules/commander/lib/command.js";
export { CommanderError } from "../node_modules/commander/lib/error.js";
export { Option } from "../node_modules/commander/lib/option.js";
