import type { RouteName, Topic } from "../../src/operator/routes.ts";

/** What goes stale when an action of ours has succeeded; the gateway's own events say the same a moment later. */
export const CHANGED_BY: Readonly<Partial<Record<RouteName, readonly Topic[]>>> = {
  startRun: ["runs", "calls"],
  resumeRun: ["runs", "calls", "inbox"],
  cancelRun: ["runs", "inbox"],
  saveRun: ["library"],
  decideRun: ["runs", "inbox", "access"],
  testItem: ["library"],
  renameItem: ["library"],
  aliasItem: ["library"],
  rollBackItem: ["library"],
  deleteItem: ["library"],
  saveDraft: ["library"],
  addServers: ["servers", "inbox"],
  removeServer: ["servers", "inbox"],
  enableServer: ["servers", "inbox"],
  disableServer: ["servers", "inbox"],
  restartServer: ["servers"],
  loginServer: ["servers", "inbox"],
  setInput: ["servers", "inbox"],
  decidePins: ["servers", "inbox"],
  callTool: ["calls"],
  createToken: ["access"],
  revokeToken: ["access"],
  rotateToken: ["access"],
};
