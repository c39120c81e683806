/** Answers to what commands ask about servers, tools and workflows. */
import { CAPABILITIES_ID } from "../core/names.ts";
import { succeed } from "../core/result.ts";
import { drawText } from "../workflows/drawing/text-drawing.ts";
import { createKnownSearch } from "../gateway/known-tools.ts";
import { everyTool } from "../registry/catalogue.ts";
import { declareCatalogue } from "./code-directory.ts";
import { usableServers } from "./config-view.ts";
import type { Inquiries } from "./contract.ts";
import { createCallExplanation } from "./trust/explain-call.ts";
import { ownContext, type Foundation } from "./foundation.ts";
import { readInbox } from "./inbox.ts";
import { readLive } from "./live.ts";
import type { PinReview } from "./trust/pin-review.ts";
import type { RunsHalf } from "./runs-half.ts";
import { viewServer, withGateways, withLatency, type ServerView } from "./server-view.ts";
import { VIEW_WAIT_MS, type ToolsHalf } from "./tools-half.ts";

/** A server that is up answers sooner; one that does not is shown without a time. */
const PING_WAIT_MS = 5_000;

/** What a person reads of a server that runs; its process keeps more bytes than these lines have. */
const STDERR_LINES = 200;

export function createInquiries(
  { config, home, redactors }: Foundation,
  { registry, guarding, servers, usable, experience }: ToolsHalf,
  { runs, freshenLibrary }: RunsHalf,
  pinReview: PinReview,
): Inquiries {
  const nodeTypes = () => runs.nodeTypes.map(({ name }) => name);
  const explainKnown = createCallExplanation({ registry, guarding, nodeTypes });
  const ping = (view: ServerView): Promise<ServerView> => {
    const context = { ...ownContext(), signal: AbortSignal.timeout(PING_WAIT_MS) };
    return withLatency(view, (method) => registry.request(view.id, method, {}, context));
  };

  const inquiries: Inquiries = {
    inbox: () =>
      readInbox({
        runs,
        redactors,
        viewServers: () => inquiries.viewServers(false),
        listHeld: async () => (await pinReview.list()).filter(({ status }) => status === "held"),
      }),
    async viewServers(start, only, asked) {
      const chosen = config.current().servers.filter(({ id }) => only?.includes(id) ?? true);
      const ids = chosen.map(({ id }) => id);
      const ask = async (some: readonly string[]): Promise<void> => {
        await registry.discover({ waitMs: VIEW_WAIT_MS, force: true, servers: some }, ownContext());
        for (const id of some) asked?.(id);
      };
      if (start) await (asked === undefined ? ask(ids) : Promise.all(ids.map((id) => ask([id]))));
      const catalogue = registry.catalogue();
      const redactor = redactors.current();
      const views = chosen.map((server) =>
        viewServer(server, servers.status(server.id), catalogue, (text) => redactor.text(text)),
      );
      return start ? Promise.all(views.map(ping)) : withGateways(views, readLive(home));
    },
    usableServers: () => usableServers(config.current()),
    async lookUpTool(name) {
      const found = await registry.find(name, ownContext());
      return found.success ? succeed(found.data.definition) : found;
    },
    async findTools({ servers: chosen = usable(), waitMs, onProgress }) {
      await freshenLibrary();
      const wanted = [...chosen, CAPABILITIES_ID];
      const catalogue = await registry.discover({ waitMs, servers: wanted }, { ...ownContext(), onProgress });
      return {
        tools: everyTool(catalogue).filter(({ source }) => wanted.includes(source)),
        pending: catalogue.pending.filter((source) => wanted.includes(source)),
        failed: catalogue.failed.filter(({ source }) => wanted.includes(source)),
      };
    },
    async knownTools() {
      await freshenLibrary();
      const { pending, failed } = registry.catalogue();
      return { tools: everyTool(registry.tools()), pending, failed };
    },
    async declareTools(chosen) {
      await freshenLibrary();
      const wanted = chosen.length === 0 ? usable() : chosen;
      const catalogue = await registry.discover({ waitMs: VIEW_WAIT_MS, servers: wanted }, ownContext());
      return declareCatalogue(catalogue, wanted, usable());
    },
    async declareKnown(view) {
      await freshenLibrary();
      const { components: all, failed, pending } = registry.catalogue();
      const shown = usable().filter((id) => view?.allowsServer(id) !== false);
      const components = all.filter(({ name }) => view?.allows(name) !== false);
      return declareCatalogue({ components, failed, pending }, shown, shown);
    },
    searchKnown: createKnownSearch({
      registry,
      freshenLibrary,
      freshenSearch: () => experience.freshen(),
    }),
    effectOf: (call) => guarding.effects.explain({ ...call, args: {} }).effect,
    serverHealth(id) {
      const status = servers.status(id);
      if (status === undefined) return undefined;
      const { retryInMs } = status;
      return { ...(retryInMs !== undefined && { retryInMs }), stderr: servers.stderrTail(id, STDERR_LINES) };
    },
    async explainCall(question) {
      await freshenLibrary();
      return explainKnown(question);
    },
    async checkWorkflow(text) {
      const prepared = await runs.prepareWorkflow(text, undefined, ownContext());
      if (!prepared.success) return prepared;
      const { workflow, plan, inputSchema, outputSchema, warnings } = prepared.data;
      return succeed({
        warnings,
        inputSchema,
        outputSchema,
        nodeCount: workflow.nodes.length,
        levels: plan.levels,
        drawText: () => drawText(workflow, plan),
        async drawSvg() {
          const { drawSvg } = await import("../workflows/drawing/svg.ts");
          return drawSvg(workflow, plan);
        },
      });
    },
  };
  return inquiries;
}
