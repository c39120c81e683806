/** Repertoire in this process, with one HTTP server behind it and the SDK's client in front of it. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { openApp } from "../../../src/app/app.ts";
import { createConfigSource } from "../../../src/config/source.ts";
import { isJsonObject, type JsonObject } from "../../../src/core/json.ts";
import { createLog } from "../../../src/telemetry/log.ts";
import { createTemporaryFolder } from "../temporary-folder.ts";
import { LineTransport } from "./line-transport.ts";
import { CONSENT } from "./login.ts";
import { formDefaults } from "./sample-arguments.ts";

// Logins are kept in the home of the gateway alone: the keyring is the machine's.
process.env["REPERTOIRE_KEYRING"] = "off";

/** The id of the server behind. */
export const SERVER = "suite";

export interface ClientGateway {
  readonly client: Client;
  /** Resolves when the server behind has been asked what it offers, whatever came of it. */
  settle(): Promise<void>;
  /** What `repertoire login` does, with a user who agrees to everything; says why it did not come about. */
  login(): Promise<string | undefined>;
  close(): Promise<void>;
}

/** `server` is its entry in the config; the era is that of the client in front, and what the gateway prefers behind. */
export async function openClientGateway(server: JsonObject, isModern: boolean): Promise<ClientGateway> {
  const temporary = createTemporaryFolder();
  const folder = temporary.path;
  const configPath = join(folder, "repertoire.json");
  writeFileSync(configPath, JSON.stringify({ mcpServers: { [SERVER]: server }, exposure: "full" }));
  const opened = createConfigSource({ configPath, home: join(folder, "home"), cwd: folder });
  if (!opened.ok) throw new Error(opened.problems.map((problem) => problem.message).join("\n"));
  const log = createLog({ level: "silent", secrets: [] });
  const app = await openApp({ config: opened.source, log });
  const transport = new LineTransport();
  await app.connectStdio(transport.toGateway, transport.fromGateway);
  const client = createClient(isModern);
  await client.connect(transport);
  return {
    client,
    async settle() {
      await app.viewServers(true);
    },
    async login() {
      const outcome = await app.logins.login(SERVER, async () => CONSENT);
      return outcome.success ? undefined : outcome.error.message;
    },
    async close() {
      await client.close();
      opened.source.close();
      await app.close();
      await log.close();
      temporary.remove();
    },
  };
}

/** It can be asked for everything, and answers a form with the form's own defaults. */
function createClient(isModern: boolean): Client {
  const client = new Client(
    { name: "conformance-client", version: "1.0.0" },
    {
      capabilities: { elicitation: {}, sampling: {}, roots: {} },
      ...(isModern && { versionNegotiation: { mode: { pin: "2026-07-28" } } }),
    },
  );
  client.setRequestHandler("elicitation/create", ({ params }) => {
    const { requestedSchema } = params as { requestedSchema?: unknown };
    return {
      action: "accept",
      content: isJsonObject(requestedSchema) ? (formDefaults(requestedSchema) as never) : {},
    };
  });
  client.setRequestHandler("roots/list", () => ({ roots: [] }));
  client.setRequestHandler("sampling/createMessage", () => ({
    role: "assistant",
    content: { type: "text", text: "text" },
    model: "none",
  }));
  return client;
}
