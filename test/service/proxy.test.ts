import { describe, expect, it } from "vitest";
import { proxyFor } from "../../src/service/tunnel.ts";

const https = "https://sms.example.com";
const http = "http://sms.example.com:8080";
const proxy = "http://proxy.example.com:3128";

describe("proxyFor", () => {
  it.each([
    ["an https origin", https, { HTTPS_PROXY: proxy }],
    ["an http origin", http, { HTTP_PROXY: proxy }],
    ["a lower-case name before the upper", https, { https_proxy: proxy, HTTPS_PROXY: "http://other.example.com" }],
    ["its scheme before all", http, { http_proxy: proxy, ALL_PROXY: "http://other.example.com" }],
    ["an address outside the network in NO_PROXY", "http://10.1.2.3", { HTTP_PROXY: proxy, NO_PROXY: "10.2.0.0/16" }],
    ["a name, which is in no network", https, { HTTPS_PROXY: proxy, NO_PROXY: "0.0.0.0/0,::/0,10.0.0.0/99" }],
    ["an address without a scheme", https, { HTTPS_PROXY: "proxy.example.com:3128" }],
    ["a host that is only like one in NO_PROXY", https, { HTTPS_PROXY: proxy, NO_PROXY: "ms.example.com,sms.example" }],
    ["another port than the one in NO_PROXY", https, { HTTPS_PROXY: proxy, NO_PROXY: "sms.example.com:8443" }],
    ["an https origin, with the port of http", "https://a.com", { HTTPS_PROXY: proxy, NO_PROXY: "a.com:80" }],
    ["an empty NO_PROXY", https, { HTTPS_PROXY: proxy, NO_PROXY: "", no_proxy: "" }],
    ["the lower-case no_proxy before the upper", https, { HTTPS_PROXY: proxy, no_proxy: "example.org", NO_PROXY: "*" }],
  ])("is the one named for %s", (_, origin, environment) => {
    expect(proxyFor(origin, environment)?.href).toBe(`${proxy}/`);
  });

  it.each([
    ["nothing is set", https, {}],
    ["it is empty", https, { HTTPS_PROXY: "" }],
    ["NO_PROXY is *", https, { HTTPS_PROXY: proxy, NO_PROXY: "*" }],
    ["NO_PROXY has the host", https, { HTTPS_PROXY: proxy, NO_PROXY: "localhost, SMS.example.com" }],
    ["NO_PROXY has its domain", https, { HTTPS_PROXY: proxy, no_proxy: "example.com" }],
    ["NO_PROXY has its domain with a dot", https, { HTTPS_PROXY: proxy, no_proxy: ".example.com" }],
    ["NO_PROXY has host and port", http, { HTTP_PROXY: proxy, NO_PROXY: "sms.example.com:8080" }],
    ["NO_PROXY has the usual port of https", "https://a.com", { HTTPS_PROXY: proxy, NO_PROXY: "a.com:443" }],
    ["NO_PROXY has the usual port of http", "http://a.com", { HTTP_PROXY: proxy, NO_PROXY: "a.com:80" }],
    ["NO_PROXY has its network", "http://10.1.2.3", { ALL_PROXY: proxy, NO_PROXY: "192.168.0.0/16, 10.1.0.0/16" }],
    ["NO_PROXY has its IPv6 network", "http://[fd00::7]", { HTTP_PROXY: proxy, NO_PROXY: "fd00::/8" }],
    ["NO_PROXY has the IPv6 address without brackets", "http://[::1]:8080", { HTTP_PROXY: proxy, NO_PROXY: "::1" }],
    ["NO_PROXY has the IPv6 address", "http://[::1]:80", { HTTP_PROXY: proxy, NO_PROXY: "[::1]" }],
  ])("is none where %s", (_, origin, environment) => {
    expect(proxyFor(origin, environment)).toBeUndefined();
  });

  it.each(["http://", "::", "http://jo%zz@proxy.example.com", "http://jo:%zz@proxy.example.com"])(
    "refuses %j by name",
    (value) => {
      expect(() => proxyFor(https, { HTTPS_PROXY: value })).toThrow("HTTPS_PROXY is not the address of an HTTP proxy");
    },
  );

  it.each([
    ["HTTPS_PROXY", "socks5://127.0.0.1:1080"],
    ["ALL_PROXY", "socks5h://127.0.0.1:1080"],
  ])("names a SOCKS proxy in %s", (name, value) => {
    expect(() => proxyFor(https, { [name]: value })).toThrow(`${name} names a SOCKS proxy`);
    expect(proxyFor(https, { [name]: value, NO_PROXY: "sms.example.com" })).toBeUndefined();
  });

  it("keeps the credentials of the proxy", () => {
    const { username, password } = proxyFor(https, { HTTPS_PROXY: "http://jo%20e:s%40x@proxy.example.com" }) ?? {};
    expect([username, password]).toEqual(["jo%20e", "s%40x"]);
  });
});
