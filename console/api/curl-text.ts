import { ROUTES, type RouteName } from "../../src/operator/routes.ts";
import { shellWord } from "../../src/operator/twins.ts";
import { urlOf } from "./client.ts";

interface Sent {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

/** The request as a `curl` command. The token is named, never written: a command is pasted where others read it. */
export function curlText(name: RouteName, sent: Sent, origin: string = location.origin): string {
  const [method] = ROUTES[name];
  const { body } = sent;
  return [
    "curl",
    ...(method === "GET" ? [] : ["-X", method]),
    shellWord(`${origin}${urlOf(name, sent)}`),
    '-H "Authorization: Bearer $REPERTOIRE_TOKEN"',
    ...(body === undefined
      ? []
      : [`-H ${shellWord("Content-Type: application/json")}`, `-d ${shellWord(JSON.stringify(body))}`]),
  ].join(" ");
}
