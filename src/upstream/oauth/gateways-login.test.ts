/** The login of gateways that share a database and nothing else. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { temporaryFolder } from "../../../test/fixtures/temporary.ts";
import { startOAuthServer } from "../../../test/rig/oauth-server.ts";
import { newKey, openDatabase, openSealed } from "../../secrets/sealed-secrets.testkit.ts";
import { callTool, openPlace } from "./oauth.testkit.ts";

const GATEWAY_COUNT = 3;
const ROUND_COUNT = 100;

it("three gateways renew a login once in each of 100 rounds: a refresh token may be used once", async () => {
  const rig = await startOAuthServer();
  const home = temporaryFolder();
  const key = newKey();
  const stores = await Promise.all(Array.from({ length: GATEWAY_COUNT }, () => openDatabase(home)));
  const places = stores.map((store) => openPlace(rig, {}, home, () => openSealed(store, { key })));
  await places[0]!.logIn();
  const fetches = places.map((place) => place.openFetch());
  for (let round = 0; round < ROUND_COUNT; round++) {
    rig.expireTokens();
    rig.seen.length = 0;
    expect(await Promise.all(fetches.map((fetch) => callTool(fetch, rig)))).toEqual([200, 200, 200]);
    expect(rig.at("/token"), `round ${round}`).toHaveLength(1);
  }
}, 120_000);

const HOLDER = `
  import { silentLog } from ${JSON.stringify(join(import.meta.dirname, "../../core/log.ts"))};
  import { createRowLock } from ${JSON.stringify(join(import.meta.dirname, "../../secrets/row-lock.ts"))};
  import { openSqliteStore } from ${JSON.stringify(join(import.meta.dirname, "../../store/sqlite/sqlite-store.ts"))};
  const { locks } = await openSqliteStore({ home: process.argv[1] });
  const hold = createRowLock({ locks, owner: "holder", log: silentLog, lockMs: 2000 });
  await hold("a", () => { process.stdout.write("held"); setInterval(() => {}, 1000); return new Promise(() => {}); });
`;

it("a gateway that is killed with the lock blocks the others for no longer than the time of the lock", async () => {
  const home = temporaryFolder();
  const store = await openDatabase(home);
  const holder = spawn(process.execPath, ["--input-type=module", "--eval", HOLDER, home], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void holder.kill("SIGKILL"));
  await once(holder.stdout, "data");
  expect(await store.locks.take("a", "other", 1)).toBe(false);
  holder.kill("SIGKILL");
  await once(holder, "exit");
  const killedAt = performance.now();
  expect(await openSealed(store, {}).exclusive("a", () => Promise.resolve("mine"))).toBe("mine");
  // Some of the time is the backoff of the one that waits.
  expect(performance.now() - killedAt).toBeLessThan(2_000 + 5_000);
});
