interface KnownFault {
  readonly name: string;
  /** The last six digits of the number that gets it, behind +254700. */
  readonly ending: string;
  /** One sentence, without its full stop. */
  readonly does: string;
  /** Present if the message is accepted: what was wrong with the answer. */
  readonly broken?: string;
}

export const faultList: readonly KnownFault[] = [
  { name: "400", ending: "000400", does: "Refuses the message: a parameter is invalid" },
  { name: "401", ending: "000401", does: "Refuses the key" },
  { name: "402", ending: "000402", does: "Refuses the message: too few credits" },
  { name: "403", ending: "000403", does: "Refuses the sender ID" },
  { name: "429", ending: "000429", does: "Refuses the message: too many requests; by its number, only the first" },
  { name: "500", ending: "000500", does: "Fails, and does not accept the message" },
  { name: "502", ending: "000502", does: "Refuses the message as a gateway does, without a body" },
  { name: "503", ending: "000503", does: "Refuses the message for now, without a body" },
  { name: "reset-before", ending: "000597", does: "Cuts the connection, and does not accept the message" },
  {
    name: "reset-after",
    ending: "000598",
    does: "Accepts the message, then cuts the connection",
    broken: "the connection was cut",
  },
  { name: "hang", ending: "000599", does: "Accepts the message, and never answers", broken: "no answer" },
  {
    name: "garbage",
    ending: "000200",
    does: "Accepts the message, and answers 200 without JSON",
    broken: "the answer was not JSON",
  },
  {
    name: "cut-body",
    ending: "000201",
    does: "Accepts the message, and cuts the answer half-way",
    broken: "half an answer",
  },
];
