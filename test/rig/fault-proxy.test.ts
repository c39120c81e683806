import { Client } from "pg";
import { describe, expect, onTestFinished, test } from "vitest";
import { eventually, eventuallyAsync } from "../fixtures/temporary.ts";
import { startFaultProxy } from "./fault-proxy.ts";
import { temporaryDatabase } from "./shared-postgres.ts";

/** A client through the proxy, one beside it that counts rows, and a table of words. */
async function prepare() {
  const url = await temporaryDatabase();
  const proxy = await startFaultProxy(Number(new URL(url).port));
  onTestFinished(() => proxy.close());
  const beside = await connectTo(url);
  await beside.client.query("create table words (word text)");
  const rows = async (): Promise<string[]> => {
    const { rows: found } = await beside.client.query<{ word: string }>(
      "select word from words order by word",
    );
    return found.map(({ word }) => word);
  };
  const dial = () => connectTo(proxy.urlOf(url));
  return { proxy, rows, dial, url };
}

async function connectTo(connectionString: string) {
  const client = new Client({ connectionString, connectionTimeoutMillis: 30_000 });
  let fate: string | undefined;
  client.on("error", (error: Error & { code?: string }) => (fate ??= error.code ?? error.message));
  onTestFinished(() => client.end().catch(() => {}));
  await client.connect();
  return { client, fate: () => fate };
}

const add = (client: Client, word: string, name?: string) =>
  client.query({
    text: "insert into words values ($1)",
    values: [word],
    ...(name !== undefined && { name }),
  });

/** How a promise stands after everything that is under way has had its time. */
async function stateOf(work: Promise<unknown>): Promise<string> {
  const late = new Promise((resolve) => setTimeout(() => resolve("waits"), 100));
  return (await Promise.race([
    work.then(
      () => "done",
      () => "failed",
    ),
    late,
  ])) as string;
}

const isInsert = ({ sql }: { sql: string }): boolean => sql.startsWith("insert");

describe.skipIf(process.platform === "win32")("a proxy in front of PostgreSQL", () => {
  test("passes everything on and knows the statements, also those that come by their name only", async () => {
    const { proxy, rows, dial } = await prepare();
    const { client } = await dial();
    await client.query("begin");
    await add(client, "a", "n1");
    await add(client, "b", "n1");
    await client.query("commit");
    await add(client, "c".repeat(1_000_000));
    expect(proxy.statements.map(({ sql }) => sql.slice(0, 6))).toEqual([
      "begin",
      "insert",
      "insert",
      "commit",
      "insert",
    ]);
    expect((await rows()).length).toBe(3);
  });

  test("holds each direction, and delivers later", async () => {
    const { proxy, rows, dial } = await prepare();
    const { client } = await dial();
    proxy.set({ toServer: "hold" });
    const first = add(client, "a");
    expect([await stateOf(first), await rows()]).toEqual(["waits", []]);
    proxy.set({ toServer: "pass", toClient: "hold" });
    await eventuallyAsync("the row", async () => (await rows()).length === 1);
    expect(await stateOf(first)).toBe("waits");
    proxy.set("pass");
    await first;
  });

  test("swallows what it should drop, while the connection seems to live", async () => {
    const { proxy, rows, dial } = await prepare();
    const { client, fate } = await dial();
    proxy.set("drop");
    const lost = add(client, "a");
    expect([await stateOf(lost), fate(), await rows()]).toEqual(["waits", undefined, []]);
    lost.catch(() => {});
    proxy.set("pass");
    expect(await stateOf(lost)).toBe("waits");
    const next = await dial();
    await add(next.client, "b");
    expect(await rows()).toEqual(["b"]);
  });

  test("cuts, refuses and listens again", async () => {
    const { proxy, dial } = await prepare();
    const { fate } = await dial();
    proxy.refuse();
    proxy.cut();
    await eventually("the end", fate);
    await expect(dial()).rejects.toMatchObject({ code: "ECONNREFUSED" });
    await proxy.listen();
    await (await dial()).client.query("select 1");
  });

  test("leaves one side open when the other has gone", async () => {
    const { proxy, dial, url } = await prepare();
    const { client, fate } = await dial();
    const { rows: own } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
    const beside = await connectTo(url);
    const isConnected = async (): Promise<boolean> => {
      const { rowCount } = await beside.client.query("select from pg_stat_activity where pid = $1", [
        own[0]!.pid,
      ]);
      return rowCount === 1;
    };
    proxy.halfOpen("client");
    await eventuallyAsync("the end at the server", async () => !(await isConnected()));
    expect([await stateOf(client.query("select 1").catch(() => {})), fate()]).toEqual(["waits", undefined]);
    const other = await dial();
    const { rows: next } = await other.client.query<{ pid: number }>("select pg_backend_pid() as pid");
    own[0] = next[0]!;
    proxy.halfOpen("server");
    await eventually("the end at the client", other.fate);
    expect(await isConnected()).toBe(true);
  });

  test.each([
    ["beforeSend", false],
    ["afterSend", true],
    ["afterAnswer", true],
  ] as const)("cuts %s of the statement that matches", async (moment, isWritten) => {
    const { proxy, rows, dial } = await prepare();
    const { client } = await dial();
    await add(client, "a", "named");
    const trap = proxy.onNext(moment, isInsert, "cut");
    await client.query("select 1");
    expect(trap.isCaught()).toBe(false);
    await expect(add(client, "b", "named")).rejects.toThrow();
    expect((await trap.caught).sql).toMatch(/^insert/);
    const expected = isWritten ? ["a", "b"] : ["a"];
    await eventuallyAsync("the rows", async () => (await rows()).length === expected.length);
    expect(await rows()).toEqual(expected);
    await add((await dial()).client, "c");
  });

  test("loses the answer to a commit", async () => {
    const { proxy, rows, dial } = await prepare();
    const { client } = await dial();
    proxy.onNext("afterAnswer", ({ sql }) => sql === "commit", "cut");
    await client.query("begin");
    await add(client, "a");
    await expect(client.query("commit")).rejects.toThrow();
    expect(await rows()).toEqual(["a"]);
  });

  test("goes silent for one connection only", async () => {
    const { proxy, rows, dial } = await prepare();
    const [one, other] = [await dial(), await dial()];
    proxy.onNext("afterSend", isInsert, "drop");
    const lost = add(one.client, "a");
    await eventuallyAsync("the row", async () => (await rows()).length === 1);
    expect([await stateOf(lost), one.fate()]).toEqual(["waits", undefined]);
    lost.catch(() => {});
    await add(other.client, "b");
  });

  test("waits for the work of a test, and goes on", async () => {
    const { proxy, rows, dial } = await prepare();
    const { client } = await dial();
    const seen: string[][] = [];
    const look = async (): Promise<void> => void seen.push(await rows());
    proxy.onNext("beforeSend", isInsert, look);
    await add(client, "a");
    proxy.onNext("afterAnswer", isInsert, look);
    await add(client, "b");
    expect(seen).toEqual([[], ["a", "b"]]);
  });
});
