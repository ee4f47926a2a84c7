/** @import { AccountSetup } from "../setup.ts" */
import { copyButton } from "./copy.js";
import { byId, element, showChildren } from "./dom.js";
import { sandboxCommand } from "./commands.js";

const names = ["400", "401", "402", "403", "429", "500", "502", "503"].concat(
  ["reset-before", "reset-after", "hang", "garbage", "cut-body"], // docs/sandbox.md says what each does.
);

const presets = [
  ["None", "none"],
  ["Flaky", "500:5%,503:5%"],
  ["Lost answers", "reset-after:10%,hang:2%"],
  ["Slow", "latency:500..3000"],
  ["Down", "503:100%"],
];

/** The panel that changes faults and account of the sandbox. */
export function openFaults() {
  const section = byId("faults", HTMLElement);
  const active = byId("active", HTMLElement);
  const shares = new Map(names.map((name) => [name, number(`Share of ${name} in percent`, "0", "100", "any")]));
  const [least, most] = [number("Least latency in ms", "0", "600000"), number("Most latency in ms", "0", "600000")];
  const [seed, credits] = [number("Seed", "0", "4294967295"), number("Credits", "0", "1000000000")];
  const tier = element("select", { "aria-label": "Tier" });
  tier.append(...["free", "starter", "professional"].map((name) => element("option", {}, name)));
  const keys = element("ul", {});
  const command = element("pre", { id: "command", tabindex: "0" });
  const problem = element("p", { class: "problem", role: "alert" });
  /** @type {Map<string, HTMLButtonElement>} */
  const keyButtons = new Map();
  /** @type {AccountSetup | undefined} */
  let account;

  section.append(
    element("a", { class: "back", href: "#", "aria-label": "Back to messages" }, "‹"),
    element("h2", { id: "faults-title" }, "Faults and account"),
    problem,
    element(
      "p",
      { class: "actions" },
      ...presets.map(([name = "", faults]) => button(name, () => change("faults", { faults }))),
    ),
    group("Share of sends in %", ...names.map((name) => labelled(name, shares.get(name) ?? ""))),
    group("Latency in ms, and seed", labelled("from", least), labelled("to", most), labelled("seed", seed)),
    element(
      "p",
      { class: "actions" },
      button("Apply faults", () => change("faults", { faults: chosen(), seed: seed.valueAsNumber })),
    ),
    group("Account", labelled("credits", credits), labelled("tier", tier), button("Apply", applyAccount)),
    group("Keys", keys),
    element("h3", {}, "The same from the command line"),
    command,
    element(
      "p",
      { class: "actions" },
      copyButton("Copy command", () => command.textContent ?? ""),
      button("Reset the sandbox", () => change("reset")),
    ),
    element("p", { class: "note" }, "A reset restores the setup of the start and deletes all messages and requests."),
  );

  /**
   * @param {"faults" | "account" | "reset"} what
   * @param {object} [body]
   */
  async function change(what, body) {
    const answer = await fetch(`/_sandbox/${what}`, { method: "POST", ...(body && { body: JSON.stringify(body) }) });
    problem.textContent = answer.ok ? "" : (await answer.json()).error;
    if (answer.ok) await load();
    else problem.scrollIntoView({ block: "nearest" });
  }

  function applyAccount() {
    return change("account", {
      ...(account?.tier !== tier.value && { tier: tier.value }),
      ...(account?.credits !== credits.valueAsNumber && { credits: credits.valueAsNumber }),
    });
  }

  /** The faults that are typed in, as `--fault` takes them. */
  function chosen() {
    const shared = [...shares]
      .filter(([, { value }]) => Number(value) !== 0)
      .map(([name, { value }]) => `${name}:${Number(value)}%`);
    const [min, max] = [Number(least.value), Math.max(Number(least.value), Number(most.value))];
    return [...shared, ...(max > 0 ? [`latency:${min}..${max}`] : [])].join(",") || "none";
  }

  async function load() {
    const [setup, faults] = await Promise.all(
      ["account", "faults"].map(async (what) => (await fetch(`/_sandbox/${what}`)).json()),
    );
    account = setup;
    /** @type {Map<string | undefined, string | undefined>} */
    const given = new Map(
      String(faults.faults)
        .split(",")
        .map((part) => part.trim().split(":"))
        .map(([name = "", amount = ""]) => [name, amount]),
    );
    for (const [name, field] of shares) set(field, parseFloat(given.get(name) ?? "0"));
    const [min = 0, max = min] = (given.get("latency") ?? "0").split("..").map(Number);
    set(least, min);
    set(most, max);
    set(seed, faults.seed);
    set(credits, setup.credits);
    tier.value = setup.tier;
    showChildren(keys, setup.keys.map(keyRow));
    command.textContent = sandboxCommand(setup, faults);
  }

  /** @param {AccountSetup["keys"][number]} key */
  function keyRow({ key, revoked }) {
    const toggle = keyButtons.get(key) ?? button("", () => revoke(key));
    keyButtons.set(key, toggle);
    toggle.textContent = revoked ? "Restore" : "Revoke";
    toggle.ariaLabel = `${toggle.textContent} ${key}`;
    const row = toggle.closest("li") ?? element("li", {}, element("code", {}, key), " ", toggle);
    row.classList.toggle("revoked", revoked);
    return row;
  }

  /** @param {string} key */
  function revoke(key) {
    const all = account?.keys ?? [];
    return change("account", { keys: all.map((one) => (one.key === key ? { ...one, revoked: !one.revoked } : one)) });
  }

  return {
    /** @param {boolean} isShown */
    show(isShown) {
      if (isShown && section.hidden) this.reload();
      section.hidden = !isShown;
    },

    // It fails only if the sandbox has stopped, which the page shows already.
    reload: () => void load().catch(() => {}),

    /** @param {{ faults: string, seed: number, balance: number } | undefined} setup */
    showActive(setup) {
      active.hidden = setup === undefined || setup.faults === "none";
      active.textContent = `Faults: ${setup?.faults}, seed ${setup?.seed}`;
      if (setup === undefined || account === undefined || setup.balance === account.credits) return;
      // A message was charged.
      if (credits.valueAsNumber === account.credits) credits.value = String(setup.balance);
      account = { ...account, credits: setup.balance };
      command.textContent = sandboxCommand(account, setup);
    },

    focus: () => section.focus({ preventScroll: true }),

    hasFocus: () => section.contains(document.activeElement),
  };
}

/**
 * @param {string} label
 * @param {string} min
 * @param {string} max
 */
function number(label, min, max, step = "1") {
  return element("input", { type: "number", "aria-label": label, min, max, step, value: "0" });
}

/**
 * Sets a field that nobody is typing in.
 * @param {HTMLInputElement} field
 * @param {number} value
 */
function set(field, value) {
  if (document.activeElement !== field) field.value = String(value);
}

/**
 * @param {string} label
 * @param {() => unknown} act
 */
function button(label, act) {
  const node = element("button", { type: "button" }, label);
  node.addEventListener("click", act);
  return node;
}

/**
 * @param {string} text
 * @param {Node | string} field
 */
function labelled(text, field) {
  return element("label", {}, element("span", {}, text), field);
}

/**
 * @param {string} legend
 * @param {readonly Node[]} fields
 */
function group(legend, ...fields) {
  return element("fieldset", {}, element("legend", {}, legend), ...fields);
}
