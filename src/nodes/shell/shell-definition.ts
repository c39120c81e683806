import type { ToolDefinition } from "../../core/tool.ts";

/** A command is given a minute, a build ten. Of its output a model can use far less than is kept. */
export const SHELL_LIMITS = {
  timeoutMs: 60_000,
  timeoutMsMax: 600_000,
  bytes: 256 * 1024,
  bytesMax: 1024 * 1024,
} as const;

export const shellDefinition: ToolDefinition = {
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
