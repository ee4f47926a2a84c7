import { describe, expect, it } from "vitest";
import { configFolder, stateFolder } from "../../src/profiles/folders.ts";

describe("the folders of sms", () => {
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
  ] as const)("on %s with %j are %s and %s", (platform, environment, config, state) => {
    expect(configFolder({ environment, platform, home: () => "/home/me", uid: 7 })).toBe(config);
    expect(stateFolder({ environment, platform, home: () => "/home/me", uid: 7 })).toEqual({ path: state, uid: 7 });
  });

  it.each([
    [{}, "C:\\Users\\me\\AppData\\Roaming\\sms", "C:\\Users\\me\\AppData\\Local\\sms"],
    [{ APPDATA: "D:\\r", LOCALAPPDATA: "D:\\l" }, "D:\\r\\sms", "D:\\l\\sms"],
  ])("on win32 with %j are %s and %s", (environment, config, state) => {
    expect(configFolder({ environment, platform: "win32", home: () => "C:\\Users\\me", uid: undefined })).toBe(config);
    expect(stateFolder({ environment, platform: "win32", home: () => "C:\\Users\\me", uid: undefined })).toEqual({
      path: state,
      uid: undefined,
    });
  });
});
