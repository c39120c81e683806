/**
 * The ids under which clients know the tasks of servers. One says which server has the task, what the server calls it and
 * which tool began it; nothing of it is stored.
 *
 * It is encrypted and authenticated with a key of the store: any process on the store opens it, also after a restart, and
 * no client can read, guess or change it. It is bound to the principal and the profile that it was given to: for anybody
 * else it does not open, as a text that was made up does not.
 */
import { isJsonObject } from "../../core/json.ts";
import type { SealStore } from "../../core/store.ts";
import type { CallContext, ServerTask } from "../../core/tool.ts";
import { openText, SEALING_KEY_BYTES, sealText } from "../../text/sealed-text.ts";

const KEY_NAME = "task-id";

/** A task of a server, and the exposed name of the tool that began it. */
export interface ToolTask extends ServerTask {
  readonly tool: string;
}

type Holder = Pick<CallContext, "principal" | "view">;

export interface TaskIds {
  /** The id for this caller; of letters, digits, `-` and `_`, so that it can be a header and a part of a URL. */
  seal(task: ToolTask, caller: Holder): Promise<string>;
  /** Undefined for whatever was not given to this caller. */
  open(id: string, caller: Holder): Promise<ToolTask | undefined>;
}

export function createTaskIds(store: Pick<SealStore, "key">): TaskIds {
  const loadKey = async (): Promise<Buffer> => (await store.key(KEY_NAME)).subarray(0, SEALING_KEY_BYTES);
  return {
    async seal({ server, taskId, tool }, caller) {
      return sealText(await loadKey(), boundTo(caller), JSON.stringify({ s: server, t: taskId, n: tool }));
    },
    async open(id, caller) {
      const text = openText(await loadKey(), boundTo(caller), id);
      const content: unknown = text === undefined ? undefined : JSON.parse(text);
      if (!isJsonObject(content)) return undefined;
      const { s: server, t: taskId, n: tool } = content as Readonly<Record<string, string>>;
      return { server: server!, taskId: taskId!, tool: tool! };
    },
  };
}

function boundTo({ principal, view }: Holder): string {
  return JSON.stringify([KEY_NAME, principal?.id ?? null, view?.profile ?? null]);
}
