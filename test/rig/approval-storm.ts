/**
 * One storm: a run that pays four times, with a question before each payment but the first. Its gateways are killed at random moments and
 * crash points; a person answers through a modern client or on the command line, and answers are sent again, at once and later, to
 * whichever gateway is there. The person says yes only to what was shown, and the server has every payment on disk: so a payment that
 * happened twice or never, and one that was approved before its own yes, is counted.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { BIN, environmentOf } from "../fixtures/gateway-process.ts";
import { createCounterHome, type CounterHome, type UncertainCall } from "./counter-home.ts";
import { answering, type Asked } from "./decision-place.ts";
import type { Message } from "./http-process.ts";
import { answerOf } from "./kill-scenario.ts";
import { openWire, type Wire } from "./modern-wire.ts";
import { checkAllEnded, checkRecords, readRecords, rootsOf } from "./run-records.ts";

export interface StormEnd {
  readonly kills: number;
  readonly doubled: number;
  readonly byClient: number;
  readonly byCommand: number;
  readonly uncertain: number;
  readonly repeated: number;
  readonly lost: number;
  readonly unseen: number;
}

const NUMBERS = [1, 2, 3, 4];
/** Then the weather clears, so that every storm ends. */
const KILLS_MAX = 10;
const TURNS_MAX = 200;
/** About what a gateway needs to start, go on with the run and ask. */
const LIFE_MS = 500;
const COMMAND_MS = 250;
/** Where a gateway dies; the number is the visit. */
const DEATHS = [
  "run.started",
  "step.arriving",
  "step.opened",
  "step.opened:2",
  "step.sent",
  "step.answered",
  "step.closed",
  "step.closed:2",
  "approval.asked",
  "approval.asked:2",
  "state.spent",
  "state.spent:2",
  "approval.decided",
  "approval.decided:2",
  "resume.claimed",
  "resume.started",
  "run.ending",
  "run.ended",
];

/** A call of `execute`: its arguments, and what is said with them. */
interface Request {
  readonly args: Readonly<Record<string, unknown>>;
  readonly round?: object;
}

interface Structure {
  readonly success?: boolean;
  readonly run_id?: string;
  readonly error?: {
    readonly reason?: string;
    readonly runId?: string;
    readonly nearest?: readonly string[];
  } | null;
  readonly checkpoint?: {
    readonly uncertain?: readonly UncertainCall[];
    readonly waiting_for?: { readonly message: string; readonly question: string };
  } | null;
}

const START: Request = { args: { name: "storm" } };

export async function playStorm(random: () => number): Promise<StormEnd> {
  const home = createCounterHome();
  writeDraft(home);
  const storm = new Storm(home, random);
  await storm.play();
  await home.isQuiet();
  const records = readRecords(home);
  checkRecords(records);
  checkAllEnded(records);
  return storm.end();
}

function writeDraft({ home }: CounterHome): void {
  const pay = (n: number) => ({ id: `pay${n}`, type: "counter__add", params: { n } });
  const ask = (n: number) => ({ id: `ask${n}`, type: "approve", params: { message: `Pay ${n}?` } });
  const nodes = NUMBERS.flatMap((n) => (n === 1 ? [pay(n)] : [ask(n), pay(n)]));
  const edges = nodes.slice(1).map(({ id }, at) => ({ from: nodes[at]!.id, to: id }));
  mkdirSync(join(home, "drafts"), { recursive: true, mode: 0o700 });
  writeFileSync(join(home, "drafts/storm.json"), JSON.stringify({ ir_version: "1.0", nodes, edges }));
}

class Storm {
  readonly #home: CounterHome;
  readonly #random: () => number;
  readonly #yes = new Set<number>();
  /** Every answer that was ever given through the client. */
  readonly #answers: Request[] = [];
  readonly #counts = { kills: 0, doubled: 0, byClient: 0, byCommand: 0, uncertain: 0 };
  #unseen = 0;
  #wire: Wire | undefined;

  constructor(home: CounterHome, random: () => number) {
    this.#home = home;
    this.#random = random;
  }

  async play(): Promise<void> {
    let request: Request | undefined = START;
    for (let turn = 0; request !== undefined; turn++) {
      if (turn === TURNS_MAX) throw new Error(`the storm does not end: ${JSON.stringify(request)}`);
      request = await this.#turn(request);
    }
    await this.#wire?.kill();
  }

  end(): StormEnd {
    const paid = this.#paid();
    const counts = NUMBERS.map((n) => paid.filter((one) => one === n).length);
    return {
      ...this.#counts,
      repeated: counts.reduce((sum, count) => sum + Math.max(0, count - 1), 0),
      lost: counts.filter((count) => count === 0).length,
      unseen: this.#unseen + NUMBERS.filter((n) => n > 1 && paid.includes(n) && !this.#yes.has(n)).length,
    };
  }

  /** Undefined when the run has its result. */
  async #turn(request: Request): Promise<Request | undefined> {
    const wire = (this.#wire ??= this.#open());
    const sent = execute(wire, request);
    void this.#repeatOld(wire);
    if (this.#isStormy() && this.#chance(0.4)) void sleep(this.#random() * LIFE_MS).then(() => wire.kill());
    const message = await sent;
    if (message !== undefined) {
      // What waits now was shown to nobody yet.
      await this.#repeatOld(wire);
      return this.#react(request, message);
    }
    this.#wire = undefined;
    this.#counts.kills++;
    await this.#home.isQuiet();
    // A client that heard nothing sends the same again, or asks what became of the run.
    return request.round !== undefined && this.#chance(0.5) ? request : this.#newest();
  }

  /** Sends an answer of earlier once more. */
  async #repeatOld(wire: Wire): Promise<void> {
    const old = this.#chance(0.4) ? this.#pick(this.#answers) : undefined;
    if (old === undefined) return;
    this.#counts.doubled++;
    await execute(wire, old);
  }

  async #react(request: Request, message: Message): Promise<Request | undefined> {
    if (message.error !== undefined) return this.#newest();
    if (message.result?.["resultType"] === "input_required") {
      const asked = message.result as unknown as Asked;
      this.#sayYes(asked.inputRequests["approval"]!.params.message);
      this.#counts.byClient++;
      const answer = { args: request.args, round: answering(asked) };
      this.#answers.push(answer);
      return answer;
    }
    const { success, run_id: runId, error, checkpoint } = message.result!["structuredContent"] as Structure;
    if (success === true) return undefined;
    switch (error?.reason) {
      case "approval_required":
        await this.#command(runId!, checkpoint!.waiting_for!);
        return { args: { resume: runId } };
      case "uncertain_step":
        this.#counts.uncertain++;
        return {
          args: { resume: runId, uncertain: checkpoint!.uncertain!.map((call) => this.#lookUp(call)) },
        };
      case "already_answered":
      case "superseded":
        return this.#newest();
      default:
        throw new Error(`The run did not go on: ${JSON.stringify(message)}`);
    }
  }

  /** Of what is on record now; a run that is not has done nothing. */
  #newest(): Request {
    const isMade = existsSync(join(this.#home.home, "repertoire.db"));
    const last = isMade ? rootsOf(readRecords(this.#home)).at(-1) : undefined;
    if (last !== undefined) return { args: { resume: last.id } };
    if (this.#paid().length > 0) throw new Error("effects of a run that is not on record");
    return START;
  }

  #sayYes(message: string): void {
    const n = Number(/^Pay (\d)\?/.exec(message)![1]);
    if (!this.#yes.has(n) && (this.#isApproved(n) || this.#paid().includes(n))) this.#unseen++;
    this.#yes.add(n);
  }

  #isApproved(n: number): boolean {
    return readRecords(this.#home).steps.some(
      ({ tool, key, status }) => tool === "approve" && status === "succeeded" && key.includes(`ask${n}`),
    );
  }

  /** On the command line, perhaps twice at once, perhaps killed. */
  async #command(runId: string, { message, question }: { message: string; question: string }): Promise<void> {
    this.#sayYes(message);
    this.#counts.byCommand++;
    const times = this.#chance(0.4) ? 2 : 1;
    this.#counts.doubled += times - 1;
    await Promise.all(Array.from({ length: times }, () => this.#approve(runId, question)));
  }

  async #approve(runId: string, question: string): Promise<void> {
    const isDoomed = this.#isStormy() && this.#chance(0.3);
    const { folder } = this.#home;
    const crashAt = isDoomed && this.#chance(0.5) ? "approval.decided" : undefined;
    const { env, args = [] } = this.#home.optionsFor(crashAt);
    const child = spawn(process.execPath, [BIN, "approve", runId, "--question", question, "--yes", ...args], {
      cwd: folder,
      env: environmentOf(folder, env),
      stdio: "ignore",
    });
    if (isDoomed) void sleep(this.#random() * COMMAND_MS).then(() => child.kill("SIGKILL"));
    await once(child, "close");
  }

  #lookUp({ tool, args }: UncertainCall): "retry" | { readonly result: unknown } {
    const happened = this.#home
      .effects()
      .some((effect) => tool === `counter__${effect.tool}` && isDeepStrictEqual(effect.args, args));
    return happened ? { result: answerOf(args) } : "retry";
  }

  #paid(): number[] {
    return this.#home.effects().map(({ args }) => args.n);
  }

  /** Half of the clients can ask their user; for the others the command line is there. */
  #open(): Wire {
    const crashAt = this.#isStormy() && this.#chance(0.6) ? this.#pick(DEATHS) : undefined;
    return openWire(this.#home.optionsFor(crashAt), { canAsk: this.#chance(0.6) });
  }

  #isStormy(): boolean {
    return this.#counts.kills < KILLS_MAX;
  }

  #chance(of: number): boolean {
    return this.#random() < of;
  }

  #pick<T>(list: readonly T[]): T | undefined {
    return list[Math.floor(this.#random() * list.length)];
  }
}

/** Undefined when the gateway ended before it answered. */
function execute(wire: Wire, { args, round }: Request): Promise<Message | undefined> {
  return wire.request("tools/call", { name: "execute", arguments: args, ...round });
}
