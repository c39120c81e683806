/** What calling a capability costs, beside running its code and beside calling the tool that it calls. */
import { printFigures, quantile, takeTurns, type Samples } from "./figures.ts";
import type { LibraryHome } from "./library-home.ts";
import { openControl, openGateway, type GatewayLines, type ServerLines } from "./sandbox-gateway.ts";

const ROUNDS = 100;
/** A capability is its code and a look into the library; it should cost no more than the code. */
const GOAL_RATIO = 1.2;

const TRIVIAL = { name: "trivial", code: "return args.n" };
const ONE_CALL = { name: "onecall", code: "return await mcp.fixture.noop({ n: args.n })" };

type Kept = typeof TRIVIAL;

export async function benchCalls(home: LibraryHome): Promise<void> {
  const gateway = await openGateway(home);
  const control = await openControl(home);
  try {
    for (const kept of [TRIVIAL, ONE_CALL]) await keep(gateway, kept);
    await compare(gateway, control);
  } finally {
    await control.close();
    await gateway.close();
  }
}

async function keep(gateway: GatewayLines, { name, code }: Kept): Promise<void> {
  const line = await gateway.callTool("execute", { code, inputs: { n: 1 }, save_as: `bench:${name}` });
  if (!line.includes(`mcp__bench__${name}`)) throw new Error(`${name} was not kept: ${line.slice(0, 400)}`);
}

async function compare(gateway: GatewayLines, control: ServerLines): Promise<void> {
  const execute = (code: string) => time(gateway, "execute", { code, inputs: { n: 1 } });
  const call = ({ name }: Kept) => time(gateway, `mcp__bench__${name}`, { n: 1 });
  const samples = await takeTurns(
    [
      { name: "execute, trivial", run: () => execute(TRIVIAL.code) },
      { name: "mcp__bench__trivial", run: () => call(TRIVIAL) },
      { name: "execute, one call of a tool", run: () => execute(ONE_CALL.code) },
      { name: "mcp__bench__onecall", run: () => call(ONE_CALL) },
      { name: "the tool through the gateway", run: () => time(gateway, "fixture__noop", { n: 1 }) },
      { name: "the tool at its server", run: () => time(control, "noop", { n: 1 }) },
    ],
    ROUNDS,
  );
  printFigures("A call of what was kept, beside its code and its tool", samples, "execute, trivial");
  printGoal("a trivial capability", samples[1]!, samples[0]!);
  printGoal("a capability that calls a tool", samples[3]!, samples[2]!);
  const ratio = ratioOf(samples[3]!, samples[4]!).toFixed(1);
  console.log(`  a capability that calls a tool, beside the tool through the gateway: ${ratio} ×`);
}

function ratioOf(of: Samples, to: Samples): number {
  return quantile(of.values, 0.5) / quantile(to.values, 0.5);
}

async function time(lines: ServerLines, name: string, args: object): Promise<number> {
  const startedAt = performance.now();
  const line = await lines.callTool(name, args);
  const elapsedMs = performance.now() - startedAt;
  if (line.includes('"isError":true') || line.includes('"error":{')) {
    throw new Error(`${name} answered ${line.slice(0, 400)}`);
  }
  return elapsedMs;
}

function printGoal(what: string, called: Samples, executed: Samples): void {
  const ratio = ratioOf(called, executed);
  console.log(
    `  goal: ${what} at most ${GOAL_RATIO} × execute of its code: ${ratio <= GOAL_RATIO ? "met" : "MISSED"} (${ratio.toFixed(2)} ×)`,
  );
}
