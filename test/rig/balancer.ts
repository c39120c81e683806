/**
 * A plain balancer: each request goes to the next replica in turn, whatever it is about, and to the one after where no connection comes
 * about or the answer is 503, with which a gateway that ends refuses it. One that did so comes last for a while: a socket that closes
 * may take a request with it. Any other request that was sent is not sent again.
 */
import { createServer, request, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Balancer {
  readonly url: URL;
  /** Takes effect with the next request. */
  setTargets(targets: readonly URL[]): void;
  /** How many answers came with which status; 502 is the balancer's own. */
  readonly statuses: ReadonlyMap<number, number>;
  close(): Promise<void>;
}

/** As often as a balancer looks whether a replica is ready. */
const LAST_FOR_MS = 500;
/** Longer than any pause of a test. */
const KEPT_MS = 600_000;

export async function startBalancer(first: readonly URL[]): Promise<Balancer> {
  let targets = first;
  let turn = 0;
  const statuses = new Map<number, number>();
  const count = (status: number): void => void statuses.set(status, (statuses.get(status) ?? 0) + 1);
  const server = createServer((incoming, outgoing) => {
    void balance(incoming, outgoing);
  });
  // Node closes an idle connection after 5 s, and a client that sends at that moment sees a reset that no gateway caused.
  server.keepAliveTimeout = KEPT_MS;
  const balance = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const body = await readBody(incoming);
    const from = turn++;
    const order = targets.map((_, i) => targets[(from + i) % targets.length]!);
    const [ready, refusing] = [order.filter((url) => !isRefusing(url)), order.filter(isRefusing)];
    passOn(incoming, body, outgoing, [...ready, ...refusing], { count, refusedBy });
  };
  const refusedAt = new Map<string, number>();
  const refusedBy = ({ host }: URL): void => void refusedAt.set(host, performance.now());
  const isRefusing = ({ host }: URL): boolean =>
    performance.now() - (refusedAt.get(host) ?? Number.NEGATIVE_INFINITY) < LAST_FOR_MS;
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", resolve);
  await promise;
  return {
    url: new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`),
    setTargets(next) {
      targets = next;
    },
    statuses,
    close() {
      server.closeAllConnections();
      return new Promise((done) => void server.close(() => done()));
    },
  };
}

async function readBody(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

interface Told {
  readonly count: (status: number) => void;
  readonly refusedBy: (target: URL) => void;
}

function passOn(
  incoming: IncomingMessage,
  body: Buffer,
  outgoing: ServerResponse,
  [target, ...others]: readonly URL[],
  told: Told,
): void {
  const { count, refusedBy } = told;
  const refuse = (): void => {
    count(502);
    if (outgoing.headersSent) outgoing.destroy();
    else outgoing.writeHead(502).end();
  };
  if (target === undefined) return refuse();
  const { method, url: path, headers } = incoming;
  // A connection of its own: one that is kept may be closed by a gateway that ends at the moment when it is used again.
  const passed = request(new URL(path ?? "/", target), { method, headers, agent: false }, (answer) => {
    if (answer.statusCode === 503 && others.length > 0) {
      answer.resume();
      refusedBy(target);
      return passOn(incoming, body, outgoing, others, told);
    }
    count(answer.statusCode ?? 0);
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    // A stream of events begins with its headers.
    outgoing.flushHeaders();
    answer.pipe(outgoing);
    answer.on("error", () => outgoing.destroy());
  });
  passed.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "ECONNREFUSED") passOn(incoming, body, outgoing, others, told);
    else refuse();
  });
  outgoing.on("close", () => passed.destroy());
  passed.end(body);
}
