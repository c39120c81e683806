/**
 * A proxy in front of PostgreSQL that loses what a test wants lost: bytes of one direction or of both, the connections, the door; or one
 * statement, before it reaches the server, after it, or after the server has answered it. Only the last three need to know the protocol:
 * a statement is what a client sends up to its Sync (or one simple Query), and its answer ends with ReadyForQuery.
 */
import { connect, createServer, type Socket } from "node:net";
import { freePort } from "./free-port.ts";
import {
  createStatementReader,
  IS_ENCRYPTED,
  splitFromClient,
  splitFromServer,
  type Message,
} from "./postgres-messages.ts";

type Direction = "toServer" | "toClient";
/** `hold`: what comes waits until `pass`. `drop`: it is swallowed, and no end of a connection passes either: a black hole. */
type Passage = "pass" | "hold" | "drop";
/** The server never gets the statement; it gets it and no answer is heard; it has done it and no answer is heard. */
export type Moment = "beforeSend" | "afterSend" | "afterAnswer";
export const MOMENTS: readonly Moment[] = ["beforeSend", "afterSend", "afterAnswer"];
/** What happens to the connection of the statement. Work is waited for, and then all goes on as if nothing had been. */
type Fault = "cut" | "drop" | (() => Promise<unknown>);

interface Statement {
  readonly sql: string;
  /** Of the connection, from 1. */
  readonly connection: number;
}

interface Trap {
  readonly moment: Moment;
  readonly matches: (statement: Statement) => boolean;
  readonly fault: Fault;
  readonly caught: (statement: Statement) => void;
}

export interface PostgresProxy {
  readonly port: number;
  /** The same database through the proxy. */
  urlOf(url: string): string;
  set(passage: Passage | Partial<Record<Direction, Passage>>): void;
  /** Ends all connections, on both sides. */
  cut(): void;
  /** Ends all connections on one side; the other side hears of nothing. */
  halfOpen(kept: "client" | "server"): void;
  /** No longer listens; what is connected stays. */
  refuse(): void;
  listen(): Promise<void>;
  /** Catches one statement, the next that matches. */
  onNext(
    moment: Moment,
    matches: (statement: Statement) => boolean,
    fault: Fault,
  ): { readonly caught: Promise<Statement>; isCaught(): boolean; cancel(): void };
  /** What clients have asked, in the order in which it came. */
  readonly statements: Statement[];
  connectionCount(): number;
  close(): void;
}

export async function startFaultProxy(targetPort: number): Promise<PostgresProxy> {
  const passage: Record<Direction, Passage> = { toServer: "pass", toClient: "pass" };
  const lines = new Set<Line>();
  const traps = new Set<Trap>();
  const statements: Statement[] = [];
  let connectionCount = 0;
  const port = await freePort();
  const spring = (statement: Statement): Trap | undefined => {
    statements.push(statement);
    const trap = [...traps].find(({ matches }) => matches(statement));
    if (trap !== undefined) traps.delete(trap);
    return trap;
  };
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const target = connect({ port: targetPort, host: "127.0.0.1", allowHalfOpen: true });
    const line = createLine({ client, target, number: ++connectionCount, passage, spring });
    lines.add(line);
    target.on("close", () => client.destroyed && lines.delete(line));
    client.on("close", () => target.destroyed && lines.delete(line));
  });
  const listen = (): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    server.listen(port, "127.0.0.1", resolve);
    return promise;
  };
  await listen();
  return {
    port,
    urlOf: (url) => Object.assign(new URL(url), { port: String(port) }).href,
    set(wanted) {
      Object.assign(passage, typeof wanted === "string" ? { toServer: wanted, toClient: wanted } : wanted);
      for (const line of lines) line.flush();
    },
    cut() {
      for (const line of lines) line.cut();
    },
    halfOpen(kept) {
      for (const line of lines) line.halfOpen(kept);
    },
    refuse: () => void server.close(),
    listen,
    onNext(moment, matches, fault) {
      const { promise, resolve } = Promise.withResolvers<Statement>();
      let isCaught = false;
      const caught = (statement: Statement): void => {
        isCaught = true;
        resolve(statement);
      };
      const trap = { moment, matches, fault, caught };
      traps.add(trap);
      return { caught: promise, isCaught: () => isCaught, cancel: () => void traps.delete(trap) };
    },
    statements,
    connectionCount: () => connectionCount,
    close() {
      server.close();
      for (const line of lines) line.destroy();
    },
  };
}

/** One connection of a client, and ours to the server for it. */
interface Line {
  flush(): void;
  cut(): void;
  halfOpen(kept: "client" | "server"): void;
  destroy(): void;
}

interface LineOptions {
  readonly client: Socket;
  readonly target: Socket;
  readonly number: number;
  readonly passage: Readonly<Record<Direction, Passage>>;
  readonly spring: (statement: Statement) => Trap | undefined;
}

function createLine({ client, target, number, passage, spring }: LineOptions): Line {
  const line = { isLost: false, isHeld: false };
  const way = (to: Socket, direction: Direction): Way =>
    createWay(to, () => (line.isLost ? "drop" : line.isHeld ? "hold" : passage[direction]));
  const toServer = way(target, "toServer");
  const toClient = way(client, "toClient");
  const flush = (): void => {
    toServer.flush();
    toClient.flush();
  };
  /** The server keeps what it has got: a reset could take it away from it unread. */
  const cut = (): void => {
    line.isLost = true;
    client.resetAndDestroy();
    target.end();
    target.resume();
  };
  const happen = ({ fault, caught }: Trap, statement: Statement): void => {
    caught(statement);
    if (fault === "cut") return cut();
    if (fault === "drop") return void (line.isLost = true);
    line.isHeld = true;
    void fault().finally(() => {
      line.isHeld = false;
      flush();
    });
  };
  const answers = splitFromServer();
  const asked: { statement: Statement; trap: Trap | undefined; answer: Buffer[] }[] = [];
  const sendStatement = (bytes: Buffer, statement: Statement): void => {
    const trap = spring(statement);
    asked.push({ statement, trap, answer: [] });
    if (trap?.moment === "beforeSend") happen(trap, statement);
    toServer.pass(bytes);
    if (trap?.moment === "afterSend") happen(trap, statement);
  };
  const questions = createQuestions(number, {
    other: ({ type, bytes }) => {
      if (type === IS_ENCRYPTED) answers.expectByte();
      toServer.pass(bytes);
    },
    statement: sendStatement,
  });
  const takeAnswer = ({ type, bytes }: Message): void => {
    const current = asked[0];
    if (current?.trap?.moment !== "afterAnswer") toClient.pass(bytes);
    else current.answer.push(bytes);
    if (type !== "Z" || current === undefined) return;
    asked.shift();
    if (current.trap?.moment !== "afterAnswer") return;
    happen(current.trap, current.statement);
    for (const part of current.answer) toClient.pass(part);
  };
  client.on("data", (chunk: Buffer) => questions.push(chunk));
  target.on("data", (chunk: Buffer) => answers.push(chunk).forEach(takeAnswer));
  // The answer to the start ends with a ReadyForQuery too: nothing was asked then, so nothing is counted.
  for (const [from, to] of [
    [client, toServer],
    [target, toClient],
  ] as const) {
    from.setNoDelay(true);
    from.on("end", () => to.end());
    from.on("close", () => to.end());
  }
  client.on("error", () => {});
  // A server that is not there, or resets: a client without a proxy would hear it in the same way.
  target.on("error", () => toClient.reset());
  return {
    flush,
    cut,
    halfOpen(kept) {
      line.isLost = true;
      (kept === "client" ? target : client).resetAndDestroy();
    },
    destroy() {
      client.destroy();
      target.destroy();
    },
  };
}

interface Way {
  pass(bytes: Buffer): void;
  end(): void;
  reset(): void;
  flush(): void;
}

/** One direction: what is held keeps its order, and its end comes last. */
function createWay(to: Socket, passage: () => Passage): Way {
  let held: Buffer[] = [];
  let hasEnd = false;
  const flush = (): void => {
    if (passage() !== "pass" || to.destroyed || to.writableEnded) return;
    for (const bytes of held) to.write(bytes);
    held = [];
    if (hasEnd) to.end();
  };
  return {
    pass(bytes) {
      if (passage() !== "drop") held.push(bytes);
      flush();
    },
    end() {
      hasEnd = true;
      flush();
    },
    reset() {
      if (passage() === "pass") to.resetAndDestroy();
    },
    flush,
  };
}

interface Questions {
  push(chunk: Buffer): void;
}

interface QuestionListener {
  readonly other: (message: Message) => void;
  readonly statement: (bytes: Buffer, statement: Statement) => void;
}

/** Gathers what a client sends into statements. */
function createQuestions(connection: number, listener: QuestionListener): Questions {
  const splitter = splitFromClient();
  const reader = createStatementReader();
  let parts: Buffer[] = [];
  let sql: string | undefined;
  const take = (message: Message): void => {
    const text = reader.sqlOf(message);
    sql ??= text;
    const isPart = "PBDECS".includes(message.type) || message.type === "Q";
    if (!isPart) return listener.other(message);
    parts.push(message.bytes);
    if (message.type !== "S" && message.type !== "Q") return;
    const bytes = Buffer.concat(parts);
    const statement = { sql: sql ?? "", connection };
    parts = [];
    sql = undefined;
    listener.statement(bytes, statement);
  };
  return { push: (chunk) => splitter.push(chunk).forEach(take) };
}
