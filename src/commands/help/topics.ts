/** A page of `sms help` that is not about one command. */
export interface Topic {
  readonly name: "exit-codes" | "environment" | "recipients" | "templates" | "json";
  readonly summary: string;
}

/** The pages of `sms help` that are not about one command. Their texts are in help-texts.ts. */
export const topics: readonly Topic[] = [
  { name: "exit-codes", summary: "what each exit code says about the message" },
  { name: "environment", summary: "the environment variables that sms reads" },
  { name: "recipients", summary: "numbers, and files of recipients" },
  { name: "templates", summary: "fields in the text, and what a segment is" },
  { name: "json", summary: "what --json prints" },
];
