/** What a spend may be divided by. */
export const divisions = ["day", "key", "run", "sender"] as const;

export type Division = (typeof divisions)[number];
