/** What the README and docs/numbers.md claim: each row is made from the result of one bench, and from nothing else. */
import type { Figure } from "../figures.ts";
import type { BenchName, ClaimedFigures } from "./figures.ts";

/** What it is with the gateway, and what that is compared with. */
export interface Cells {
  readonly ours: string;
  readonly other: string;
}

export interface Claim<Name extends BenchName = BenchName> {
  readonly id: string;
  readonly text: string;
  readonly bench: Name;
  /** Undefined where the result does not have it. */
  readonly from: (figures: ClaimedFigures[Name]) => Cells | undefined;
}

/** Infers the figures from the bench. */
function claim<Name extends BenchName>(made: Claim<Name>): Claim {
  return made as unknown as Claim;
}

const BARE = "bare SDK server";
const MANY_TOOLS = 20_000;
/** The set whose requests have all sizes of catalogue. */
const SEARCH_SET = "seal-tools";
const OURS = "repertoire";

export const CLAIMS: readonly Claim[] = [
  claim({
    id: "conversation",
    text: "a conversation begins with",
    bench: "bench",
    from: ({ tokens }) =>
      tokens && {
        ours: `${count(tokens.leanTokens)} tokens; a search adds about ${count(tokens.searchTokens)}`,
        other: `${count(tokens.toolTokens)} tokens: the ${tokens.toolCount} tools of the reference servers ${tokens.servers.join(", ")}`,
      },
  }),
  ...[107, 364].map((size) => taskClaim(size)),
  claim({
    id: "retail",
    text: "killed before and after each action of τ²-bench's retail tasks, then resumed",
    bench: "retail",
    from: retail,
  }),
  callClaim("call-stdio", "a tool call over stdio", "stdio, 1 at once"),
  callClaim("call-http", "a tool call over HTTP", "HTTP, 1 at once"),
  claim({ id: "clients", text: "32 HTTP clients, one call each at a time", bench: "http", from: clients }),
  claim({ id: "start", text: "start, with 30 servers configured", bench: "bench", from: start }),
  claim({ id: "resume", text: "a stopped run of 1,000 steps goes on", bench: "bench", from: resume }),
  claim({
    id: "search",
    text: "the wanted tool is among the first five, of 20,000",
    bench: "search",
    from: search,
  }),
  claim({
    id: "execute",
    text: "a run of code that does nothing, over stdio",
    bench: "sandbox",
    from: execute,
  }),
  claim({
    id: "hostile",
    text: "hostile programs that are contained",
    bench: "sandbox",
    from: ({ hostile }) =>
      hostile && { ours: `${hostile.contained} of ${hostile.programs}`, other: "the goal: all" },
  }),
  claim({
    id: "memory",
    text: "memory of a gateway after 100,000 calls over HTTP",
    bench: "http",
    from({ memory }) {
      const loadedMb = memory?.afterCallsMb?.["100000"];
      if (memory === undefined || loadedMb === undefined) return undefined;
      return { ours: `${loadedMb.toFixed(0)} MB`, other: `${memory.idleMb.toFixed(0)} MB: idle` };
    },
  }),
];

function taskClaim(size: number): Claim {
  return claim({
    id: `tasks-${size}`,
    text: `what a task takes of a model's context, with ${size} tools`,
    bench: "tasks",
    from({ rows = [] }) {
      const ours = rows.find((row) => row.mode === "lean" && row.size === size);
      const direct = rows.find((row) => row.mode === "direct" && row.size === size);
      if (ours === undefined || direct === undefined) return undefined;
      const share = (100 * (ours.contextRatio ?? ours.context / direct.context)).toFixed(0);
      return {
        ours: `${share} %: ${count(ours.context)} tokens in the mean of ${ours.tasks} tasks`,
        other: `${count(direct.context)} tokens: all tools listed`,
      };
    },
  });
}

function callClaim(id: string, text: string, wire: string): Claim {
  return claim({
    id,
    text,
    bench: "bench",
    from({ relay }) {
      const { direct, "through repertoire": ours } = relay?.[wire] ?? {};
      if (direct === undefined || ours === undefined) return undefined;
      const ratio = (ours.p50 / direct.p50).toFixed(2);
      return { ours: `${ms(ours)}, ${ratio} ×`, other: `${ms(direct)}: the same server, called directly` };
    },
  });
}

function retail({ actions, kills }: ClaimedFigures["retail"]): Cells | undefined {
  // A sample of them shows nothing of the others.
  if (kills === undefined || kills.actions !== actions) return undefined;
  return {
    ours: `${kills.wholeActions} of ${kills.actions} actions end in the same database; ${kills.repeated} repeated, ${kills.lost} lost`,
    other: "the undisturbed run of each",
  };
}

function clients({ clients: all }: ClaimedFigures["http"]): Cells | undefined {
  const crowd = Object.entries(all?.["32"] ?? {});
  const rangeOf = (begin: string) => {
    const rates = crowd
      .filter(([name]) => name.startsWith(begin))
      .map(([, { perSecond }]) => Math.round(perSecond));
    return rates.length === 0
      ? undefined
      : [...new Set([Math.min(...rates), Math.max(...rates)])].map(count).join(" to ");
  };
  const [ours, bare] = [rangeOf(OURS), rangeOf("bare SDK")];
  if (ours === undefined || bare === undefined) return undefined;
  return {
    ours: `${ours} calls/s, forwarded to a stdio server`,
    other: `${bare} calls/s: a bare server of the MCP SDK, with nothing behind it`,
  };
}

function start({ listing, startup }: ClaimedFigures["bench"]): Cells | undefined {
  const ours = listing?.start["30 servers, warm cache, none started"];
  const bare = startup?.[BARE];
  const bundled = startup?.[`${BARE}, bundled like ours`];
  if (ours === undefined || bare === undefined || bundled === undefined) return undefined;
  return {
    ours: `${ours.p50.toFixed(0)} ms to the list of tools, no server started`,
    other: `${bare.p50.toFixed(0)} ms: a bare server of the MCP SDK (${bundled.p50.toFixed(0)} ms when it is bundled)`,
  };
}

function resume({ journal }: ClaimedFigures["bench"]): Cells | undefined {
  if (journal?.resume.steps !== 1_000) return undefined;
  const seconds = (value: number) => `${(value / 1_000).toFixed(2)} s`;
  const { firstMs, resumedMs } = journal.resume;
  return { ours: `${seconds(resumedMs)}, no call repeated`, other: `${seconds(firstMs)}: the run itself` };
}

/** On the same queries: those that slow systems were asked. */
function search({ cold = [] }: ClaimedFigures["search"]): Cells | undefined {
  const cells = cold.filter(({ set, toolCount }) => set === SEARCH_SET && toolCount === MANY_TOOLS);
  const asked = Math.min(...cells.map(({ queryCount }) => queryCount));
  const recallOf = (begin: string) => {
    const cell = cells.find(({ system, queryCount }) => system.startsWith(begin) && queryCount === asked);
    return cell && `${(100 * cell.quality.recall5).toFixed(0)} %`;
  };
  const [ours, fts5, mini] = [recallOf(OURS), recallOf("SQLite FTS5"), recallOf("MiniSearch")];
  if (ours === undefined || fts5 === undefined || mini === undefined) return undefined;
  return {
    ours: `${ours} of what ${asked} requests want`,
    other: `${fts5} SQLite FTS5, ${mini} MiniSearch, same texts ([search.md](SEARCH_PAGE))`,
  };
}

function execute({ speed }: ClaimedFigures["sandbox"]): Cells | undefined {
  const [ours, fresh] = ["execute through the gateway", "a new node process"].map(
    (way) => speed?.[way]?.["trivial"],
  );
  if (ours === undefined || fresh === undefined) return undefined;
  return { ours: `${ours.toFixed(1)} ms`, other: `${fresh.toFixed(1)} ms: a new Node process for the code` };
}

function ms({ p50 }: Figure): string {
  return `${p50.toFixed(2)} ms`;
}

function count(value: number): string {
  return Math.round(value).toLocaleString("en-US");
}
