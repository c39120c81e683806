/**
 * The routes of the API, by name: method and path below `/api/v1`. It imports nothing, so the console has it too.
 * `contract/` says what each takes and answers, and who may ask.
 */
export const API_PREFIX = "/api/v1";

/** A write that is authorized by a cookie carries it: a page of another origin cannot set it. */
export const CONSOLE_HEADER = "x-repertoire-console";

/** What the page hears of: one topic for each kind of thing that changes. */
export const TOPICS = ["runs", "calls", "inbox", "servers", "library", "access"] as const;
export type Topic = (typeof TOPICS)[number];

export const ROUTES = {
  // who looks
  getSession: ["GET", "/session"],
  openSession: ["POST", "/session"],
  closeSession: ["DELETE", "/session"],
  getOpenApi: ["GET", "/openapi.json"],
  // what waits, what is
  getStatus: ["GET", "/status"],
  listInbox: ["GET", "/inbox"],
  getStats: ["GET", "/stats"],
  // runs
  listRuns: ["GET", "/runs"],
  countRuns: ["GET", "/runs-histogram"],
  startRun: ["POST", "/runs"],
  checkCode: ["POST", "/code/check"],
  declareTools: ["GET", "/code/declarations"],
  getRun: ["GET", "/runs/:run"],
  getTrace: ["GET", "/runs/:run/trace"],
  listSteps: ["GET", "/runs/:run/steps"],
  getStep: ["GET", "/runs/:run/steps/:step"],
  readValue: ["GET", "/runs/:run/values/:step"],
  getGraph: ["GET", "/runs/:run/graph"],
  compareRun: ["GET", "/runs/:run/difference"],
  resumeRun: ["POST", "/runs/:run/resume"],
  cancelRun: ["POST", "/runs/:run/cancel"],
  saveRun: ["POST", "/runs/:run/save"],
  proposeRule: ["GET", "/runs/:run/rule"],
  decideRun: ["POST", "/runs/:run/decision"],
  // the library
  listLibrary: ["GET", "/library"],
  getItem: ["GET", "/library/:name"],
  compareVersions: ["GET", "/library-difference"],
  testItem: ["POST", "/library/:name/test"],
  renameItem: ["POST", "/library/:name/rename"],
  aliasItem: ["POST", "/library/:name/alias"],
  rollBackItem: ["POST", "/library/:name/rollback"],
  deleteItem: ["DELETE", "/library/:name"],
  exportItem: ["GET", "/library/:name/export"],
  saveDraft: ["POST", "/library"],
  // servers
  listServers: ["GET", "/servers"],
  getServer: ["GET", "/servers/:server"],
  addServers: ["POST", "/servers"],
  removeServer: ["DELETE", "/servers/:server"],
  enableServer: ["POST", "/servers/:server/enable"],
  disableServer: ["POST", "/servers/:server/disable"],
  restartServer: ["POST", "/servers/:server/restart"],
  loginServer: ["POST", "/servers/:server/login"],
  setInput: ["POST", "/inputs/:input"],
  // what servers offer
  listPins: ["GET", "/pins"],
  decidePins: ["POST", "/servers/:server/pins"],
  // tools
  listTools: ["GET", "/tools"],
  searchTools: ["GET", "/tools-search"],
  getTool: ["GET", "/tools/:tool"],
  callTool: ["POST", "/tools/:tool/call"],
  // calls and access
  listCalls: ["GET", "/calls"],
  listTokens: ["GET", "/tokens"],
  getToken: ["GET", "/tokens/:token"],
  createToken: ["POST", "/tokens"],
  revokeToken: ["DELETE", "/tokens/:token"],
  rotateToken: ["POST", "/tokens/:token/rotate"],
  listProfiles: ["GET", "/profiles"],
  listRules: ["GET", "/rules"],
  explainCall: ["POST", "/rules/explain"],
} as const satisfies Readonly<Record<string, readonly ["GET" | "POST" | "DELETE", string]>>;

export type RouteName = keyof typeof ROUTES;

/** The permission that each route asks for, where it is more than to read. */
export const PERMISSION_OF: Readonly<Partial<Record<RouteName, "public" | "call" | "write" | "admin">>> = {
  openSession: "public",
  closeSession: "public",
  startRun: "call",
  resumeRun: "call",
  cancelRun: "call",
  saveRun: "write",
  proposeRule: "admin",
  decideRun: "write",
  testItem: "call",
  renameItem: "write",
  aliasItem: "write",
  rollBackItem: "write",
  deleteItem: "write",
  saveDraft: "write",
  addServers: "admin",
  removeServer: "admin",
  enableServer: "admin",
  disableServer: "admin",
  restartServer: "admin",
  loginServer: "admin",
  setInput: "admin",
  decidePins: "write",
  callTool: "call",
  listTokens: "admin",
  getToken: "admin",
  createToken: "admin",
  revokeToken: "admin",
  rotateToken: "admin",
  listProfiles: "admin",
};

/** What an answer goes stale with; those of other routes never do by themselves. */
export const TOPICS_OF: Readonly<Partial<Record<RouteName, readonly Topic[]>>> = {
  getStatus: ["runs", "calls", "inbox", "servers", "library"],
  listInbox: ["inbox"],
  listRuns: ["runs"],
  countRuns: ["runs"],
  declareTools: ["servers", "library"],
  getRun: ["runs"],
  getTrace: ["runs"],
  listSteps: ["runs"],
  getStep: ["runs"],
  getGraph: ["runs"],
  compareRun: ["runs"],
  listLibrary: ["library"],
  getItem: ["library", "servers"],
  listServers: ["servers"],
  getServer: ["servers", "calls"],
  listPins: ["inbox", "servers"],
  listTools: ["servers", "library"],
  searchTools: ["servers", "library"],
  getTool: ["servers", "calls", "library"],
  listCalls: ["calls"],
  listTokens: ["access"],
  getToken: ["access", "servers", "library"],
  listProfiles: ["access"],
  listRules: ["access"],
};

/** The events of the gateway: an `EventSource` below `API_PREFIX`. */
export const EVENTS_PATH = "/events";
/** A page that opens its events again names the last that it knows; a browser that does so by itself sends `Last-Event-ID`. */
export const LAST_EVENT_PARAM = "after";
/** In place of a topic: so much was missed that everything may be stale. */
export const EVERY_TOPIC = "*";
