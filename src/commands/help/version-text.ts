import { Command } from "@commander-js/extra-typings";
import { isNode20, runtime } from "../../host.ts";
import { jsonLine } from "../../terminal/text.ts";
import { version } from "../../version.ts";
import { absences, optionsOnLine, noSuchOption, withGlobalOptions } from "../shared/options.ts";

export function versionText(words: readonly string[]): string {
  const reader = withGlobalOptions(new Command().allowUnknownOption().exitOverride(), []);
  reader.parseOptions([...words]);
  const options = optionsOnLine(reader).map(({ long = "" }) => long);
  const other = options.find((long) => !absences.has(long) && long !== "--json");
  if (other !== undefined) throw noSuchOption("--version", other, "leave it out");
  if (!options.includes("--json")) return `${version}\n`;
  const { isStandalone, node, platform } = runtime();
  // Node 20 gets no more fixes, and starts more slowly than its successors.
  const newerNodeAdvised = !isStandalone && isNode20();
  return jsonLine({ version, build: isStandalone ? "standalone" : "package", platform, node, newerNodeAdvised });
}
