declare module "split-sms" {
  interface Part {
    readonly content: string;
  }
  interface Split {
    readonly characterSet: "GSM" | "Unicode";
    readonly parts: readonly Part[];
    /** Septets for GSM, octets for Unicode. */
    readonly bytes: number;
    /** Units free in the last part. */
    readonly remainingInPart: number;
  }
  export function split(message: string): Split;
}
