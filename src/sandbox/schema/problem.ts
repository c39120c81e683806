/**
 * What a model is told of arguments that do not fit.
 *
 * ajv gives one flat list in which the errors of every branch of an `anyOf` come before the error of the `anyOf` itself.
 * Read in order, each such error takes back the ones that belong to it and says one thing in their place.
 */
import type { ErrorObject } from "ajv";
import type { Json, JsonObject } from "../../core/json.ts";
import { explainAlternatives } from "./alternatives.ts";
import { toProblem, type ArgumentProblem, type ArgumentFinding } from "./finding.ts";
import { valueWords, wordsFor } from "./schema-words.ts";

/** More than a model can mend at once, and no reason to fill its context. */
const PROBLEM_COUNT_MAX = 10;
const REFERENCE = /"\$(?:ref|dynamicRef|recursiveRef)":/;

export function describeProblems(
  errors: readonly ErrorObject[],
  args: Json,
  root: JsonObject,
): ArgumentProblem[] {
  const findings = withoutEchoes(gather(errors, args, root));
  const problems = new Map<string, ArgumentProblem>();
  for (const finding of findings) {
    const problem = toProblem(finding, args);
    problems.set(JSON.stringify(problem), problem);
    if (problems.size === PROBLEM_COUNT_MAX) break;
  }
  if (problems.size === 0) return [{ path: "", message: "does not fit the schema" }];
  return [...problems.values()];
}

function gather(errors: readonly ErrorObject[], args: Json, root: JsonObject): ArgumentFinding[] {
  const kept: ArgumentFinding[] = [];
  for (const error of errors) {
    switch (error.keyword) {
      case "anyOf":
      case "oneOf":
        kept.push(...explainAlternatives(error, takeBack(kept, error), args, root));
        break;
      case "contains":
        takeBack(kept, error);
        kept.push({ error });
        break;
      case "propertyNames":
        kept.push(explainName(error, takeBack(kept, error)));
        break;
      case "if":
        // What `then` or `else` asks for comes before it.
        break;
      default:
        kept.push({ error });
    }
  }
  return kept;
}

/** Takes the findings that came up while a branch of `outer` was tried; they come right before it. */
function takeBack(kept: ArgumentFinding[], outer: ErrorObject): ArgumentFinding[] {
  let start = kept.length;
  while (start > 0 && isInside(kept[start - 1]!.error, outer)) start--;
  return kept.splice(start);
}

function isInside(error: ErrorObject, outer: ErrorObject): boolean {
  const place = outer.instancePath;
  if (error.instancePath !== place && !error.instancePath.startsWith(`${place}/`)) return false;
  if (error.schemaPath.startsWith(`${outer.schemaPath}/`)) return true;
  // Behind a reference the path starts again and tells nothing; but an error of the very same schema is a neighbour.
  return error.parentSchema !== outer.parentSchema && REFERENCE.test(JSON.stringify(outer.schema));
}

/** A property that a failed branch would have known is not unknown. */
function withoutEchoes(findings: ArgumentFinding[]): ArgumentFinding[] {
  const others = findings.filter(({ error }) => !error.keyword.startsWith("unevaluated"));
  return others.length === 0 ? findings : others;
}

function explainName(error: ErrorObject, inner: readonly ArgumentFinding[]): ArgumentFinding {
  const name = valueWords(String(error.params["propertyName"]));
  const why = inner.map((finding) => finding.words ?? wordsFor(finding.error)).join(" and ");
  return { error, words: `the property name ${name} is not allowed${why === "" ? "" : `: it ${why}`}` };
}
