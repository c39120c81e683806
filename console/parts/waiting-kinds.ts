/** The kinds of what waits for a person, in the order in which they matter: first what a client waits for. */
export const KIND_WORDS = {
  approval: { title: "Approvals", ask: "A rule or a workflow asks before it goes on." },
  uncertain: { title: "Uncertain calls", ask: "They were sent, and no answer is on record." },
  resume: {
    title: "Ready to resume",
    ask: "Every question is answered; the run goes on when it is resumed.",
  },
  given_up: { title: "Given up", ask: "Five attempts of a background run came to no end." },
  held: { title: "Held tools", ask: "A server offers something that is not approved yet." },
  input: { title: "Missing inputs", ask: "A server does not start without a value." },
  login: { title: "Logins", ask: "A server refuses us until somebody logs in." },
} as const satisfies Readonly<Record<string, { readonly title: string; readonly ask: string }>>;

export type WaitingKind = keyof typeof KIND_WORDS;

export const WAITING_KINDS = Object.keys(KIND_WORDS) as readonly WaitingKind[];
