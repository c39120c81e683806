/** Everything that waits for a person, in one list: what it is, since when, and the command that settles it. */
import type { JsonObject } from "../core/json.ts";
import type { RunSummary } from "../core/store.ts";
import type { Redactors } from "../text/redactors.ts";
import type { AskedQuestion, WaitingRun } from "../runs/resume/waiting-runs.ts";
import type { Runs } from "../runs/runs.ts";
import type { ServerView } from "./server-view.ts";

/** Something that waits. */
export interface InboxItem {
  readonly kind: "approval" | "uncertain" | "resume" | "given_up" | "held" | "input" | "login";
  /** The run, the server or the input. */
  readonly subject: string;
  /** One line for a list. */
  readonly title: string;
  /** In ms since 1970, where it is known. */
  readonly since?: number;
  /** Until when it can be answered. */
  readonly expiresAt?: number;
  /** The id of the question. */
  readonly question?: string;
  /** Exactly what would be done, or what is known of it. */
  readonly details?: JsonObject;
  /** Of what belongs to a run, who started that: the id of a principal, null for the person at this machine. */
  readonly owner?: string | null;
  /** The command of the command line that settles it. */
  readonly command: readonly string[];
}

/** As `repertoire inbox --json` and the HTTP route print it. */
export function viewInboxItem({ since, expiresAt, owner: _owner, command, ...item }: InboxItem) {
  return {
    ...item,
    command: [...command],
    ...(since !== undefined && { since: new Date(since).toISOString() }),
    ...(expiresAt !== undefined && { expires: new Date(expiresAt).toISOString() }),
  };
}

/** Something that a server offers and a person has not approved. */
interface HeldThing {
  readonly server: string;
  readonly kind: string;
  readonly name: string;
  readonly since: string | null;
  readonly reasons: readonly string[];
  /** Of what is offered; a decision is bound to it. */
  readonly offeredHash: string | null;
}

export interface InboxDeps {
  readonly runs: Pick<Runs, "listWaiting" | "listDead">;
  readonly viewServers: () => Promise<readonly ServerView[]>;
  readonly listHeld: () => Promise<readonly HeldThing[]>;
  readonly redactors: Pick<Redactors, "current">;
}

/** More runs than a person looks through; older ones are in `repertoire runs`. */
const RUNS_MAX = 1_000;

export async function readInbox(deps: InboxDeps): Promise<InboxItem[]> {
  const [waiting, dead, held, servers] = await Promise.all([
    deps.runs.listWaiting(RUNS_MAX),
    deps.runs.listDead(RUNS_MAX),
    deps.listHeld(),
    deps.viewServers(),
  ]);
  const items = [
    ...waiting.flatMap(itemsOfRun),
    ...dead.map(itemOfDead),
    ...held.map(itemOfHeld),
    ...servers.flatMap(itemsOfServer),
  ];
  return deps.redactors.current().value(items) as InboxItem[];
}

function itemsOfRun(run: WaitingRun): InboxItem[] {
  const { runId, uncertain, questions, isAnswered, startedAt, intent, principal: owner } = run;
  const about = intent === null ? "" : ` (${intent})`;
  const purpose: JsonObject = intent === null ? {} : { intent };
  const since = startedAt;
  return [
    ...questions.map((question) => itemOfQuestion(run, question)),
    ...(uncertain.length === 0
      ? []
      : [
          {
            kind: "uncertain" as const,
            subject: runId,
            title: `${uncertain.map(({ tool }) => tool).join(", ")} may or may not have happened${about}`,
            since,
            owner,
            details: {
              calls: uncertain.map(callOf),
              ...purpose,
            },
            command: ["resume", runId, "--uncertain", "retry"],
          },
        ]),
    ...(isAnswered
      ? [
          {
            kind: "resume" as const,
            subject: runId,
            title: `every question is answered, and the run goes on when it is resumed${about}`,
            since,
            owner,
            details: purpose,
            command: ["resume", runId],
          },
        ]
      : []),
  ];
}

/** A background run that the queue has given up. */
function itemOfDead({ id, intent, principal: owner, finishedAt, error }: RunSummary): InboxItem {
  const about = intent === null ? "" : ` (${intent})`;
  return {
    kind: "given_up",
    subject: id,
    title: `the run was given up${about}: ${typeof error?.["message"] === "string" ? error["message"] : "no attempt came to an end"}`,
    ...(finishedAt !== null && { since: finishedAt }),
    owner,
    details: {
      ...(error !== null && { error }),
      ...(intent !== null && { intent }),
      dismiss: ["dismiss", id],
    },
    command: ["retry", id],
  };
}

function callOf({ runId, name, tool, args, sentAt }: WaitingRun["uncertain"][number]): JsonObject {
  return { run_id: runId, name, tool, args, sent_at: new Date(sentAt).toISOString() };
}

function itemOfQuestion(
  { runId, startedAt, intent, principal: owner }: WaitingRun,
  question: AskedQuestion,
): InboxItem {
  const { name, message, details, expiresAt, questionId } = question;
  return {
    kind: "approval",
    subject: runId,
    title: `${name}: ${message}`,
    since: startedAt,
    owner,
    ...(expiresAt !== null && { expiresAt }),
    question: questionId,
    details: { name, message, details, ...(intent !== null && { intent }) },
    command: ["approve", runId, "--question", questionId],
  };
}

function itemOfHeld({ server, kind, name, since, reasons, offeredHash }: HeldThing): InboxItem {
  const what = name === "" ? `the ${kind} of ${server}` : `${kind} ${server}/${name}`;
  return {
    kind: "held",
    subject: server,
    title: `${what} is held: ${reasons.join("; ")}`,
    ...(since !== null && { since: Date.parse(since) }),
    details: { server, kind, name, hash: offeredHash, reasons },
    command: ["approve", server, ...(name === "" ? [] : [name])],
  };
}

function itemsOfServer({ id, missingInputs = [], cause }: ServerView): InboxItem[] {
  return [
    ...missingInputs.map((input) => ({
      kind: "input" as const,
      subject: input,
      title: `the server ${id} needs a value for ${input}`,
      details: { server: id },
      command: ["input", "set", input],
    })),
    ...(cause === "auth_required"
      ? [
          {
            kind: "login" as const,
            subject: id,
            title: `the server ${id} needs a login`,
            command: ["login", id],
          },
        ]
      : []),
  ];
}
