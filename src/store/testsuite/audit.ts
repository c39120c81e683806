import { expect, it } from "vitest";
import type { StoreFixture } from "./fixture.ts";

const ENTRY = { actor: "ada", action: "capability.save", subject: "math:sum", details: { version: 1 } };

export function describeAudit(fixture: () => StoreFixture): void {
  it("numbers entries from 1 and gives back what was put in", async () => {
    const { store, clock } = fixture();
    const first = await store.audit.append(ENTRY);
    clock.advance(3);
    const second = await store.audit.append({ ...ENTRY, details: {} });
    expect(first).toEqual({ ...ENTRY, seq: 1, at: clock.now() - 3, hash: first.hash });
    expect(second).toMatchObject({ seq: 2, at: clock.now(), details: {} });
    expect(first.hash).toMatch(/^[0-9a-f]{64}$/);
    expect(await store.audit.list({ limit: 10 })).toEqual([first, second]);
  });

  it("gives equal entries different hashes, because each covers the one before (T159)", async () => {
    const { store } = fixture();
    const hashes = new Set<string>();
    for (let i = 0; i < 5; i++) hashes.add((await store.audit.append(ENTRY)).hash);
    expect(hashes.size).toBe(5);
  });

  it("D11: lists the newest first, page by page", async () => {
    const { store } = fixture();
    for (let i = 0; i < 5; i++) await store.audit.append(ENTRY);
    const seqs = async (options: { limit: number; beforeSeq?: number }): Promise<number[]> =>
      (await store.audit.newest(options)).map((entry) => entry.seq);
    expect(await seqs({ limit: 2 })).toEqual([5, 4]);
    expect(await seqs({ limit: 2, beforeSeq: 4 })).toEqual([3, 2]);
    expect(await seqs({ limit: 9, beforeSeq: 2 })).toEqual([1]);
    expect(await store.audit.newest({ limit: 1 })).toEqual((await store.audit.list({ limit: 9 })).slice(-1));
  });

  it("lists the oldest first, page by page", async () => {
    const { store } = fixture();
    for (let i = 0; i < 5; i++) await store.audit.append(ENTRY);
    const seqs = async (options: { limit: number; afterSeq?: number }): Promise<number[]> =>
      (await store.audit.list(options)).map((entry) => entry.seq);
    expect(await seqs({ limit: 2 })).toEqual([1, 2]);
    expect(await seqs({ limit: 2, afterSeq: 2 })).toEqual([3, 4]);
    expect(await seqs({ limit: 2, afterSeq: 5 })).toEqual([]);
  });

  it("holds as a chain when entries are appended at once, and after a restart", async () => {
    const { store, reopen } = fixture();
    const entries = await Promise.all(Array.from({ length: 40 }, () => store.audit.append(ENTRY)));
    const seqs = entries.map((entry) => entry.seq).sort((a, b) => a - b);
    expect(seqs).toEqual(Array.from({ length: 40 }, (_, i) => i + 1));
    const again = await reopen();
    await again.audit.append(ENTRY);
    expect(await again.audit.findBreak()).toBeUndefined();
    expect(await again.audit.list({ limit: 100 })).toHaveLength(41);
  });

  it("holds when it is empty", async () => {
    const { store } = fixture();
    expect(await store.audit.findBreak()).toBeUndefined();
    expect(await store.audit.list({ limit: 1 })).toEqual([]);
  });

  it("is not taken for broken while entries are being appended", async () => {
    const { store } = fixture();
    const work = Array.from({ length: 30 }, async (_, i) =>
      i % 3 === 0 ? store.audit.findBreak() : store.audit.append(ENTRY).then(() => undefined),
    );
    expect(await Promise.all(work)).toEqual(Array.from({ length: 30 }, () => undefined));
  });
}
