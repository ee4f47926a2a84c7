import { expect, it } from "vitest";
import { configFolder, stateFolder } from "../../src/profiles/folders.ts";

it.each([
  ["linux", {}, "/home/me/.config/sms", "/home/me/.local/state/sms"],
  ["freebsd", {}, "/home/me/.config/sms", "/home/me/.local/state/sms"],
  ["linux", { XDG_CONFIG_HOME: "/c", XDG_STATE_HOME: "/s" }, "/c/sms", "/s/sms"],
  ["linux", { XDG_CONFIG_HOME: "c", XDG_STATE_HOME: "" }, "/home/me/.config/sms", "/home/me/.local/state/sms"],
  [
    "darwin",
    { XDG_CONFIG_HOME: "c", XDG_STATE_HOME: "" },
    "/home/me/Library/Application Support/sms",
    "/home/me/Library/Application Support/sms/state",
  ],
  ["darwin", { XDG_CONFIG_HOME: "/c", XDG_STATE_HOME: "/s" }, "/c/sms", "/s/sms"],
  ["darwin", { XDG_CONFIG_HOME: "/c" }, "/c/sms", "/home/me/Library/Application Support/sms/state"],
  ["linux", { SMS_CONFIG_DIR: "c", SMS_STATE_DIR: "s", XDG_CONFIG_HOME: "/x" }, "c", "s"],
  ["linux", { SMS_CONFIG_DIR: " /a b\n", SMS_STATE_DIR: "/s " }, "/a b", "/s"],
  ["win32", {}, "C:\\Users\\me\\AppData\\Roaming\\sms", "C:\\Users\\me\\AppData\\Local\\sms"],
  ["win32", { APPDATA: "D:\\r", LOCALAPPDATA: "D:\\l" }, "D:\\r\\sms", "D:\\l\\sms"],
] as const)("the folders of sms on %s with %j are %s and %s", (platform, environment, config, path) => {
  const home = () => (platform === "win32" ? "C:\\Users\\me" : "/home/me");
  const host = { environment, platform, home, uid: 7 };
  expect([configFolder(host), stateFolder(host)]).toEqual([config, { path, uid: 7 }]);
});
