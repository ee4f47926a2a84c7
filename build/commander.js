// The index of commander, and its package with the types, each make a command that nobody runs.
export { Command } from "../node_modules/commander/lib/command.js";
export { CommanderError } from "../node_modules/commander/lib/error.js";
export { Option } from "../node_modules/commander/lib/option.js";
