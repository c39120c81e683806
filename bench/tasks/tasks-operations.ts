/** Tasks with clusters, error reports, maps and charts. */
import { json, rows, text, type Task } from "./task.ts";

const pod = (index: number) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    name: `checkout-${index}`,
    namespace: "shop",
    labels: { app: "checkout", "pod-template-hash": "7c9f" },
    creationTimestamp: "2026-10-01T08:00:00Z",
    uid: `uid-${index}`,
  },
  spec: {
    nodeName: `node-${index % 4}`,
    containers: [{ name: "app", image: "registry.example/checkout:4.2" }],
  },
  status: {
    phase: "Running",
    podIP: `10.1.0.${index}`,
    containerStatuses: [
      { name: "app", ready: index % 8 !== 3, restartCount: index % 8 === 3 ? 14 : index % 2, started: true },
    ],
  },
});
const PODS = rows(24, pod);
const CRASHING = PODS.filter(({ status }) => status.containerStatuses[0]!.restartCount > 5);

const logOf = (name: string): string =>
  [
    ...rows(
      50,
      (line) =>
        `2026-10-02T09:${String(line).padStart(2, "0")}:00Z info ${name} request ${line} answered in ${20 + line} ms`,
    ),
    `2026-10-02T09:51:00Z fatal ${name} out of memory in the price cache`,
  ].join("\n");

const place = (index: number) => `Depot ${index}, Berlin`;
const DISTANCES = {
  origin_addresses: ["Alexanderplatz, 10178 Berlin, Germany"],
  destination_addresses: rows(25, (index) => `Depotstraße ${index}, Berlin, Germany`),
  results: [
    {
      elements: rows(25, (index) => ({
        status: "OK",
        duration: { text: `${10 + ((index * 7) % 31)} mins`, value: 60 * (10 + ((index * 7) % 31)) },
        distance: { text: `${4 + ((index * 7) % 31)} km`, value: 1_000 * (4 + ((index * 7) % 31)) },
      })),
    },
  ],
};

const PROJECTS = ["shop", "mail", "site", "jobs", "docs", "app"];
const sentryIssues = (project: string, count: number): string =>
  [
    `# Issues in **acme/${project}**`,
    "",
    ...rows(
      count,
      (index) =>
        `## ${index + 1}. [${project.toUpperCase()}-${10 + index}](https://acme.sentry.example/issues/${project}-${10 + index})\n\n**TypeError: cannot read total of undefined in part ${index}**\n\n- **Status**: unresolved\n- **Users**: ${3 + index * 7}\n- **Events**: ${40 + index * 11}\n- **First seen**: 3 days ago\n- **Last seen**: 2 hours ago\n- **Culprit**: src/part-${index}.ts in total\n`,
    ),
    "## Next Steps",
    "",
    "- Get more details about an issue with its id.",
  ].join("\n");

export const OPERATION_TASKS: readonly Task[] = [
  {
    id: "scale-up",
    kind: "one",
    intent: "Scale the checkout deployment in the shop namespace to 6.",
    queries: ["scale a Kubernetes deployment"],
    calls: [
      {
        server: "kubernetes",
        tool: "kubectl_scale",
        args: { name: "checkout", namespace: "shop", replicas: 6 },
        answer: json({ success: true, message: "Scaled deployment checkout to 6 replicas" }),
      },
    ],
    code: `const scaled = await mcp.kubernetes.kubectl_scale({ name: "checkout", namespace: "shop", replicas: 6 }) as any;
return scaled.message;`,
    result: "Scaled deployment checkout to 6 replicas",
  },
  {
    id: "pie-chart",
    kind: "one",
    intent: "Draw a pie chart of our orders: Germany 55, France 25, Poland 20.",
    queries: ["draw a pie chart"],
    calls: [
      {
        server: "charts",
        tool: "generate_pie_chart",
        args: {
          title: "Orders",
          data: [
            { category: "Germany", value: 55 },
            { category: "France", value: 25 },
            { category: "Poland", value: 20 },
          ],
        },
        answer: text("https://charts.example/original/7Qk2A.png"),
      },
    ],
    code: `return await mcp.charts.generate_pie_chart({ title: "Orders", data: [{ category: "Germany", value: 55 }, { category: "France", value: 25 }, { category: "Poland", value: 20 }] });`,
    result: "https://charts.example/original/7Qk2A.png",
  },
  {
    id: "where-is",
    kind: "one",
    intent: "What are the coordinates of the Fernsehturm in Berlin?",
    queries: ["coordinates of an address"],
    calls: [
      {
        server: "maps",
        tool: "maps_geocode",
        args: { address: "Fernsehturm Berlin" },
        answer: json({
          location: { lat: 52.520_8, lng: 13.409_4 },
          formatted_address: "Panoramastraße 1A, 10178 Berlin, Germany",
          place_id: "ChIJ1",
        }),
      },
    ],
    code: `const { location } = await mcp.maps.maps_geocode({ address: "Fernsehturm Berlin" }) as any;
return location;`,
    result: { lat: 52.520_8, lng: 13.409_4 },
  },
  {
    id: "error-by-browser",
    kind: "sequence",
    intent:
      "Take the error of acme's shop with most users in Sentry and say in which browser it happens most.",
    queries: ["search Sentry issues and get the values of a tag", "distribution of tag values of an issue"],
    inputs: { organizationSlug: "acme", projectSlugOrId: "shop" },
    calls: [
      {
        server: "sentry",
        tool: "search_issues",
        args: {
          organizationSlug: "acme",
          projectSlugOrId: "shop",
          query: "is:unresolved",
          sort: "user",
          limit: 3,
        },
        answer: text(sentryIssues("shop", 3)),
      },
      {
        server: "sentry",
        tool: "get_issue_tag_values",
        args: { organizationSlug: "acme", issueId: "SHOP-10", tagKey: "browser" },
        answer: text(
          "# Tag Distribution: Browser\n\n**Issue**: SHOP-10\n**Unique Values**: 3\n\n## Top Values\n\n| Value | Count | Percentage |\n|---|---|---|\n| Safari 19 | 61 | 58% |\n| Chrome 153 | 30 | 29% |\n| Firefox 160 | 14 | 13% |",
        ),
      },
    ],
    code: `const list = String(await mcp.sentry.search_issues({ ...args, query: "is:unresolved", sort: "user", limit: 3 }));
const issueId = /## 1\\. \\[(\\S+)\\]/.exec(list)![1];
const tags = String(await mcp.sentry.get_issue_tag_values({ organizationSlug: args.organizationSlug, issueId, tagKey: "browser" }));
return { issueId, browser: tags.split("\\n").find((line) => /\\d%/.test(line))!.split("|")[1].trim() };`,
    result: { issueId: "SHOP-10", browser: "Safari 19" },
  },
  {
    id: "crashing-pods",
    kind: "loop",
    intent: "Which pods of the shop restart again and again, and what is their last fatal line?",
    queries: ["list Kubernetes pods and read their logs"],
    inputs: { namespace: "shop" },
    calls: [
      {
        server: "kubernetes",
        tool: "kubectl_get",
        args: { resourceType: "pods", namespace: "shop", output: "json" },
        answer: json({ items: PODS }),
      },
      ...CRASHING.map(({ metadata: { name } }) => ({
        server: "kubernetes",
        tool: "kubectl_logs",
        args: { resourceType: "pod", name, namespace: "shop", tail: 51 },
        answer: json({ name, namespace: "shop", logs: logOf(name) }),
      })),
    ],
    code: `const { namespace } = args;
const { items } = await mcp.kubernetes.kubectl_get({ resourceType: "pods", namespace, output: "json" }) as any;
const crashing = items.filter((pod: any) => pod.status.containerStatuses[0].restartCount > 5);
return Promise.all(crashing.map(async ({ metadata: { name } }: any) => {
  const { logs } = await mcp.kubernetes.kubectl_logs({ resourceType: "pod", name, namespace, tail: 51 }) as any;
  return { name, fatal: logs.split("\\n").findLast((line: string) => line.includes("fatal")) };
}));`,
    result: CRASHING.map(({ metadata: { name } }) => ({ name, fatal: logOf(name).split("\n").at(-1)! })),
  },
  {
    id: "nearest-depot",
    kind: "loop",
    intent: "Which of our 25 depots is nearest to the Alexanderplatz by car?",
    queries: ["travel distance between many places"],
    calls: [
      {
        server: "maps",
        tool: "maps_distance_matrix",
        args: { origins: ["Alexanderplatz, Berlin"], destinations: rows(25, place), mode: "driving" },
        answer: json(DISTANCES),
      },
    ],
    code: `const destinations = Array.from({ length: 25 }, (_, index) => \`Depot \${index}, Berlin\`);
const { results } = await mcp.maps.maps_distance_matrix({ origins: ["Alexanderplatz, Berlin"], destinations, mode: "driving" }) as any;
const minutes = results[0].elements.map((element: any) => element.duration.value / 60);
const least = Math.min(...minutes);
return { depot: destinations[minutes.indexOf(least)], minutes: least };`,
    result: { depot: "Depot 0, Berlin", minutes: 10 },
  },
  {
    id: "errors-chart",
    kind: "loop",
    intent: "Draw a column chart of how many users the worst error of each of our six Sentry projects has.",
    queries: ["search issues in Sentry projects and draw a column chart", "generate a column chart"],
    inputs: { organizationSlug: "acme", projects: PROJECTS },
    calls: [
      ...PROJECTS.map((project, index) => ({
        server: "sentry",
        tool: "search_issues",
        args: { organizationSlug: "acme", projectSlugOrId: project, query: "is:unresolved", limit: 10 },
        answer: text(sentryIssues(project, 3 + index)),
      })),
      {
        server: "charts",
        tool: "generate_column_chart",
        args: {
          title: "Users with the worst error",
          data: PROJECTS.map((category, index) => ({ category, value: 3 + (2 + index) * 7 })),
        },
        answer: text("https://charts.example/original/9Zt1B.png"),
      },
    ],
    code: `const { organizationSlug, projects } = args;
const data = await Promise.all(projects.map(async (project: string) => {
  const list = String(await mcp.sentry.search_issues({ organizationSlug, projectSlugOrId: project, query: "is:unresolved", limit: 10 }));
  return { category: project, value: Math.max(...[...list.matchAll(/Users\\*\\*: (\\d+)/g)].map((match) => Number(match[1]))) };
}));
return await mcp.charts.generate_column_chart({ title: "Users with the worst error", data });`,
    result: "https://charts.example/original/9Zt1B.png",
  },
];
