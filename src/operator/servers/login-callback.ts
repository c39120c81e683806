/**
 * Hears where the browser is sent back to after a login: one request, to one path, on loopback. Nothing that comes in
 * is shown again, and whatever is not that request is turned away: pages of other sites can reach this port too. Only
 * the answer to this login ends the wait for it; one with another state is told so, and the login goes on waiting.
 */
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";

export interface CallbackListener {
  readonly redirectUrl: string;
  /** The whole URL of the request that is the answer; rejects where none came in time. */
  readonly waitFor: (isAnswer: (callback: URL) => boolean) => Promise<URL>;
  close(): void;
}

const PATH = "/callback";
/** Long enough to find a password, and to be asked for a second factor. */
const WAIT_MS = 5 * 60_000;

/** A user may come back from an old page a few times, but not a hundred times. */
export const WRONG_COUNT_MAX = 100;

const PAGE = pageOf(
  "Repertoire has received the answer. You can close this page and go back to the terminal.",
);
const WRONG_PAGE = pageOf(
  "This answer is for another login. Repertoire is still waiting: open the page that the terminal shows.",
);

const PAGE_HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": "default-src 'none'",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  connection: "close",
};

/** Takes the port if it is free, and any other if it is not. */
export async function listenForCallback(port = 0, waitMs = WAIT_MS): Promise<CallbackListener> {
  const { promise, resolve, reject } = Promise.withResolvers<URL>();
  // A login that is cancelled before an answer does not wait for it.
  promise.catch(() => {});
  let origin = "";
  let isAnswer: (callback: URL) => boolean = () => false;
  let wrongCount = 0;
  const server = createServer((request, response) => {
    const url = readRequest(request, origin);
    if (typeof url === "number") return void response.writeHead(url, { connection: "close" }).end();
    if (!isAnswer(url)) {
      response.writeHead(400, PAGE_HEADERS).end(WRONG_PAGE);
      if (++wrongCount < WRONG_COUNT_MAX) return;
      reject(new Error(`${wrongCount} requests for other logins came to ${origin}`));
    } else {
      response.writeHead(200, PAGE_HEADERS).end(PAGE);
      resolve(url);
    }
    server.close();
  });
  await listen(server, port);
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const timer = setTimeout(
    () => reject(new Error(`no answer came from the browser within ${waitMs / 60_000} min`)),
    waitMs,
  );
  const close = (): void => {
    clearTimeout(timer);
    // Who still waits hears it.
    reject(new Error("the login was cancelled"));
    server.close();
    server.closeAllConnections();
  };
  const waitFor: CallbackListener["waitFor"] = (isOne) => {
    isAnswer = isOne;
    return promise;
  };
  return { redirectUrl: `${origin}${PATH}`, waitFor, close };
}

function pageOf(text: string): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Repertoire</title>\n<p>${text}</p></html>`;
}

/** The URL, or the status that turns the request away. */
function readRequest({ method, url: target = "", headers }: IncomingMessage, origin: string): URL | number {
  // A name that leads here is not this place: a page could have made it lead here.
  if (`http://${headers.host}` !== origin) return 421;
  const url = target.startsWith("/") ? URL.parse(target, origin) : null;
  if (url === null || url.origin !== origin || url.pathname !== PATH) return 404;
  return method === "GET" ? url : 405;
}

async function listen(server: Server, port: number): Promise<void> {
  try {
    await listenAt(server, port);
  } catch (error) {
    if (port === 0) throw error;
    await listenAt(server, 0);
  }
}

function listenAt(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", () => {
      server.off("error", reject);
      resolve();
    });
  });
}
