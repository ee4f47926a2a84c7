import { expect, it } from "vitest";
import { listingText } from "../../src/terminal/layout.ts";
import { terminal } from "./page.ts";

const runs = [
  ["RUN", "MODE", "STARTED", "ACCEPTED", "NOT ACCEPTED"],
  ["20261122-020844-qhsj", "test", "2 min ago", "1,000 of 1,000", ""],
  ["topup", "test", "3 h ago", "38 of 40", "1 rejected, 1 uncertain"],
];

const messages = [
  ["TIME", "TO", "FROM", "MODE", "SEGMENTS", "TEXT"],
  ["2 min ago", "+254712345678", "ACME", "test", "1", "Hi Ann, you owe KES 300. Please pay by Friday."],
];

it.each([
  [
    "has aligned columns",
    listingText(terminal(80), runs),
    [
      "  RUN                   MODE  STARTED    ACCEPTED        NOT ACCEPTED",
      "  20261122-020844-qhsj  test  2 min ago  1,000 of 1,000",
      "  topup                 test  3 h ago    38 of 40        1 rejected, 1 uncertain",
      "",
    ],
  ],
  [
    "that is too wide has its last column wrapped",
    listingText(terminal(80), messages),
    [
      "  TIME       TO             FROM  MODE  SEGMENTS  TEXT",
      "  2 min ago  +254712345678  ACME  test  1         Hi Ann, you owe KES 300.",
      "                                                  Please pay by Friday.",
      "",
    ],
  ],
  [
    "that is far too wide has its names on lines of their own, and cuts nothing",
    listingText(terminal(50), runs),
    [
      "  20261122-020844-qhsj",
      "    mode test, started 2 min ago, accepted 1,000",
      "    of 1,000",
      "  topup",
      "    mode test, started 3 h ago, accepted 38 of 40,",
      "    not accepted 1 rejected, 1 uncertain",
      "",
    ],
  ],
  [
    "has a line for each row where there is no terminal",
    listingText({ ...terminal(50), isTerminal: false }, messages),
    [
      "  TIME       TO             FROM  MODE  SEGMENTS  TEXT",
      "  2 min ago  +254712345678  ACME  test  1         Hi Ann, you owe KES 300. Please pay by Friday.",
      "",
    ],
  ],
])("a list %s", (_, text, lines) => {
  expect(text.split("\n")).toEqual(lines);
});
