/**
 * Runs a command with `sh -c`. The command is taken as it is written: values of other nodes come in as `args` ("$1",
 * "$2"), `env` or `stdin`, where no shell reads them as code.
 *
 * How a process is started is handed in. The gateway starts commands like its servers, under a watcher that ends the
 * group when the gateway is killed; `startPlainly`, the default, has no watcher, and a command then outlives a `kill
 * -9` of the gateway.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { constants, tmpdir } from "node:os";
import type { Json, JsonObject } from "../../core/json.ts";
import { fail, succeed, type ToolResult } from "../../core/result.ts";
import type { CallContext, NodeType, ToolDefinition } from "../../core/tool.ts";
import { locateFolder } from "../files/place.ts";
import { readCount, readFlag, readParam, readText, readTexts } from "../param.ts";
import type { NodePolicy } from "../policy.ts";
import { FLOOD_BYTES_MAX, waitForShell, type ShellEnd, type ShellTimes } from "./shell-process.ts";
import { showExcerpt, showName } from "../shown.ts";
import { limitTime, type TimeLimit } from "../time-limit.ts";

/**
 * What a command needs to find its programs, its user and its language. Anything else of the gateway may be a secret.
 */
const PASSED_ON = ["PATH", "HOME", "LANG", "TZ", "TMPDIR"];

/** A program to start in a process group of its own, with pipes for its three streams. */
export type StartProcess = (launch: {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}) => ChildProcess;

export interface ShellDeps {
  readonly policy: () => NodePolicy;
  readonly start?: StartProcess;
  readonly environment?: Readonly<Record<string, string | undefined>>;
  readonly times?: ShellTimes;
}

export function createShell(deps: ShellDeps): NodeType {
  return {
    definition: shellDefinition,
    rawParams: ["command"],
    isRepeatable: () => false,
    precheck: async () => (deps.policy().allowShell ? succeed(undefined) : notAllowed()),
    call: (params, context) => callShell(params, context, deps),
  };
}

async function callShell(
  params: JsonObject,
  context: CallContext,
  deps: ShellDeps,
): Promise<ToolResult<Json>> {
  const policy = deps.policy();
  if (!policy.allowShell) return notAllowed();
  const timeoutMs = readCount(params, "timeout_ms", SHELL_LIMITS.timeoutMs, SHELL_LIMITS.timeoutMsMax);
  const limit = limitTime(context, timeoutMs, "timeout_ms");
  const launch = await prepare(params, policy, deps.environment ?? process.env);
  if (!launch.success) return launch;
  if (limit.signal.aborted) return limit.failure("The command", false);
  const child = startOrRefuse(launch.data, deps.start ?? startPlainly);
  if (!child.success) return child;
  feed(child.data, readText(params, "stdin"));
  const bytesMax = readCount(params, "max_bytes", SHELL_LIMITS.bytes, SHELL_LIMITS.bytesMax);
  const end = await waitForShell(child.data, { signal: limit.signal, bytesMax, times: deps.times });
  return resultOf(end, limit, readFlag(params, "fail_on_exit", true));
}

function notAllowed(): ReturnType<typeof fail> {
  return fail("SECURITY_ERROR", "The shell node is off, because it can run any command.", {
    hint: "Use another node, or ask the owner of the gateway to set workflows.allowShell to true in its config.",
  });
}

async function prepare(
  params: JsonObject,
  policy: NodePolicy,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<ToolResult<Parameters<StartProcess>[0]>> {
  const command = readText(params, "command") ?? "";
  const given = readParam(params, "args");
  const args = Array.isArray(given) ? given.filter((arg: Json) => typeof arg === "string") : [];
  const own = readTexts(params, "env");
  const badName = own.find(([name]) => !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name))?.[0];
  if (badName !== undefined) {
    return fail(
      "TOOL_INVALID_INPUT",
      `${showName(badName)} is not a name that a shell knows a variable by.`,
      {
        field: "env",
        hint: "Use letters, digits and _, and begin with no digit.",
      },
    );
  }
  if ([command, ...args, ...own.map(([, value]) => value)].some((text) => text.includes("\0"))) {
    return fail("TOOL_INVALID_INPUT", "The command, its args or its env contain a NUL character.");
  }
  const cwd = await findCwd(readText(params, "cwd"), policy.fileRoots);
  if (!cwd.success) return cwd;
  const passed = PASSED_ON.flatMap((name) => {
    const value = environment[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  const env = Object.fromEntries([...passed, ...own]);
  return succeed({ file: "/bin/sh", args: ["-c", command, "sh", ...args], env, cwd: cwd.data });
}

async function findCwd(cwd: string | undefined, roots: readonly string[]): Promise<ToolResult<string>> {
  if (cwd === undefined && roots.length === 0) return succeed(tmpdir());
  return locateFolder(cwd ?? ".", roots);
}

function startOrRefuse(launch: Parameters<StartProcess>[0], start: StartProcess): ToolResult<ChildProcess> {
  try {
    return succeed(start(launch));
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown error";
    return notStarted(code);
  }
}

const startPlainly: StartProcess = ({ file, args, env, cwd }) =>
  spawn(file, args, { cwd, env, stdio: "pipe", detached: true, windowsHide: true });

function feed(child: ChildProcess, stdin: string | undefined): void {
  // A command that does not read its input closes it, and that is no error.
  child.stdin?.on("error", () => {});
  child.stdin?.end(stdin ?? "");
}

function notStarted(code: string): ReturnType<typeof fail> {
  return fail("TOOL_EXECUTION_FAILED", `The command could not be started (${showName(code)}).`, {
    hint:
      code === "E2BIG"
        ? "Command, args and env are too long together. Pass long text as stdin."
        : "Check cwd.",
  });
}

function resultOf(end: ShellEnd, limit: TimeLimit, failOnExit: boolean): ToolResult<Json> {
  if (end.notStarted !== undefined) return notStarted(end.notStarted);
  if (end.stopped === "aborted") return limit.failure("The command", true);
  if (end.stopped === "flood") return flooded();
  if (end.exitCode !== 0 && failOnExit) return exitFailure(end);
  const truncated = end.stdout.truncated || end.stderr.truncated;
  return succeed({
    exit_code: end.exitCode ?? exitCodeOf(end),
    stdout: end.stdout.text,
    stderr: end.stderr.text,
    ...(truncated ? { truncated } : {}),
  });
}

function flooded(): ReturnType<typeof fail> {
  return fail(
    "TOOL_EXECUTION_FAILED",
    `The command wrote more than ${FLOOD_BYTES_MAX} bytes and was ended.`,
    {
      mayHaveHappened: true,
      hint: "Write to a file, or less: | head -c 100000.",
    },
  );
}

function exitFailure(end: ShellEnd): ReturnType<typeof fail> {
  const how = end.killedBy === null ? `exited with code ${end.exitCode}` : `was ended by ${end.killedBy}`;
  const said = showExcerpt(end.stderr.text) || showExcerpt(end.stdout.text);
  const words = said === "" ? "and wrote nothing" : `and wrote: ${said}`;
  return fail("TOOL_EXECUTION_FAILED", `The command ${how} ${words}`, {
    reason: `exit_${end.exitCode ?? end.killedBy}`,
    hint: "Correct the command, or set fail_on_exit to false to go on with its exit_code.",
  });
}

/** A command that a signal ended has no code; shells count from 128 for it. */
function exitCodeOf({ killedBy }: ShellEnd): number {
  return killedBy === null ? -1 : 128 + (constants.signals[killedBy] ?? 0);
}

/** A command is given a minute, a build ten. Of its output a model can use far less than is kept. */
const SHELL_LIMITS = {
  timeoutMs: 60_000,
  timeoutMsMax: 600_000,
  bytes: 256 * 1024,
  bytesMax: 1024 * 1024,
} as const;

const shellDefinition: ToolDefinition = {
  name: "shell",
  title: "Run a shell command",
  description:
    "Runs a command with sh and returns {exit_code, stdout, stderr}. No template is filled in inside command: pass values " +
    'as args and write "$1", "$2" in the command. What the command leaves in the background ends with it. Off unless the ' +
    "config sets workflows.allowShell.",
  inputSchema: {
    type: "object",
    properties: {
      command: {
        type: "string",
        description: 'The script for sh, taken as it is written: grep -c "$1" notes.txt',
      },
      args: { type: "array", items: { type: "string" }, description: 'Values for "$1", "$2" and so on.' },
      env: {
        type: "object",
        additionalProperties: { type: "string" },
        description:
          "Environment variables. Of the gateway's own only PATH, HOME, LANG, TZ and TMPDIR are there.",
      },
      cwd: {
        type: "string",
        description:
          "The folder to run in, inside workflows.fileRoots. Without it the first of them, or the folder for temporary files.",
      },
      stdin: { type: "string", description: "Text for the standard input." },
      timeout_ms: {
        type: "integer",
        minimum: 1,
        maximum: SHELL_LIMITS.timeoutMsMax,
        default: SHELL_LIMITS.timeoutMs,
        description: "How long the command may take.",
      },
      max_bytes: {
        type: "integer",
        minimum: 1,
        maximum: SHELL_LIMITS.bytesMax,
        default: SHELL_LIMITS.bytes,
        description:
          "How much of stdout, and how much of stderr, is kept; if there was more, truncated is true.",
      },
      fail_on_exit: {
        type: "boolean",
        default: true,
        description: "Whether an exit code other than 0 is a failure.",
      },
    },
    required: ["command"],
    additionalProperties: false,
  },
  outputSchema: {
    type: "object",
    properties: {
      exit_code: {
        type: "integer",
        description: "0 for success; 128 and the signal's number if a signal ended it.",
      },
      stdout: { type: "string", description: "What it wrote to the standard output." },
      stderr: { type: "string", description: "What it wrote to the standard error." },
      truncated: { type: "boolean", description: "True if there was more output than max_bytes." },
    },
    required: ["exit_code", "stdout", "stderr"],
    additionalProperties: false,
  },
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
};
