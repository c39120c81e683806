/** The error codes of JSON-RPC 2.0, and those that MCP adds to them. */
export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;
export const METHOD_NOT_FOUND = -32601;
export const INVALID_PARAMS = -32602;
export const INTERNAL_ERROR = -32603;
/** For a failure of the request itself, which has no code of its own in JSON-RPC. */
export const REQUEST_FAILED = -32000;
/** MCP over HTTP: the session that a request names has ended, or never was. */
export const SESSION_NOT_FOUND = -32001;
/** MCP over HTTP: a header says something else than the body. */
export const HEADER_MISMATCH = -32020;
/** MCP: the request needs a capability that the client has not declared. */
export const MISSING_CAPABILITY = -32021;
