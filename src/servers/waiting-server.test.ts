import { describeToolSource } from "../registry/tool-source.testsuite.ts";
import { createWaitingServer } from "./waiting-server.ts";

describeToolSource("a server that cannot be started", async () => ({
  source: createWaitingServer("box", [
    { file: "repertoire.json", path: "mcpServers.box.command", message: "it is empty" },
  ]),
}));
