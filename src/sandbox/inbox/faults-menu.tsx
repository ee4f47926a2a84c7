import { useEffect, useRef, useState } from "preact/hooks";
import { faultList } from "../fault-list.ts";
import type { Actions } from "./actions.ts";
import type { Account } from "./sandbox.ts";
import { count, inKes } from "./pieces.tsx";

const presets = {
  None: "none",
  Flaky: "500:5%,503:5%",
  "Lost answers": "reset-after:10%,hang:2%",
  Slow: "latency:500..3000",
  Down: "503:100%",
};
const resetQuestion = "Restore the setup of the start, and delete all messages and requests?";
const [least, most, credits] = ["Least latency in ms", "Most latency in ms", "Credits"] as const;

type FaultsProps = Readonly<{
  account: Account | undefined;
  actions: Actions;
  totals: Readonly<{ credits: number; costKes: number }>;
}>;

/** The panel that changes faults and account of the sandbox, at once. A change by others leaves what is typed here. */
export function Faults({ account, actions, totals }: FaultsProps) {
  const { balance = 0, faults = "none", rate = 0, senders = [] } = account ?? {};
  const panel = useRef<HTMLElement>(null);
  /** By the label of its field: what was typed, until the sandbox has it. */
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({});
  const [problem, setProblem] = useState<Readonly<{ label: string; text: string }>>();
  const latest = useRef(Promise.resolve());
  const wasCustom = useRef(false);
  const isCustom = !Object.values(presets).some((preset) => preset === faults);
  wasCustom.current ||= isCustom;

  const given = new Map(faults.split(",").map((part) => [part.trim().split(":")[0], part.split(":")[1] ?? ""]));
  const [from = "0", to = from] = (given.get("latency") ?? "0").split("..");
  const applied: Readonly<Record<string, string>> = {
    ...Object.fromEntries(faultList.map(({ name }) => [shareOf(name), given.get(name)?.replace("%", "") ?? "0"])),
    [least]: from,
    [most]: to,
    [credits]: String(balance),
  };

  useEffect(() => {
    const isPending = ([label, value]: readonly [string, string]) => Number(value) !== Number(applied[label]);
    setTyped((now) => Object.fromEntries(Object.entries(now).filter(isPending)));
  }, [faults, balance]);

  async function change(what: "account" | "reset", body?: object, label?: string): Promise<void> {
    const answer = await actions.ask(`/_sandbox/${what}`, "POST", body);
    if (answer === undefined) return;
    if (!answer.ok && label !== undefined) {
      const text: string = (await answer.json()).error;
      const wrong = faultList.find(({ name }) => text.includes(`"${name}:`));
      return setProblem({ label: wrong ? shareOf(wrong.name) : label, text });
    }
    setProblem(undefined);
    if (label === undefined) setTyped({});
    actions.say({ text: what === "reset" ? "The sandbox is as it was at its start" : "Applied" });
  }

  /** Applies what the fields show, once the change before it is answered. */
  function apply(label: string): void {
    latest.current = latest.current.then(() => {
      const inputs = panel.current?.querySelectorAll("input") ?? [];
      const shown = new Map([...inputs].map(({ ariaLabel, valueAsNumber }) => [ariaLabel, valueAsNumber]));
      if (label === credits) return change("account", { credits: shown.get(credits) }, label);
      const shares = faultList.map(({ name }) => [name, shown.get(shareOf(name)) || 0] as const);
      const parts = shares.flatMap(([name, share]) => (share === 0 ? [] : [`${name}:${share}%`]));
      const low = shown.get(least) || 0;
      const high = shown.get(most) || (label === least ? low : 0);
      if (low + high !== 0) parts.push(`latency:${low}..${high}`);
      return change("account", { faults: parts.join() || "none" }, label);
    });
  }

  const field = (label: string, max: number, unit: string) => (
    <div class="field soft">
      <input
        type="number"
        aria-label={label}
        aria-invalid={problem?.label === label}
        aria-describedby={problem?.label === label ? "problem" : undefined}
        min="0"
        max={max}
        step="any"
        value={account && (typed[label] ?? applied[label])}
        onInput={({ currentTarget: { value } }) => setTyped((now) => ({ ...now, [label]: value }))}
        onChange={() => apply(label)}
      />
      {` ${unit}`}
      {problem?.label === label && (
        <p id="problem" class="problem" role="alert">
          {problem.text}
        </p>
      )}
    </div>
  );
  return (
    <section id="faults" class="page" aria-labelledby="faults-title" tabIndex={-1} ref={panel}>
      <a class="back" href="#" aria-label="Back to messages">
        ‹
      </a>
      <h2 id="faults-title">Faults and account</h2>
      <p class="soft">Each change applies at once: a number by Enter, or on leaving its field.</p>
      <fieldset disabled={account === undefined}>
        <p class="actions">
          {Object.entries(presets).map(([name, preset]) => (
            <button aria-pressed={account && faults === preset} onClick={() => change("account", { faults: preset })}>
              {name}
            </button>
          ))}
        </p>
        <details id="custom" open={wasCustom.current}>
          <summary class={isCustom ? "on" : ""}>Custom</summary>
          <p class="soft">By the end of the number, or for a share of all sends.</p>
          <ul id="fault-list">
            {faultList.map(({ name, ending, does }) => (
              <li key={name}>
                <b>{name}</b>
                <code>{`…${ending}`}</code>
                <span class="soft">{does}.</span>
                {field(shareOf(name), 100, "%")}
                <button aria-label={`Send one now to …${ending}: ${name}`} onClick={() => actions.send(ending)}>
                  Send one now
                </button>
              </li>
            ))}
          </ul>
          <h3>Latency of every answer</h3>
          <div class="actions">
            {field(least, 600_000, "ms at least")}
            {field(most, 600_000, "ms at most")}
          </div>
        </details>
        <h3>Account</h3>
        {field(credits, 1_000_000_000, "credits left")}
        <p class="soft">{`Charged: ${count(totals.credits, "credit")} · ${inKes(totals.costKes)}`}</p>
        <p class="soft">{`${count(rate, "request")} a minute · sender IDs: ${senders.join(", ")}`}</p>
      </fieldset>
      <button onClick={() => confirm(resetQuestion) && change("reset")}>Reset the sandbox</button>
    </section>
  );
}

function shareOf(name: string): string {
  return `Share of ${name} in percent`;
}
