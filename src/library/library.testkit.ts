/** The whole library over a real store and a real sandbox, with sources in memory in place of servers. */
import { createToolLookUp } from "../app/code-directory.ts";
import { DEFAULT_SCOPE } from "../core/names.ts";
import { createRedactors } from "../text/redactors.ts";
import type { CallContext } from "../core/tool.ts";
import { createTestRuns, type TestRuns } from "../runs/runs.testkit.ts";
import { createLibraryEditor, type LibraryEditor } from "./edit-library.ts";
import { createCapabilitySaver, type CapabilitySaver } from "./save-capability.ts";
import { createLibrary, type Library } from "./library.ts";
import { createLibrarySource, type LibrarySource } from "./library-source.ts";

export interface TestLibrary extends TestRuns {
  readonly library: Library;
  readonly source: LibrarySource;
  readonly capabilitySaver: CapabilitySaver;
  readonly libraryEditor: LibraryEditor;
  changedTools: "warn" | "refuse";
  readonly context: CallContext;
  /** What was audited. */
  readonly recorded: readonly string[];
  /** Runs code and keeps it. */
  keepRun(name: string, code: string, inputs?: object): Promise<void>;
  freshen(): Promise<void>;
}

export const SECRET = `canary-${"s3cr3t".repeat(4)}`;

export async function createTestLibrary(home: string): Promise<TestLibrary> {
  const kit = await createTestRuns(
    home,
    undefined,
    () => freshen(),
    (tool) => source.liveName(tool),
    { capabilityId: (tool) => source.idOf(tool) },
  );
  const { store, runs, registry } = kit;
  const scope = () => DEFAULT_SCOPE;
  const context: CallContext = { traceId: "test", signal: new AbortController().signal };
  const recorded: string[] = [];
  const lookUpTool = createToolLookUp({
    registry,
    servers: () => ["notes"],
    liveName: (tool) => source.liveName(tool),
    capabilityId: (tool) => source.idOf(tool),
  });
  const source = createLibrarySource({
    capabilities: store.capabilities,
    scope,
    runs,
    lookUpTool,
    changedTools: () => library.changedTools,
  });
  registry.add(source, { isOwn: true });
  const keeping = {
    store,
    runs,
    scope,
    author: () => "ann",
    record: (_by: unknown, action: string, subject: string) => void recorded.push(`${action} ${subject}`),
    redactors: createRedactors(() => [SECRET]),
  };
  const read = createLibrary(store.capabilities, scope);
  async function freshen(): Promise<void> {
    if (await source.lookForChanges()) await registry.refresh(source.id, context);
  }
  const library: TestLibrary = {
    ...kit,
    library: read,
    source,
    capabilitySaver: createCapabilitySaver(keeping),
    libraryEditor: createLibraryEditor({
      ...keeping,
      library: read,
      servers: () => ["notes"],
      hidesTools: () => true,
    }),
    changedTools: "warn",
    recorded,
    context,
    freshen,
    async keepRun(name, code, inputs = {}) {
      const report = await kit.execute(code, { inputs: inputs as never });
      if (!report.result.success) throw new Error(report.result.error.message);
      const [namespace = "", action = ""] = name.split(":");
      const request = {
        kind: "code" as const,
        source: code,
        name: { namespace, action },
        description: `Does ${name}.`,
        overwrite: true,
      };
      const kept = await library.capabilitySaver.save(request, context);
      if (!kept.success) throw new Error(kept.error.message);
      await freshen();
    },
  };
  return library;
}
