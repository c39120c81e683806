/**
 * The page of a host of Apps, with the bridge of ext-apps. What an App asks of its server goes to `hostRequest`, which the
 * host's MCP client answers outside of the page.
 */
import { AppBridge, PostMessageTransport } from "@modelcontextprotocol/ext-apps/app-bridge";

/** Shows an App in a frame that has no origin: it can run scripts, and send messages to this page. */
window.showApp = async ({ src, args, result }) => {
  const frame = document.createElement("iframe");
  frame.setAttribute("sandbox", "allow-scripts");
  frame.style.cssText = "width: 600px; height: 420px; border: 1px solid";
  document.body.replaceChildren(frame);
  const capabilities = { serverTools: {}, serverResources: {}, logging: {} };
  const bridge = new AppBridge(null, { name: "host", version: "1.0.0" }, capabilities, {
    hostContext: { theme: "light", displayMode: "inline" },
  });
  bridge.oncalltool = (params) => window.hostRequest("tools/call", params);
  bridge.onreadresource = (params) => window.hostRequest("resources/read", params);
  const initialized = new Promise((resolve) => (bridge.oninitialized = resolve));
  await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
  frame.src = src;
  await initialized;
  await bridge.sendToolInput({ arguments: args });
  await bridge.sendToolResult(result);
};
