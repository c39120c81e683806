import { describe, expect, it } from "vitest";
import { createFailureCount, FAILURE_COUNT_MAX, FAILURE_WINDOW_MS, remoteKey } from "./refusal.ts";

function countAt() {
  let nowMs = 5_000;
  const clock = { now: () => 0, elapsed: () => nowMs };
  return { pass: (ms: number) => (nowMs += ms), failures: (max?: number) => createFailureCount(clock, max) };
}

describe("T134: failures", () => {
  it("are told to wait past the limit, until the window is over", () => {
    const { pass, failures } = countAt();
    const count = failures();
    for (let i = 0; i < FAILURE_COUNT_MAX; i++) expect(count.add(["a"])).toEqual({ isFirst: false });
    pass(20_500);
    expect(count.add(["a"])).toEqual({ retryAfterS: 40, isFirst: true });
    expect(count.add(["a"])).toEqual({ retryAfterS: 40, isFirst: false });
    expect(count.add(["b"])).toEqual({ isFirst: false });
    pass(FAILURE_WINDOW_MS);
    expect(count.add(["a"])).toEqual({ isFirst: false });
  });

  it("of one token count together wherever they come from", () => {
    const count = countAt().failures();
    for (let i = 0; i < FAILURE_COUNT_MAX; i++) count.add([`remote ${i}`, "token"]);
    expect(count.add(["remote x", "token"]).retryAfterS).toBe(60);
    expect(count.add(["remote x"]).retryAfterS).toBeUndefined();
  });

  it("of more addresses than are tracked forget the oldest", () => {
    const count = countAt().failures(2);
    for (let i = 0; i <= FAILURE_COUNT_MAX; i++) count.add(["a"]);
    count.add(["b"]);
    expect(count.add(["a"]).retryAfterS).toBe(60);
    count.add(["c"]);
    expect(count.add(["a"]).retryAfterS).toBeUndefined();
  });
});

describe("a remote", () => {
  it.each([
    ["127.0.0.1", "127.0.0.1"],
    ["::ffff:10.1.2.3", "10.1.2.3"],
    ["2001:db8:1:2:aaaa::1", "2001:db8:1:2::/64"],
    ["2001:DB8:1:2:bbbb:1:2:3", "2001:db8:1:2::/64"],
    ["2001:0db8:0001:0002::", "2001:db8:1:2::/64"],
    ["::1", "0:0:0:0::/64"],
    ["fe80::1%eth0", "fe80:0:0:0::/64"],
    ["", ""],
  ])("%j is counted as %s", (remote, key) => {
    expect(remoteKey(remote)).toBe(key);
  });
});
