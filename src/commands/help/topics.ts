export const topics = [
  { name: "exit-codes", summary: "what each exit code says about the message" },
  { name: "environment", summary: "the environment variables that sms reads" },
  { name: "recipients", summary: "numbers, and files of recipients" },
  { name: "templates", summary: "fields in the text, and what a segment is" },
  { name: "json", summary: "what --json prints" },
] as const;
