/** Drafts in the store, where all gateways on one database find them. */
import type { DraftStore, StoredDraft } from "../core/replica-store.ts";
import { succeed, type ToolResult } from "../core/result.ts";
import { refuseLargeDraft, type Draft, type DraftPlace } from "./drafts.ts";

export function createStoredDrafts(store: DraftStore): DraftPlace {
  return {
    emptyHint: "There are no drafts yet: code that execute ran well becomes one.",
    correctHint: "Execute the corrected workflow; a draft in the database is not edited.",
    async list(scope) {
      const drafts = await store.list(scope);
      return drafts.map(({ name, updatedAt }) => ({ name, at: async () => updatedAt }));
    },
    async find(scope, names, field) {
      for (const name of names) {
        const found = await store.find(scope, name);
        if (found !== undefined) return withinLimit(found, field);
      }
      return undefined;
    },
    put: (scope, draft) => store.put(scope, draft),
    async remove(scope, { name, text, path }) {
      if (path === undefined) await store.remove(scope, name, text);
    },
  };
}

function withinLimit({ name, kind, text }: StoredDraft, field: string): ToolResult<Draft> {
  return refuseLargeDraft(Buffer.byteLength(text), field) ?? succeed({ name, kind, text });
}
