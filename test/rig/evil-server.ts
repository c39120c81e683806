/**
 * Joins the good answers with the faults of the script, without knowing the transport. Each message is handled on its own, so a
 * slow answer does not hold up the next one, and answers may overtake each other.
 */
import { appendFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { createAnswers, metaOf, text, withSubscription } from "./evil-answers.ts";
import type { Answer, Id, Json, Message } from "./evil-answers.ts";
import type { EvilExit, EvilFault, EvilRule, EvilScript } from "./evil-script.ts";

/** Where the answer to a message goes, and how badly. */
export interface Wire {
  /** What happens before the answer; true if nothing of the answer may follow. */
  disturb(fault: EvilFault): Promise<boolean>;
  /** Resolves when the bytes are out. If it is cut, only half of the last message is written. */
  write(messages: readonly Message[], fault: EvilFault, cut?: boolean): Promise<void>;
}

/** How long a request to the client waits for its answer, so that a client that must not answer does not hang a test. */
const CLIENT_LIMIT_MS = 2_000;
/** The kinds of notification that belong to a stream of their own, not to a request. */
const STREAMED = /list_changed$|resources\/updated$/;

/** The key of the one stream that no request opened. */
const STANDALONE = "standalone";

export function createEvilServer(script: EvilScript) {
  const answers = createAnswers(script);
  const rules = (script.rules ?? []).map((rule) => ({ rule, seenCount: 0 }));
  const streams = new Map<Id, Wire>();
  const running = new Map<Id, AbortController>();
  const asked = new Map<Id, (answer: unknown) => void>();
  let receivedCount = 0;
  let askedCount = 0;

  function faultOf(message: Message): EvilFault {
    const opening = message.method === "initialize" || message.method === "server/discover";
    const faults: EvilFault[] = opening ? [script.onInitialize ?? {}] : [];
    for (const entry of rules) {
      if (!matches(entry.rule, message)) continue;
      entry.seenCount++;
      if (isDue(entry.rule, entry.seenCount)) faults.push(entry.rule);
    }
    return Object.assign({}, ...faults) as EvilFault;
  }

  async function notify(fault: EvilFault, wire: Wire): Promise<void> {
    for (const { method, params, times = 1 } of fault.notify ?? []) {
      for (let i = 0; i < times; i++) await announce(method, params, wire);
    }
  }

  async function announce(method: string, params: Json | undefined, wire: Wire): Promise<void> {
    const notification = { jsonrpc: "2.0", method, ...(params && { params }) };
    if (!STREAMED.test(method) || streams.size === 0) return wire.write([notification], {});
    for (const [id, stream] of streams) {
      const own =
        id === STANDALONE ? notification : { ...notification, params: withSubscription(params, id) };
      await stream.write([own], {});
    }
  }

  async function askClient(request: NonNullable<EvilFault["request"]>, wire: Wire): Promise<unknown> {
    const id = `evil-${++askedCount}`;
    const { promise, resolve } = Promise.withResolvers<unknown>();
    asked.set(id, resolve);
    await wire.write([{ jsonrpc: "2.0", id, method: request.method, params: request.params as Json }], {});
    const limit = sleep(request.limitMs ?? CLIENT_LIMIT_MS, "no answer", { ref: false });
    return Promise.race([promise, limit]);
  }

  async function answerOf(request: Message, fault: EvilFault, wire: Wire): Promise<Answer> {
    if (fault.error) return { error: fault.error };
    const echoed = fault.request ? await askClient(fault.request, wire) : request.params?.["inputResponses"];
    if (fault.inputRequired && echoed === undefined) {
      const inputRequests = fault.inputRequired;
      return { result: { resultType: "input_required", inputRequests, requestState: "evil" } };
    }
    if (fault.request ?? fault.inputRequired) {
      return { result: { ...text(JSON.stringify(echoed)), structuredContent: { answer: echoed } } };
    }
    if (fault.rawBody !== undefined) return { result: {} };
    if (fault.result !== undefined) return { result: fault.result };
    if (fault.bigResult !== undefined) return { result: text("x".repeat(fault.bigResult)) };
    const controller = new AbortController();
    running.set(request.id!, controller);
    return answers.answer(request, controller.signal).finally(() => running.delete(request.id!));
  }

  async function respond(request: Message, fault: EvilFault, wire: Wire): Promise<void> {
    const answer = await answerOf(request, fault, wire);
    const body = "result" in answer ? { result: answers.dress(request, answer.result) } : answer;
    const response = { jsonrpc: "2.0", id: idOf(request.id!, fault), ...body };
    const burst = [...progressOf(request, fault), response, ...(fault.duplicate ? [response] : [])];
    await wire.write(burst, fault, fault.exit?.when === "middle");
    if (fault.exit) endProcess(fault.exit);
  }

  function listen(request: Message, wire: Wire): Promise<void> {
    streams.set(request.id!, wire);
    const params = withSubscription({ notifications: request.params?.["notifications"] }, request.id!);
    const method = "notifications/subscriptions/acknowledged";
    return wire.write([{ jsonrpc: "2.0", method, params }], {});
  }

  function cancel(id: Id): void {
    running.get(id)?.abort();
    streams.delete(id);
  }

  function takeNotification(message: Message): void {
    if (message.method === "notifications/cancelled") {
      cancel(message.params?.["requestId"] as Id);
    } else if (message.method === undefined) {
      asked.get(message.id!)?.(message["result"] ?? message["error"]);
    }
  }

  return {
    async receive(message: Message, wire: Wire): Promise<void> {
      receivedCount++;
      journal(script, { message });
      if (script.exitAfter && receivedCount >= script.exitAfter.messages) endProcess(script.exitAfter);
      if (message.method === "tools/call" && script.countFile !== undefined) {
        appendFileSync(script.countFile, `${JSON.stringify(message.params)}\n`);
      }
      if (script.era === "silent") return;
      const fault = faultOf(message);
      if (fault.delayMs !== undefined) await sleep(fault.delayMs);
      if (await wire.disturb(fault)) return;
      if (fault.exit && (fault.exit.when ?? "before") === "before") endProcess(fault.exit);
      await notify(fault, wire);
      if (message.id === undefined || message.method === undefined) return takeNotification(message);
      if (fault.never) return;
      if (message.method === "subscriptions/listen") return listen(message, wire);
      // A cancelled request has no answer.
      await respond(message, fault, wire).catch((error: Error) => {
        if (error.name !== "AbortError") throw error;
      });
    },
    cancel,
    /** A stream for what belongs to no request (the GET of legacy HTTP); returns what ends it. */
    openStream(wire: Wire): () => void {
      streams.set(STANDALONE, wire);
      return () => streams.delete(STANDALONE);
    },
  };
}

export type EvilServer = ReturnType<typeof createEvilServer>;

export function journal(script: EvilScript, entry: Json): void {
  if (script.journalFile !== undefined) appendFileSync(script.journalFile, `${JSON.stringify(entry)}\n`);
}

export function endProcess(exit: EvilExit): never {
  if (exit.signal !== undefined) {
    process.kill(process.pid, exit.signal);
    // Another thread may take the signal: stand still, so that the exit below cannot win.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_000);
  }
  process.exit(exit.code ?? 0);
}

function matches(rule: EvilRule, message: Message): boolean {
  if (rule.method !== undefined && rule.method !== message.method) return false;
  if (rule.tool === undefined) return true;
  return message.method === "tools/call" && message.params?.["name"] === rule.tool;
}

function isDue(rule: EvilRule, seenCount: number): boolean {
  if (rule.nth !== undefined) return [rule.nth].flat().includes(seenCount);
  return seenCount >= (rule.from ?? 1);
}

/** An answer as the script wants it written; any other message as it is. */
export function textOfMessage(message: Message, { rawBody, idLast }: EvilFault): string {
  const isAnswer = message.method === undefined;
  if (!isAnswer || (rawBody === undefined && idLast !== true)) return JSON.stringify(message);
  const { jsonrpc, id, ...body } = message;
  const head = { jsonrpc: `"jsonrpc":${JSON.stringify(jsonrpc)}`, id: `"id":${JSON.stringify(id)}` };
  const inner = rawBody ?? JSON.stringify(body).slice(1, -1);
  const parts = idLast === true ? [head.jsonrpc, inner, head.id] : [head.jsonrpc, head.id, inner];
  return `{${parts.filter((part) => part !== "").join(",")}}`;
}

function idOf(id: Id, fault: EvilFault): Id {
  if (fault.wrongId) return typeof id === "number" ? id + 1_000_000 : `${id}-wrong`;
  return fault.stringId ? String(id) : id;
}

function progressOf(request: Message, fault: EvilFault): Message[] {
  const progressToken = metaOf(request)["progressToken"];
  if (progressToken === undefined) return [];
  const total = fault.progress ?? 0;
  return Array.from({ length: total }, (_, index) => ({
    jsonrpc: "2.0",
    method: "notifications/progress",
    params: { progressToken, progress: index + 1, total },
  }));
}
