import { expect, it } from "vitest";
import { silentLog } from "../../core/log.ts";
import type { Principal } from "../../core/principal.ts";
import { createTokenUse } from "./gate.ts";

const principalOf = (id: string): Principal => ({
  id,
  name: id,
  permissions: new Set(),
  revoked: new AbortController().signal,
});

it("notes a use at most once a minute for each token, and of tokens only", async () => {
  let now = 0;
  const put: string[] = [];
  const use = createTokenUse({
    uses: { put: async (uses) => void put.push(...[...uses].map(([name, at]) => `${name} ${at}`)) },
    log: silentLog,
    clock: { now: () => 1_000_000 + now, elapsed: () => now },
  });
  for (const at of [0, 1, 59_999, 60_000]) {
    now = at;
    use.note(principalOf("token:ci"));
    use.note(principalOf("oauth:https://issuer#ann"));
  }
  use.note(principalOf("token:laptop"));
  await use.settle();
  expect(put).toEqual(["ci 1000000", "ci 1060000", "laptop 1060000"]);
});

it("goes on where nothing can be written", async () => {
  const logged: string[] = [];
  const use = createTokenUse({
    uses: { put: () => Promise.reject(new Error("full")) },
    log: { ...silentLog, warn: (event) => logged.push(event) },
    clock: { now: () => 0, elapsed: () => 0 },
  });
  use.note(principalOf("token:ci"));
  await use.settle();
  expect(logged).toEqual(["auth.use.failed"]);
});
