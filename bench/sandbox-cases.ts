/** The programs whose speed is measured, the same text for every way to run them. */
export interface SpeedCase {
  readonly name: string;
  readonly code: string;
  readonly expected: number;
  /** How a client makes the same calls without any code: so many, one after the other or together. */
  readonly calls?: { readonly count: number; readonly atOnce: boolean };
}

const ROWS_BYTES = 1_000_000;
const CITIES = ["Aachen", "Bergen", "Catania", "Delft"];

/** About 1 MB as JSON. */
function makeRows(): { id: number; name: string; city: string; amount: number }[] {
  const row = (id: number) => ({ id, name: `Customer ${id}`, city: CITIES[id % 4]!, amount: id % 100 });
  const count = Math.floor(ROWS_BYTES / JSON.stringify(row(10_000)).length);
  return Array.from({ length: count }, (_, id) => row(id));
}

export const ROWS: readonly { readonly amount: number }[] = makeRows();

/** What code can call, in memory: it resolves at once. */
export const TOOLS = { noop: async () => 1, rows: async () => ROWS } as const;
export type ToolName = keyof typeof TOOLS;

export const CASES: readonly SpeedCase[] = [
  { name: "trivial", code: "return 1", expected: 1 },
  {
    name: "1 call",
    code: "return await mcp.bench.noop({ n: 1 })",
    expected: 1,
    calls: { count: 1, atOnce: false },
  },
  {
    name: "100 in turn",
    code: "let sum = 0; for (let n = 0; n < 100; n++) sum += await mcp.bench.noop({ n }); return sum",
    expected: 100,
    calls: { count: 100, atOnce: false },
  },
  {
    name: "100 at once",
    code: "return (await Promise.all(Array.from({ length: 100 }, (_, n) => mcp.bench.noop({ n })))).length",
    expected: 100,
    calls: { count: 100, atOnce: true },
  },
  {
    name: "sum of 1 MB",
    code: "return (await mcp.bench.rows({})).reduce((sum, { amount }) => sum + amount, 0)",
    expected: ROWS.reduce((sum, { amount }) => sum + amount, 0),
  },
  {
    name: "fib(25)",
    code: "const fib = (n) => n < 2 ? n : fib(n - 1) + fib(n - 2); return fib(25)",
    expected: 75_025,
  },
];
