import { canonicalJson, type Json } from "../core/json.ts";
import { displayNameOf, toolNameOf } from "../core/names.ts";
import type { Redactors } from "../text/redactors.ts";
import type { CapabilityVersion, Store } from "../core/store.ts";
import type { CallContext } from "../core/tool.ts";
import type { Runs } from "../runs/runs.ts";
import { cut } from "../text/cut.ts";
import type { CapabilityDetails } from "./library.ts";

interface ExampleTestDeps {
  readonly store: Pick<Store, "capabilities">;
  readonly runs: Pick<Runs, "replay">;
  readonly redactors: Pick<Redactors, "current">;
}

/** How the example of a capability came out. */
export interface TestReport {
  readonly name: string;
  readonly version: number;
  readonly outcome: "passed" | "failed" | "skipped";
  /** What differs, or why there is nothing to test. */
  readonly differences: readonly string[];
}

/** Replays what a capability did in the run that it was kept from, offline, and says what differs. */
export async function testExample(
  deps: ExampleTestDeps,
  { capability, version }: Pick<CapabilityDetails, "capability" | "version">,
  context: CallContext,
): Promise<TestReport> {
  const told = { name: displayNameOf(capability), version: version.version };
  const example = await deps.store.capabilities.example(capability.id, version.version);
  if (capability.kind === "workflow")
    return { ...told, outcome: "skipped", differences: ["workflows cannot be replayed yet"] };
  if (example === undefined) return { ...told, outcome: "skipped", differences: [whyWithout(version)] };
  const redactor = deps.redactors.current();
  const redact = (value: Json): Json => redactor.value(value) as Json;
  const { result, unexpected, missing } = await deps.runs.replay(
    {
      code: version.source,
      tool: toolNameOf(capability),
      toolsUsed: version.toolsUsed,
      example,
      seed: example.seed ?? "",
      clockAt: example.clockAt ?? version.createdAt,
      redact,
    },
    context,
  );
  const differences = [
    ...(result.success
      ? differenceOf(example.result, redact(result.data))
      : [`it fails now: ${result.error.message}`]),
    ...unexpected.map((call) => `it makes a call that is not in the example: ${call}`),
    ...missing.map((call) => `it does not make the call ${call}`),
  ];
  return { ...told, outcome: differences.length === 0 ? "passed" : "failed", differences };
}

function whyWithout({ fromRunId }: CapabilityVersion): string {
  return fromRunId === null
    ? "it has no example: it was kept without a run"
    : "it has no example: its run was too large for one, or has a secret that is too short to be taken out";
}

function differenceOf(expected: Json, actual: Json): string[] {
  const [before, after] = [canonicalJson(expected), canonicalJson(actual)];
  return before === after
    ? []
    : [`it returns ${cut(after, SHOWN_LENGTH_MAX)} and returned ${cut(before, SHOWN_LENGTH_MAX)}`];
}

const SHOWN_LENGTH_MAX = 300;
