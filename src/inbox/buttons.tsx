import type { AnchorHTMLAttributes, ButtonHTMLAttributes } from "preact";
import { useRef, useState } from "preact/hooks";
import { oneLine } from "./text.tsx";

const shownMs = 1500;

export function Button({ label, ...others }: Readonly<{ label: string }> & ButtonHTMLAttributes) {
  return (
    <button type="button" {...others}>
      {label}
    </button>
  );
}

export function Link({ label, ...others }: Readonly<{ label: string }> & AnchorHTMLAttributes) {
  return <a {...others}>{label}</a>;
}

/** A button that copies a text, with visible code points for characters that would drive the terminal it is pasted into. */
export function CopyButton({ label, text }: Readonly<{ label: string; text: () => string }>) {
  const [result, setResult] = useState<string>();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const copy = async () => {
    clearTimeout(timer.current);
    setResult((await isCopied(oneLine(text()))) ? "Copied" : "Not copied");
    timer.current = setTimeout(setResult, shownMs, undefined);
  };
  return <Button class="copy" label={result ?? label} onClick={copy} />;
}

/** Whether the clipboard took a text. Over http from another machine there is no clipboard. */
async function isCopied(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
