import type { LaunchChild } from "../runner/runner-process.ts";
import { startCompiler, type Compiler } from "./compiler-process.ts";

/** One thing that the compiler says; the chain gives its reasons, outermost first. */
export interface Diagnostic {
  readonly code: number;
  readonly pos: number;
  readonly end: number;
  readonly text: string;
  readonly messageChain?: readonly Diagnostic[];
}

/** A compiler with one project of two files: the code and the declarations. */
export interface Project {
  readonly compiler: Compiler;
  /** Settles when the library files are loaded. */
  readonly ready: Promise<unknown>;
  diagnose(checked: string, declarations: string): Promise<readonly Diagnostic[]>;
}

/** These paths exist in the compiler's view only. */
const FOLDER = "/repertoire";
const CONFIG = `${FOLDER}/tsconfig.json`;
const CODE = `${FOLDER}/code.ts`;
const DECLARATIONS = `${FOLDER}/mcp.d.ts`;

/**
 * Not strict: agent code is JavaScript with a few types, and what strictness finds in it (untyped parameters, a value
 * that may be undefined, an empty array that is filled later) is seldom a mistake. The libraries are what the guest's
 * engine has: no DOM, no Node. Nothing is resolved, so code cannot bring files into the program.
 */
const COMPILER_OPTIONS = {
  lib: [
    "es2025",
    ...["array", "collection", "disposable", "error", "typedarrays"].map((name) => `esnext.${name}`),
  ],
  types: [],
  target: "esnext",
  module: "esnext",
  strict: false,
  noResolve: true,
  noEmit: true,
  skipLibCheck: true,
  allowUnreachableCode: true,
  allowUnusedLabels: true,
};

interface SnapshotReply {
  readonly snapshot: number;
  readonly projects: readonly { readonly id: string }[];
}

/** Starts a compiler and has it load what every check needs. Throws if there is no compiler. */
export function openProject(launch?: LaunchChild): Project {
  const files = new Map([
    [CONFIG, JSON.stringify({ compilerOptions: COMPILER_OPTIONS, files: [CODE, DECLARATIONS] })],
    [CODE, ""],
    [DECLARATIONS, ""],
  ]);
  const compiler = startCompiler(FOLDER, files, launch);

  async function diagnose(change: object): Promise<readonly Diagnostic[]> {
    const { snapshot, projects } = (await compiler.request("updateSnapshot", change)) as SnapshotReply;
    const about = { snapshot, project: projects[0]?.id, file: CODE };
    const syntax = await compiler.request("getSyntacticDiagnostics", about);
    const types = hasSome(syntax) ? [] : await compiler.request("getSemanticDiagnostics", about);
    await compiler.request("release", { snapshot });
    return [...((syntax ?? []) as Diagnostic[]), ...((types ?? []) as Diagnostic[])];
  }
  async function load(): Promise<void> {
    await compiler.request("initialize", null);
    await diagnose({ openProjects: [CONFIG] });
  }
  const ready = load();
  // A caller that waits for it is told; a project that was only warmed up has none.
  ready.catch(() => {});

  return {
    compiler,
    ready,
    diagnose(checked, declarations) {
      const changed = files.get(DECLARATIONS) === declarations ? [CODE] : [CODE, DECLARATIONS];
      files.set(CODE, checked).set(DECLARATIONS, declarations);
      return diagnose({ fileChanges: { changed } });
    },
  };
}

function hasSome(list: unknown): boolean {
  return Array.isArray(list) && list.length > 0;
}
