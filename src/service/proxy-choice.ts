import { BlockList, isIP } from "node:net";
import { usageError } from "../errors.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Returns undefined if no proxy is set, or NO_PROXY lists the host. Throws `INVALID_PROXY` for what is no HTTP proxy. */
export function proxyFor(origin: string, environment: Environment): URL | undefined {
  const { protocol, hostname, port } = new URL(origin);
  const names = [protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY", "ALL_PROXY"];
  const name = names.find((each) => valueOf(each, environment) !== "");
  if (name === undefined) return undefined;
  const except = valueOf("no_proxy", environment);
  if (isExcepted(hostname, port || (protocol === "https:" ? "443" : "80"), except)) return undefined;
  const value = valueOf(name, environment);
  const url = value.includes("://") ? value : `http://${value}`;
  if (URL.canParse(url) && /^https?:/i.test(url) && isDecodable(url)) return new URL(url);
  const what = /^socks/i.test(url)
    ? "names a SOCKS proxy, and sms uses HTTP proxies only"
    : "is not the address of an HTTP proxy";
  throw usageError("INVALID_PROXY", `${name} ${what}`, "give it as http://HOST:PORT, or list the host in NO_PROXY");
}

/** As curl does, the name in small letters counts first. */
function valueOf(name: string, environment: Environment): string {
  return environment[name.toLowerCase()] || environment[name.toUpperCase()] || "";
}

function isDecodable(url: string): boolean {
  try {
    authorizationOf(new URL(url));
    return true;
  } catch {
    return false;
  }
}

/**
 * Whether NO_PROXY lists a host: names separated by commas or spaces, with or without a port, each with its subdomains;
 * networks such as 10.0.0.0/8; or *.
 */
function isExcepted(hostname: string, port: string, list: string): boolean {
  return list.split(/[\s,]+/).some((entry) => {
    if (entry === "*" || `[${entry}]` === hostname) return true;
    if (entry.includes("/")) return isInNetwork(hostname.replace(/^\[|\]$/g, ""), entry);
    const [, host = "", onlyPort = port] = /^\*?\.?(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
    return host !== "" && onlyPort === port && (hostname === host || hostname.endsWith(`.${host}`));
  });
}

/** A name is in no network: it is not looked up for this. */
function isInNetwork(address: string, network: string): boolean {
  const [, base = "", bits = ""] = /^(.*)\/(\d{1,3})$/.exec(network) ?? [];
  const family = isIP(address);
  if (family === 0 || isIP(base) !== family || Number(bits) > (family === 4 ? 32 : 128)) return false;
  const name = family === 4 ? "ipv4" : "ipv6";
  const addresses = new BlockList();
  addresses.addSubnet(base, Number(bits), name);
  return addresses.check(address, name);
}

export function authorizationOf({ username, password }: URL): string | undefined {
  if (username === "" && password === "") return undefined;
  const user = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return `Basic ${Buffer.from(user).toString("base64")}`;
}
