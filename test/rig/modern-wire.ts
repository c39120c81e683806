/** A modern client with raw lines on the pipes of one gateway, which may die at any moment. */
import { startGateway, type ConnectOptions } from "../fixtures/gateway-process.ts";
import { eventually } from "../fixtures/temporary.ts";
import { modernRequest, type Message } from "./http-process.ts";

/** Far beyond what a gateway needs, also on a busy machine. */
const PATIENCE_MS = 60_000;
export const CAN_BE_ASKED = { "io.modelcontextprotocol/clientCapabilities": { elicitation: {} } };

export interface Wire {
  /** Undefined when the gateway ended before it answered. */
  request(method: string, params: Readonly<Record<string, unknown>>): Promise<Message | undefined>;
  /** `kill -9`. */
  kill(): Promise<void>;
}

interface WireOptions {
  readonly canAsk?: boolean;
  /** What the client declares, in place of that it can be asked. */
  readonly capabilities?: object;
}

export function openWire(options: ConnectOptions, { canAsk = true, capabilities }: WireOptions = {}): Wire {
  const meta = capabilities && { "io.modelcontextprotocol/clientCapabilities": capabilities };
  const { child, send, stdout, stderr } = startGateway(options);
  let count = 0;
  let isOver = false;
  child.on("close", () => (isOver = true));
  const find = (id: string): Message | undefined => {
    const lines = stdout().split("\n").slice(0, -1);
    const line = lines.find((text) => text.includes(`"id":"${id}"`));
    return line === undefined ? undefined : (JSON.parse(line) as Message);
  };
  return {
    async request(method, params) {
      const id = `wire-${++count}-`;
      send(JSON.parse(modernRequest(id, method, params, meta ?? (canAsk ? CAN_BE_ASKED : {})).body));
      const over = {};
      const answer = await eventually(
        `an answer to ${JSON.stringify(params)} (${stderr()})`,
        () => find(id) ?? (isOver && over),
        PATIENCE_MS,
      );
      return answer === over ? undefined : answer;
    },
    async kill() {
      child.kill("SIGKILL");
      await eventually("the end of the gateway", () => isOver, PATIENCE_MS);
    },
  };
}
