import { describe, expect, it } from "vitest";
import { proxyFor } from "../../src/service/proxy.ts";

const https = "https://sms.example.com";
const http = "http://sms.example.com:8080";
const proxy = "http://proxy.example.com:3128";

describe("proxyFor", () => {
  it.each([
    ["an https origin", https, { HTTPS_PROXY: proxy }],
    ["an http origin", http, { HTTP_PROXY: proxy }],
    ["a lower-case name before the upper", https, { https_proxy: proxy, HTTPS_PROXY: "http://other.example.com" }],
    ["an address without a scheme", https, { HTTPS_PROXY: "proxy.example.com:3128" }],
    ["a host that is only like one in NO_PROXY", https, { HTTPS_PROXY: proxy, NO_PROXY: "ms.example.com,sms.example" }],
    ["another port than the one in NO_PROXY", https, { HTTPS_PROXY: proxy, NO_PROXY: "sms.example.com:8443" }],
  ])("is the one named for %s", (_, origin, environment) => {
    expect(proxyFor(origin, environment)?.href).toBe(`${proxy}/`);
  });

  it.each([
    ["nothing is set", https, {}],
    ["it is for the other scheme", https, { HTTP_PROXY: proxy }],
    ["it is empty", https, { HTTPS_PROXY: "" }],
    ["NO_PROXY is *", https, { HTTPS_PROXY: proxy, NO_PROXY: "*" }],
    ["NO_PROXY has the host", https, { HTTPS_PROXY: proxy, NO_PROXY: "localhost, SMS.example.com" }],
    ["NO_PROXY has its domain", https, { HTTPS_PROXY: proxy, no_proxy: "example.com" }],
    ["NO_PROXY has its domain with a dot", https, { HTTPS_PROXY: proxy, no_proxy: ".example.com" }],
    ["NO_PROXY has its domain with a star", https, { HTTPS_PROXY: proxy, no_proxy: "*.example.com" }],
    ["NO_PROXY has host and port", http, { HTTP_PROXY: proxy, NO_PROXY: "sms.example.com:8080" }],
    ["NO_PROXY has the IPv6 address", "http://[::1]:80", { HTTP_PROXY: proxy, NO_PROXY: "[::1]" }],
  ])("is none where %s", (_, origin, environment) => {
    expect(proxyFor(origin, environment)).toBeUndefined();
  });

  it.each(["socks5://proxy.example.com", "http://", "::"])("refuses %j by name", (value) => {
    expect(() => proxyFor(https, { HTTPS_PROXY: value })).toThrow("HTTPS_PROXY is not the address of an HTTP proxy");
  });
});
