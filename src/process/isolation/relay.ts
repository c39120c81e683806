/**
 * Runs inside a sandbox whose network is filtered, as the parent of the server: it takes connections on the one port that
 * the sandbox has, and carries each as a stream of HTTP/2 over the descriptor that it was started with. The gateway at
 * the other end decides what may be reached; nothing in here decides anything, because a server could change it.
 *
 * The server has the streams of this process, not copies of them. A signal is the server's; this process ends as the
 * server does.
 */
import { spawn } from "node:child_process";
import { connect } from "node:http2";
import { constants } from "node:os";
import { createServer, Socket } from "node:net";

/** In MB; as much as the gateway allows. */
const SESSION_MEMORY_MAX = 32;

const [channelFd, port, file, ...args] = process.argv.slice(2);

const channel = new Socket({ fd: Number(channelFd), readable: true, writable: true });
const session = connect("http://gateway.invalid", {
  createConnection: () => channel,
  maxSessionMemory: SESSION_MEMORY_MAX,
});
// Without the gateway there is no way out, and the server says so itself.
session.on("error", () => {});

const door = createServer({ allowHalfOpen: true }, (socket) => {
  if (session.closed || session.destroyed) return void socket.destroy();
  const stream = session.request(
    { ":method": "CONNECT", ":authority": "gateway.invalid" },
    { endStream: false },
  );
  const end = (): void => {
    socket.destroy();
    stream.destroy();
  };
  stream.on("error", end);
  socket.on("error", end);
  stream.on("close", () => socket.destroy());
  socket.pipe(stream).pipe(socket);
});

door.listen(Number(port), "127.0.0.1", () => {
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => {});
  const server = spawn(file!, args, { stdio: "inherit" });
  server.on("error", (error) => {
    process.stderr.write(`${error.message}\n`);
    process.exit(127);
  });
  server.on("exit", (code, signal) => process.exit(code ?? 128 + constants.signals[signal!]));
});
