import { ProtocolErrorCode } from "@modelcontextprotocol/server";
import { expect, it } from "vitest";
import * as codes from "./rpc-codes.ts";

it("has the codes of JSON-RPC and of MCP as the SDK has them", () => {
  expect(codes).toMatchObject({
    PARSE_ERROR: ProtocolErrorCode.ParseError,
    INVALID_REQUEST: ProtocolErrorCode.InvalidRequest,
    METHOD_NOT_FOUND: ProtocolErrorCode.MethodNotFound,
    INVALID_PARAMS: ProtocolErrorCode.InvalidParams,
    INTERNAL_ERROR: ProtocolErrorCode.InternalError,
  });
});
