/** The library: what was saved, its versions, and the changes of a person. */
import { randomUUID } from "node:crypto";
import type { App } from "../app/app.ts";
import { toolErrorIn } from "../core/errors.ts";
import type { JsonObject } from "../core/json.ts";
import { displayNameOf, toolNameOf } from "../core/names.ts";
import { fail, succeed, type ToolResult } from "../core/result.ts";
import type { Capability } from "../core/store.ts";
import type { AnswerOf } from "./contract/contract.ts";
import type { Handlers, OperatorDeps, Viewer } from "./operator.ts";

export const libraryHandlers: Handlers<
  | "listLibrary"
  | "getItem"
  | "compareVersions"
  | "testItem"
  | "renameItem"
  | "aliasItem"
  | "rollBackItem"
  | "deleteItem"
  | "exportItem"
  | "saveDraft"
> = {
  listLibrary: (deps, viewer, { query: { pattern } }) =>
    askMetaTool(deps, viewer, "list_library", { pattern: pattern ?? null }),
  getItem: (deps, viewer, { params: { name } }) => describeItem(deps, viewer, name),
  async compareVersions(deps, viewer, { query: { before, after } }) {
    for (const name of [before, after]) {
      const seen = await requireSeen(deps, viewer, name);
      if (!seen.success) return seen;
    }
    return compareVersions(deps.app, before, after);
  },
  async testItem(deps, viewer, { params: { name } }) {
    const seen = await requireSeen(deps, viewer, name);
    return seen.success ? testItems(deps.app, name, viewer.context) : seen;
  },
  renameItem: (deps, viewer, { params: { name }, body: { to } }) => renameItem(deps.app, name, to, viewer),
  aliasItem: (deps, viewer, { params: { name }, body: { alias } }) =>
    aliasItem(deps.app, name, alias, viewer),
  rollBackItem: (deps, viewer, { params: { name }, body: { version } }) =>
    rollBackItem(deps.app, `${name}@${version}`, viewer),
  deleteItem: (deps, viewer, { params: { name } }) => deleteItem(deps.app, name, viewer),
  exportItem: ({ app }, _viewer, { params: { name } }) => app.exportItem(name),
  async saveDraft(deps, viewer, { body }) {
    const given = Object.entries(body).filter(([, value]) => value !== undefined);
    if (viewer.view?.allows("save_to_library") === false) return maySaveNothing();
    return askMetaTool(deps, viewer, "save_to_library", Object.fromEntries(given) as JsonObject);
  },
};

/**
 * Asks a meta-tool as a client of the viewer's profile would. The whole gateway answers, with the view in the context: a
 * profile that fronts one server has no meta-tools, and its library is empty all the same.
 */
async function askMetaTool<T>(
  { app }: Pick<OperatorDeps, "app">,
  { context }: Pick<Viewer, "context">,
  name: string,
  args: JsonObject,
): Promise<ToolResult<T>> {
  const answer = await app.gateway.callTool(name, args, context);
  const error = toolErrorIn(answer);
  if (error !== undefined) return { success: false, error };
  return succeed(answer.structuredContent as T);
}

/** As `describe_workflow` has it. */
function describeItem(deps: OperatorDeps, viewer: Viewer, name: string) {
  return askMetaTool<AnswerOf<"getItem">>(deps, viewer, "describe_workflow", { name });
}

/** What a view hides answers like what is not there: the words are those of the one place that knows. */
async function requireSeen(deps: OperatorDeps, viewer: Viewer, name: string): Promise<ToolResult<unknown>> {
  return viewer.view === undefined ? succeed(undefined) : describeItem(deps, viewer, name);
}

function maySaveNothing(): ToolResult<never> {
  return fail("SECURITY_ERROR", "This profile does not save to the library.", {
    hint: "Save it through a profile that shows save_to_library.",
  });
}

export async function compareVersions(app: Pick<App, "compareVersions">, before: string, after: string) {
  const compared = await app.compareVersions(before, after);
  if (!compared.success) return compared;
  const { source, schemas } = compared.data;
  return succeed({ equal: source === "" && schemas.length === 0, source, schemas: [...schemas] });
}

/** Replays the examples of all, or of one, offline. */
export async function testItems(
  { libraryEditor }: Pick<App, "libraryEditor">,
  name: string | null,
  context: Pick<Viewer["context"], "signal">,
) {
  const tested = await libraryEditor.test(name, { traceId: randomUUID(), ...context });
  if (!tested.success) return tested;
  const reports = tested.data.map((report) => ({ ...report, differences: [...report.differences] }));
  const count = (outcome: string) => reports.filter((report) => report.outcome === outcome).length;
  return succeed({ passed: count("passed"), failed: count("failed"), skipped: count("skipped"), reports });
}

type EditorApp = Pick<App, "libraryEditor" | "store">;
/** Who changes something. */
type By = Pick<Viewer, "principal">;

/** A principal that is not there is the person at this machine. */
function editorOf({ principal }: By) {
  return principal === undefined ? {} : { principal };
}

export async function renameItem(app: EditorApp, name: string, to: string, by: By) {
  return namesOf(app, await app.libraryEditor.rename(name, to, editorOf(by)));
}

export async function aliasItem(app: EditorApp, name: string, alias: string, by: By) {
  return namesOf(app, await app.libraryEditor.alias(name, alias, editorOf(by)));
}

/** What an item is called. */
async function namesOf({ store }: EditorApp, changed: ToolResult<Capability>) {
  if (!changed.success) return changed;
  const aliases = await store.capabilities.aliases(changed.data.id);
  return succeed({
    name: displayNameOf(changed.data),
    tool: toolNameOf(changed.data),
    aliases: aliases.map(displayNameOf),
  });
}

/** `like` is a name with a version: `math:sum@1`. */
export async function rollBackItem({ libraryEditor }: EditorApp, like: string, by: By) {
  const made = await libraryEditor.rollback(like, editorOf(by));
  if (!made.success) return made;
  const { capability, version } = made.data;
  const name = displayNameOf(capability);
  return succeed({ name, tool: toolNameOf(capability), version: version.version, like });
}

/** Its versions stay in the store. */
export async function deleteItem({ libraryEditor, store }: EditorApp, name: string, by: By) {
  const removed = await libraryEditor.remove(name, editorOf(by));
  if (!removed.success) return removed;
  const { length } = await store.capabilities.versions(removed.data.id);
  return succeed({ deleted: displayNameOf(removed.data), version_count: length });
}
