/**
 * The bench of the retail domain, on a shop of three orders that is made for it: its rules, its log, its way of counting, and a
 * `kill -9` before and after each action. `npm run soak retail` does the same with τ²-bench's 550 actions.
 */
import { appendFileSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { calculate } from "../bench/retail/calculate.ts";
import { createStateHash } from "../bench/retail/final-state.ts";
import { countEffects } from "../bench/retail/kill.ts";
import { reportOf } from "../bench/retail/report.ts";
import { benchRetail, isProven } from "../bench/retail/run.ts";
import type { DoneAction } from "../bench/retail/script.ts";
import { openShop, readDatabase, type LogEntry, type Shop } from "../bench/retail/shop.ts";
import { dataFolder, loadTasks } from "../bench/retail/task.ts";
import { DEFINITIONS, TOOLS } from "../bench/retail/tools.ts";
import { BIN } from "./fixtures/gateway-process.ts";
import { temporaryFolder } from "./fixtures/temporary.ts";

const SMALL_SHOP = join(import.meta.dirname, "fixtures/retail");
const database = readDatabase(join(SMALL_SHOP, "db.json"));
/** Starting a gateway takes seconds on a busy machine, and each kill starts one. */
const KILLS_MS_MAX = 120_000;
/** A soak sets it: every so-many-th action of τ²-bench. */
const SAMPLE = process.env["RETAIL_SAMPLE"];
const ALL_KILLS_MS_MAX = 4 * 3_600_000;

const SWAP = {
  order_id: "#W1000001",
  item_ids: ["1000000001"],
  new_item_ids: ["1000000002"],
  payment_method_id: "gift_card_1001",
};

describe("the shop", () => {
  it("changes items of a pending order once, and takes the difference from the gift card", () => {
    const shop = createShop();
    act(shop, "modify_pending_order_items", SWAP);
    const order = shop.requireOrder("#W1000001");
    expect(order.status).toBe("pending (items modifed)");
    expect(order.items.map(({ item_id: id, price }) => [id, price])).toEqual([
      ["1000000002", 42.25],
      ["2000000001", 65],
    ]);
    expect(order.payment_history.at(-1)).toEqual({
      transaction_type: "payment",
      amount: 11.75,
      payment_method_id: "gift_card_1001",
    });
    expect(shop.requireUser("ines_moreau_1001").payment_methods["gift_card_1001"]!.balance).toBe(38.25);
    expect(() => act(shop, "modify_pending_order_items", SWAP)).toThrow(
      "is pending (items modifed); only one",
    );
  });

  it("refunds a cancelled order to the gift card that paid it", () => {
    const shop = createShop();
    act(shop, "cancel_pending_order", { order_id: "#W1000003", reason: "ordered by mistake" });
    expect(shop.requireOrder("#W1000003").status).toBe("cancelled");
    expect(shop.requireUser("teo_brandt_1002").payment_methods["gift_card_1002"]!.balance).toBe(47.25);
  });

  it.each([
    ["modify_pending_order_items", { ...SWAP, new_item_ids: ["1000000003"] }, "is not available"],
    ["modify_pending_order_items", { ...SWAP, new_item_ids: ["2000000002"] }, "is not a Tea Pot"],
    ["modify_pending_order_items", { ...SWAP, new_item_ids: [] }, "name as many"],
    [
      "modify_pending_order_items",
      { ...SWAP, item_ids: ["1000000001", "1000000001"], new_item_ids: ["1", "2"] },
      "as many as",
    ],
    ["modify_pending_order_items", { ...SWAP, payment_method_id: "paypal_1002" }, "has no payment method"],
    [
      "modify_pending_order_payment",
      { order_id: "#W1000001", payment_method_id: "gift_card_1001" },
      "holds 50, and 95.5",
    ],
    [
      "modify_pending_order_payment",
      { order_id: "#W1000001", payment_method_id: "credit_card_1001" },
      "already",
    ],
    ["exchange_delivered_order_items", SWAP, "is pending; only one that is delivered"],
    ["cancel_pending_order", { order_id: "#W1000001", reason: "too late" }, "reason is one of"],
    ["get_order_details", { order_id: "W1000001" }, "There is no order"],
    ["get_order_details", { order_id: "#W1000001", extra: "1" }, "extra is not an argument"],
    ["find_user_id_by_name_zip", { first_name: "Ines", last_name: "Moreau", zip: "1" }, "There is no user"],
  ])("refuses %s %o: %s", (tool, args, words) => {
    expect(() => act(createShop(), tool, args)).toThrow(words);
  });

  it("calculates to the cent, and nothing but sums", () => {
    expect(calculate("(135.24 - 153.23) * 2 + -1 / 4")).toBe("-36.23");
    for (const text of ["1 +", "2 ** 3", "process.exit()", "1 / 0", "(1"]) {
      expect(() => calculate(text), text).toThrow("is not a sum");
    }
  });

  it("is what its log says when it is opened again, without a line that was being written", () => {
    const log = join(temporaryFolder(), "log.jsonl");
    act(openShop(database, log), "modify_pending_order_items", SWAP);
    const whole = readFileSync(log, "utf8");
    appendFileSync(log, whole.slice(0, -20));
    const hashOf = createStateHash(database);
    const hash = hashOf(log);
    expect(hash).not.toBe(hashOf(`${log}.none`));
    const again = openShop(database, log);
    expect(again.requireOrder("#W1000001").status).toBe("pending (items modifed)");
    expect(readFileSync(log, "utf8")).toBe(whole);
    expect(hashOf(log)).toBe(hash);
    again.close();
  });

  it("says of each tool whether it only reads", () => {
    const reads = DEFINITIONS.filter(({ annotations }) => annotations.readOnlyHint).map(({ name }) => name);
    expect(reads).toEqual([
      "find_user_id_by_email",
      "find_user_id_by_name_zip",
      "get_user_details",
      "get_order_details",
      "get_product_details",
      "get_item_details",
      "list_all_product_types",
      "calculate",
    ]);
    expect(
      DEFINITIONS.some(({ annotations }) => "idempotentHint" in annotations && annotations.idempotentHint),
    ).toBe(false);
  });
});

describe("the count of effects", () => {
  const entry: LogEntry = {
    call: 1,
    tool: "cancel_pending_order",
    args: { order_id: "#W1", reason: "x" },
    answer: {},
  };
  const done: DoneAction[] = [
    { tool: entry.tool, args: { order_id: "#W1", reason: "x" }, readOnly: false, answer: { content: [] } },
  ];
  const refused: LogEntry = { call: 2, tool: entry.tool, args: entry.args, refused: "It is cancelled." };

  it.each([
    ["one", [entry], 0, 0],
    ["one, after it was refused", [refused, entry], 0, 0],
    ["two", [entry, entry], 1, 0],
    ["one that the shop refused afterwards", [entry, refused], 1, 0],
    ["none", [], 0, 1],
    ["one that was never asked for", [entry, { ...entry, args: { order_id: "#W2" } }], 1, 0],
  ])("of %s", (_what, entries, repeatCount, lostCount) => {
    expect(countEffects({ done }, entries)).toEqual({ repeatCount, lostCount });
  });
});

describe.skipIf(process.platform === "win32")("a task of the shop through the gateway", () => {
  it(
    "comes to the same database each way, and after a kill before and after each action",
    { timeout: KILLS_MS_MAX },
    async () => {
      const figures = await benchRetail({ folder: temporaryFolder(), data: SMALL_SHOP, bin: BIN, sample: 1 });
      expect(figures).toMatchObject({
        tasks: 2,
        actions: 7,
        scriptEqual: 2,
        keptEqual: 2,
        keptSameResult: 2,
      });
      expect(figures!.kills).toMatchObject({
        kills: 14,
        whole: 14,
        before: { kills: 7, whole: 7 },
        after: { kills: 7, whole: 7 },
        wholeActions: 7,
        repeated: 0,
        lost: 0,
        // Each write that was under way, and no read.
        uncertainStops: 10,
        writeKills: 10,
        changed: [],
        failed: [],
      });
      expect(reportOf(figures!)).toContain("7 of 7 actions, 14 of 14 kills");
      expect(isProven(figures!)).toBe(true);
      expect(isProven({ ...figures!, keptEqual: 1 })).toBe(false);
      expect(isProven({ ...figures!, kills: { ...figures!.kills!, whole: 13 } })).toBe(false);
      const { direct, script, kept } = figures!.tokens;
      expect(direct).toMatchObject({ contextRatio: 1, requests: 9 });
      expect(Math.min(script.context, kept.context)).toBeGreaterThan(0);
    },
  );

  it("has nothing to do where there are no data", async () => {
    const folder = temporaryFolder();
    expect(await benchRetail({ folder, data: folder, bin: BIN })).toBeUndefined();
  });

  it.skipIf(SAMPLE === undefined)("holds for τ²-bench's actions", { timeout: ALL_KILLS_MS_MAX }, async () => {
    const data = dataFolder();
    if (loadTasks(data) === undefined)
      return console.log(`skipped: there is no db.json and tasks.json in ${data}`);
    const folder = temporaryFolder();
    const figures = await benchRetail({ folder, data, bin: BIN, sample: Number(SAMPLE) });
    console.log(reportOf(figures!));
    expect(isProven(figures!), JSON.stringify(figures!.kills?.failed)).toBe(true);
  });
});

function createShop(): Shop {
  return openShop(database, join(temporaryFolder(), "log.jsonl"));
}

function act(shop: Shop, tool: string, args: Readonly<Record<string, unknown>>): void {
  shop.append({ call: 1, tool, args, ...TOOLS[tool]!.run(shop, args) });
}
