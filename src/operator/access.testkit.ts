/** A real gateway on a home of its own, and questions to it as routes ask them. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { temporaryFolder } from "../../test/fixtures/temporary.ts";
import { openApp } from "../app/app.ts";
import type { ToolError } from "../core/errors.ts";
import type { Permission, Principal } from "../core/principal.ts";
import type { ToolResult } from "../core/result.ts";
import { openConfigSource } from "../secrets/inputs.ts";
import { createLog } from "../telemetry/log.ts";
import { CONTRACT, type AnswerOf } from "./contract/contract.ts";
import { HANDLERS } from "./api.ts";
import type { Handler, OperatorDeps, Viewer } from "./operator.ts";
import type { RouteName } from "./routes.ts";
import { localViewer, viewerOf } from "./viewer.ts";

type Name = keyof typeof HANDLERS;

const FIXTURES = join(import.meta.dirname, "../../test/fixtures");

/** A server of the fixtures, as a config has it. */
export function fixture(file: string, ...args: string[]) {
  return { command: process.execPath, args: [join(FIXTURES, file), ...args] };
}

/** What a route is asked. */
interface Question {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: Readonly<Record<string, unknown>>;
  readonly viewer?: Viewer;
}

export async function openOperator(content: object) {
  const folder = temporaryFolder();
  const configPath = join(folder, "repertoire.json");
  const home = join(folder, "home");
  mkdirSync(home, { mode: 0o700 });
  writeFileSync(configPath, JSON.stringify(content));
  const opened = await openConfigSource({ configPath, home });
  if (!opened.ok) throw new Error(JSON.stringify(opened.problems));
  const log = createLog({ level: "silent", secrets: [] });
  const app = await openApp({ config: opened.source, log });
  onTestFinished(async () => {
    opened.source.close();
    await app.close();
    await log.close();
  });
  const deps: OperatorDeps = { app, config: opened.source, place: { configPath, home } };
  const self = localViewer(app, { signal: new AbortController().signal });

  async function answerTo<N extends Name>(name: N, question: Question): Promise<ToolResult<AnswerOf<N>>> {
    const { query, body } = CONTRACT[name];
    const asked = {
      params: question.params ?? {},
      query: query.parse(question.query ?? {}),
      body: body.parse(question.body ?? {}),
    };
    const handle = HANDLERS[name] as unknown as Handler<RouteName>;
    return (await handle(deps, question.viewer ?? self, asked)) as never;
  }

  /** The answer, which is as the contract says. */
  const ask = async <N extends Name>(name: N, question: Question = {}): Promise<AnswerOf<N>> => {
    const answer = await answerTo(name, question);
    if (!answer.success) throw new Error(JSON.stringify(answer.error));
    expect(CONTRACT[name].answer.safeParse(answer.data).error).toBeUndefined();
    return answer.data;
  };

  /** The error of a question that is refused. */
  const refused = async (name: Name, question: Question = {}): Promise<ToolError> => {
    const answer = await answerTo(name, question);
    if (answer.success) throw new Error(`answered: ${JSON.stringify(answer.data)}`);
    return answer.error;
  };

  /** A token as it looks; with `provedAt`, a session of the console. */
  const viewerWith = (limits: Partial<Principal> = {}, provedAt?: number): Viewer => {
    const permissions = new Set<Permission>(["read", "call", "write", "admin"]);
    const revoked = new AbortController().signal;
    const principal = { id: "token:bot", name: "bot", permissions, revoked, ...limits };
    const viewer = viewerOf(app, { principal, provedAt, signal: new AbortController().signal });
    if (!viewer.success) throw new Error(viewer.error.message);
    return viewer.data;
  };

  return { app, deps, self, folder, configPath, home, ask, refused, viewerOf: viewerWith };
}
