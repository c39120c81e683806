/** A request in the words of a session: what a server of its era wants to find beside the parameters. */
import type { JsonObject } from "../../core/json.ts";
import type { Redactor } from "../../text/redaction.ts";
import type { CallContext } from "../../core/tool.ts";
import { askableOf } from "../../core/askable.ts";
import { CLIENT_CAPABILITIES_KEY, LOG_LEVEL_KEY, type Session } from "./handshake.ts";
import { checkInput, fulfilInput, refuseInput } from "./input-required.ts";
import type { Reply } from "./peer.ts";

/**
 * The parameters with `_meta` of the caller and the session, and what a modern client said. A modern server is told with each
 * request what its caller can do, so that one session serves many clients. It gets its own state back, and never what a client calls
 * a state.
 */
export function requestOf(
  given: JsonObject,
  session: Session,
  { meta, modern, client, trace }: CallContext,
  logLevel: string | undefined,
): JsonObject {
  const params = "requestState" in given || "inputResponses" in given ? withoutRound(given) : given;
  if (session.era === "legacy") {
    return meta === undefined && trace === undefined ? params : { ...params, _meta: { ...meta, ...trace } };
  }
  const level = modern === undefined ? logLevel : modern.logLevel;
  const envelope: JsonObject = {
    ...meta,
    ...trace,
    ...session.envelope,
    ...(level === undefined ? {} : { [LOG_LEVEL_KEY]: level }),
  };
  if (modern === undefined) {
    if (client === undefined) return { ...params, _meta: envelope };
    const capabilities = askableOf(client.capabilities);
    return { ...params, _meta: { ...envelope, [CLIENT_CAPABILITIES_KEY]: capabilities } };
  }
  const { capabilities, inputResponses, serverState: { state: requestState } = {} } = modern;
  return {
    ...params,
    ...(inputResponses === undefined ? {} : { inputResponses }),
    ...(requestState === undefined ? {} : { requestState }),
    _meta: { ...envelope, [CLIENT_CAPABILITIES_KEY]: capabilities },
  };
}

function withoutRound({
  requestState: _sealed,
  inputResponses: _answers,
  ...params
}: JsonObject): JsonObject {
  return params;
}

/** Input that a modern server needs is the modern client's own matter; for anybody else it is fetched here. */
export async function exchange(
  params: JsonObject,
  session: Session,
  context: CallContext,
  send: (params: JsonObject) => Promise<Reply>,
  mask: Redactor["mask"] = (value) => value,
): Promise<Reply> {
  if (session.era === "legacy") return refuseInput(await send(params));
  if (context.modern === undefined) return fulfilInput(params, context, send, mask);
  return checkInput(await send(params), context.modern.capabilities);
}
