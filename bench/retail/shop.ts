/**
 * The state of a shop: `db.json`, which nothing writes to, and on top of it the records that actions have changed. Each action is a
 * line of a log with the whole of what it changed, on the disk before the action is answered. So a shop opened again is what its
 * log says: an action has happened if its line is whole, and reading the log twice changes nothing.
 */
import { closeSync, existsSync, fsyncSync, ftruncateSync, openSync, readFileSync, writeSync } from "node:fs";
import { Refusal, type Changes, type Database, type Order, type Product, type User } from "./records.ts";

/** A call of a tool that is not read-only, as it is on disk. */
export interface LogEntry {
  /** The number of the call since the server began with this log, reads included. */
  readonly call: number;
  readonly tool: string;
  readonly args: object;
  /** What was answered, or is about to be. */
  readonly answer?: unknown;
  /** Why nothing happened. */
  readonly refused?: string;
  readonly changes?: Changes;
}

export interface Shop {
  readonly products: Database["products"];
  users(): User[];
  requireUser(id: string): User;
  requireOrder(id: string): Order;
  requireProduct(id: string): Product;
  /** Returns when it is on the disk. */
  append(entry: LogEntry): void;
  close(): void;
}

export function readDatabase(file: string): Database {
  return JSON.parse(readFileSync(file, "utf8")) as Database;
}

/** The actions of a log; a line that was being written is not there. */
export function readLog(file: string): LogEntry[] {
  if (!existsSync(file)) return [];
  return wholeLines(readFileSync(file, "utf8"))
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as LogEntry);
}

/** The records that are not those of `db.json` any more. */
export function changesOf(entries: readonly LogEntry[]): Required<Changes> {
  return {
    users: Object.assign({}, ...entries.map(({ changes }) => changes?.users)) as Required<Changes>["users"],
    orders: Object.assign(
      {},
      ...entries.map(({ changes }) => changes?.orders),
    ) as Required<Changes>["orders"],
  };
}

export function openShop({ products, users, orders }: Database, logFile: string): Shop {
  const changed = changesOf(readLog(logFile));
  const changedUsers = new Map(Object.entries(changed.users));
  const changedOrders = new Map(Object.entries(changed.orders));
  const log = openLog(logFile);
  return {
    products,
    users: () => Object.values(users).map((user) => changedUsers.get(user.user_id) ?? user),
    requireUser: (id) => changedUsers.get(id) ?? requireIn(users, id, "user"),
    requireOrder: (id) => changedOrders.get(id) ?? requireIn(orders, id, "order"),
    requireProduct: (id) => requireIn(products, id, "product"),
    append(entry) {
      writeSync(log, `${JSON.stringify(entry)}\n`);
      fsyncSync(log);
      for (const user of Object.values(entry.changes?.users ?? {})) changedUsers.set(user.user_id, user);
      for (const order of Object.values(entry.changes?.orders ?? {}))
        changedOrders.set(order.order_id, order);
    },
    close: () => closeSync(log),
  };
}

/** Ready for the next line: what is left of one that was never finished goes. */
function openLog(file: string): number {
  const log = openSync(file, "a", 0o600);
  ftruncateSync(log, Buffer.byteLength(wholeLines(readFileSync(file, "utf8"))));
  return log;
}

function wholeLines(text: string): string {
  return text.slice(0, text.lastIndexOf("\n") + 1);
}

function requireIn<T>(records: Readonly<Record<string, T>>, id: string, kind: string): T {
  const found = Object.hasOwn(records, id) ? records[id] : undefined;
  if (found === undefined) throw new Refusal(`There is no ${kind} ${JSON.stringify(id)}.`);
  return found;
}
