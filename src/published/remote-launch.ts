/** How a published remote server is reached: its address and its headers, with gaps for what a person is asked. */
import { succeed, type ToolResult } from "../core/result.ts";
import type { AddressPolicy } from "../net/address-policy.ts";
import { quote } from "../text/quote.ts";
import { createQuestions, type Launch, type Template } from "./launch.ts";
import { malformed, variablesOf } from "./package-launch.ts";
import type { PublishedTransport } from "./server-json.ts";

/** Streamable HTTP before the older way. */
export function launchRemote(remotes: readonly PublishedTransport[]): ToolResult<Launch> | undefined {
  const chosen =
    remotes.find(({ type }) => type === "streamable-http" || type === "http") ??
    remotes.find(({ type }) => type === "sse");
  if (chosen === undefined) return undefined;
  const { type, url, headers, variables } = chosen;
  if (url == null) return malformed("its remote server has no address");
  const questions = createQuestions();
  const address = questions.templateOf("url", { value: url, variables, isRequired: true });
  // The scheme is no gap: what is filled in cannot turn TLS off.
  const scheme = typeof address[0] === "string" ? /^https?:\/\//i.exec(address[0]) : null;
  if (scheme === null) return malformed(`${quote(url, 500)} is no address of a server`);
  return succeed({
    kind: "remote",
    remote: { type: type === "sse" ? "sse" : "http", url: address, headers: variablesOf(headers, questions) },
    questions: questions.list,
    risks: [],
  });
}

/** An address may not be nearer to this machine than the registry that names it. */
export async function checkRemote(url: Template, policy: AddressPolicy): Promise<ToolResult<undefined>> {
  const text = url.map((part) => (typeof part === "string" ? part : "x")).join("");
  const parsed = URL.parse(text);
  if (parsed === null) return malformed(`${quote(text, 500)} is no address of a server`);
  if (parsed.protocol !== "https:" && !isLoopback(parsed)) {
    return malformed(
      `${quote(parsed.origin)} is reached without TLS; a server that is not on this machine takes https`,
    );
  }
  try {
    await policy.check(parsed);
    return succeed(undefined);
  } catch (error) {
    return isRefusal(error) ? malformed((error as Error).message) : succeed(undefined);
  }
}

/** A name that is not found now says nothing about where it leads. */
function isRefusal(error: unknown): boolean {
  return error instanceof Error && error.name === "RefusedUrl";
}

function isLoopback({ hostname }: URL): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}
