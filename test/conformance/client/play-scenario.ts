/**
 * What Repertoire does as the client of a scenario. Nearly all scenarios want the same: see what there is and use it. So everything
 * that is listed is called, read or fetched once.
 */
import type { Client } from "@modelcontextprotocol/client";
import * as z from "zod";
import { isJsonObject, type JsonObject } from "../../../src/core/json.ts";
import { openClientGateway, SERVER, type ClientGateway } from "./gateway.ts";
import { oauthSettingsFor } from "./login.ts";
import { sampleArguments } from "./sample-arguments.ts";

export interface Scenario {
  readonly name: string;
  /** Where the suite's server listens. */
  readonly url: string;
  readonly isModern: boolean;
  /** What the suite says beside it: calls to make, credentials. */
  readonly context: JsonObject;
}

interface Call {
  readonly name: string;
  readonly arguments: JsonObject;
}

const PREFIX = `${SERVER}__`;
/** Repertoire's own resources. */
const OWN_SCHEME = "repertoire:";

/** Where a login is needed, the name begins with this. */
const AUTH_PREFIX = "auth/";
/** Where skills are what it is about. */
const SKILLS_PREFIX = "sep-2640-client-";
/** This one looks at what is read of skills that nobody loads. */
const NO_PREFETCH = `${SKILLS_PREFIX}no-prefetch`;
/** The first, and one more for a server that then asks for more, or has turned to another authorization server. */
const LOGINS_MAX = 2;

/** The lines say what did not work, which in some scenarios is what is wanted. */
export async function playScenario({ name, url, isModern, context }: Scenario): Promise<string[]> {
  const isAuth = name.startsWith(AUTH_PREFIX);
  const server = { url, ...(isAuth && { oauth: { ...oauthSettingsFor(context) } }) };
  const gateway = await openClientGateway(server, isModern);
  try {
    if (name.startsWith(SKILLS_PREFIX)) return await useSkills(gateway, name !== NO_PREFETCH);
    return await (isAuth ? useWithLogins(gateway, context) : useAll(gateway, context));
  } finally {
    await gateway.close();
  }
}

/** As a user does: what does not work is tried again after a login. */
async function useWithLogins(gateway: ClientGateway, context: JsonObject): Promise<string[]> {
  for (let loginCount = 0; ; loginCount++) {
    const lines = await useAll(gateway, context);
    if (lines.length === 0 || loginCount === LOGINS_MAX) return lines;
    const refusal = await gateway.login();
    if (refusal !== undefined) return [...lines, refusal];
  }
}

async function useAll(gateway: ClientGateway, context: JsonObject): Promise<string[]> {
  await gateway.settle();
  return [...(await useTools(gateway.client, context)), ...(await useOffers(gateway.client))];
}

async function useTools(client: Client, context: JsonObject): Promise<string[]> {
  const { tools } = await client.listTools();
  const offered = tools.filter((tool) => tool.name.startsWith(PREFIX));
  const lines = offered.length === 0 ? ["no tools are listed"] : [];
  for (const call of callsFor(offered, context)) {
    const result = await client.callTool({ name: call.name, arguments: call.arguments });
    if (result.isError === true) lines.push(`${call.name}: ${JSON.stringify(result.content)}`);
  }
  return lines;
}

/** The calls that the scenario asks for; otherwise each tool once. */
function callsFor(tools: readonly { name: string; inputSchema: unknown }[], context: JsonObject): Call[] {
  const asked = context["toolCalls"];
  if (Array.isArray(asked)) {
    return (asked as Call[]).map((call) => ({ ...call, name: PREFIX + call.name }));
  }
  const rich = tools.find((tool) => tool.name === `${PREFIX}json_schema_2020_12_tool`);
  return tools.map(({ name, inputSchema }) => {
    // This one wants to see what has become of the schema of the other.
    if (name === `${PREFIX}json_schema_echo`)
      return { name, arguments: { schema: rich?.inputSchema as never } };
    return { name, arguments: isJsonObject(inputSchema) ? sampleArguments(inputSchema) : {} };
  });
}

const listedSkills = z.looseObject({
  skills: z.array(z.looseObject({ uri: z.string(), resources: z.array(z.looseObject({ uri: z.string() })) })),
});

/** As a host does: what is listed is loaded, SKILL.md first, and a skill whose SKILL.md is refused is left alone. */
async function useSkills(gateway: ClientGateway, loads: boolean): Promise<string[]> {
  const { client } = gateway;
  await gateway.settle();
  const { skills } = await client.request({ method: "skills/list", params: {} }, listedSkills);
  const lines = skills.length === 0 ? ["no skills are listed"] : [];
  for (const { uri, resources } of loads ? skills : []) {
    const files = [uri, ...resources.map((file) => file.uri).filter((file) => file !== uri)];
    try {
      for (const file of files) await client.readResource({ uri: file });
    } catch (error) {
      lines.push(`${uri}: ${String(error)}`);
    }
  }
  return lines;
}

async function useOffers(client: Client): Promise<string[]> {
  const lines: string[] = [];
  const attempt = async (what: string, use: Promise<unknown>): Promise<void> => {
    await use.catch((error: unknown) => lines.push(`${what}: ${String(error)}`));
  };
  const { resources } = await client.listResources();
  for (const { uri } of resources) {
    if (!uri.startsWith(OWN_SCHEME)) await attempt(uri, client.readResource({ uri }));
  }
  const { prompts } = await client.listPrompts();
  for (const { name } of prompts) await attempt(name, client.getPrompt({ name }));
  return lines;
}
