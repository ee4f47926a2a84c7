import { execFileSync } from "node:child_process";
import { afterAll, beforeAll } from "vitest";

export interface NetworkMachine {
  /** The start of a command that runs what follows there, under a host name of its own. */
  readonly command: readonly string[];
  /** Pulls its cable. The first has the address under which all others see this machine. */
  readonly vanish: () => void;
}

function ip(...args: readonly string[]): void {
  execFileSync("ip", args, { stdio: ["ignore", "ignore", "pipe"] });
}

/** Makes machines for the tests of this file, and tells the address under which they see this machine. They need root. */
export function useMachines(
  count: number,
  isSkipped: boolean,
): { readonly machines: readonly NetworkMachine[]; readonly here: string } {
  // Other tests of this machine have other process ids.
  const [high, low] = [(process.pid >> 8) & 0xff, process.pid & 0xff];
  const machines = Array.from({ length: count }, (_, index) => {
    const name = `sms${process.pid}m${index}`;
    const [gateway, address] = [1, 2].map((last) => `10.${high}.${low}.${index * 4 + last}`);
    return { name, gateway: gateway ?? "", address: address ?? "", cable: `v${process.pid}x${index}` };
  });
  beforeAll(() => {
    if (isSkipped) return;
    for (const { name, gateway, address, cable } of machines) {
      ip("netns", "add", name);
      ip("link", "add", cable, "type", "veth", "peer", "name", "eth0", "netns", name);
      ip("address", "add", `${gateway}/30`, "dev", cable);
      ip("link", "set", cable, "up");
      ip("-n", name, "address", "add", `${address}/30`, "dev", "eth0");
      ip("-n", name, "link", "set", "eth0", "up");
      ip("-n", name, "link", "set", "lo", "up");
      ip("-n", name, "route", "add", "default", "via", gateway);
    }
  });
  afterAll(() => {
    if (isSkipped) return;
    for (const { name } of machines) ip("netns", "del", name);
  });
  return {
    here: machines[0]?.gateway ?? "",
    machines: machines.map(({ name, cable }) => ({
      command: ["ip", "netns", "exec", name, "unshare", "--uts", "sh", "-c", 'hostname "$0"; exec "$@"', name],
      vanish: () => ip("link", "set", cable, "down"),
    })),
  };
}
