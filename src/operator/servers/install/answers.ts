/** The answers to what a published server asks for: checked by what its publisher says of them. */
import { homedir } from "node:os";
import { resolve } from "node:path";
import { fail, succeed, type ToolResult } from "../../../core/result.ts";
import type { Question } from "../../../published/launch.ts";
import { didYouMean, nearest } from "../../../text/nearest.ts";
import { quote } from "../../../text/quote.ts";
import { VALUE_BYTES_MAX } from "../../access/input-value.ts";

/** By the id of the question; several where it takes several. */
export type Answers = ReadonlyMap<string, readonly string[]>;

/** `id=value` of the command line. A secret is none: other programs can read the arguments of a command. */
export function readAnswers(pairs: readonly string[], questions: readonly Question[]): ToolResult<Answers> {
  const answers = new Map<string, string[]>();
  for (const pair of pairs) {
    const at = pair.indexOf("=");
    const id = at === -1 ? pair : pair.slice(0, at);
    const question = questions.find((one) => one.id === id);
    if (at === -1 || question === undefined) return unknownAnswer(id, questions);
    if (question.isSecret) return refuseSecret(id);
    const value = settle(question, pair.slice(at + 1));
    if (!value.success) return value;
    const before = answers.get(id) ?? [];
    if (before.length > 0 && !question.isRepeated)
      return fail("TOOL_INVALID_INPUT", `--input ${quote(id)} is given twice, and takes one value.`, {
        field: "input",
      });
    answers.set(id, [...before, value.data]);
  }
  return succeed(answers);
}

function unknownAnswer(id: string, questions: readonly Question[]): ToolResult<never> {
  const ids = questions.filter(({ isSecret }) => !isSecret).map((question) => question.id);
  const asks =
    ids.length === 0
      ? "The server asks for nothing that could be given here."
      : `It takes ${ids.join(", ")}.`;
  return fail("TOOL_INVALID_INPUT", `--input ${quote(id)} is not asked for.${didYouMean(nearest(id, ids))}`, {
    field: "input",
    hint: `Write --input ID=VALUE. ${asks}`,
  });
}

function refuseSecret(id: string): ToolResult<never> {
  return fail(
    "TOOL_INVALID_INPUT",
    `${quote(id)} is a secret, which cannot be an argument: other programs could read it.`,
    {
      field: "input",
      hint: "Leave it out: it is asked for at the terminal, or given afterwards with repertoire input set.",
    },
  );
}

/** The value as it is used, or what is wrong with it; a secret is not repeated. */
export function settle(question: Question, written: string): ToolResult<string> {
  const { id, format } = question;
  const value = format === "filepath" ? resolve(written.replace(/^~(?=[/\\]|$)/, homedir())) : written;
  const problem = findProblem(question, written);
  if (problem === undefined) return succeed(value);
  return fail("TOOL_INVALID_INPUT", `The value of ${quote(id)} ${problem}.`, {
    field: "input",
    hint: "Nothing was changed.",
  });
}

function findProblem({ format, choices, min, max }: Question, value: string): string | undefined {
  if (value === "") return "must not be empty";
  if (Buffer.byteLength(value) > VALUE_BYTES_MAX) return `has more than ${VALUE_BYTES_MAX} bytes`;
  if (/[\0\r\n]/.test(value)) return "must be one line";
  if (choices !== undefined && !choices.includes(value))
    return `must be one of ${choices.map((one) => quote(one)).join(", ")}`;
  if (format === "boolean" && !["true", "false"].includes(value)) return "must be true or false";
  return format === "number" ? findNumberProblem(value, min, max) : undefined;
}

function findNumberProblem(value: string, min = -Infinity, max = Infinity): string | undefined {
  if (!/^-?\d{1,20}(?:\.\d{1,20})?$/.test(value)) return "must be a number";
  const number = Number(value);
  if (number < min) return `must be ${min} or more`;
  return number > max ? `must be ${max} or less` : undefined;
}
