import * as z from "zod";
import { expect, it } from "vitest";
import { sum } from "../gateway/gateway.testkit.ts";
import { connectClient, openEndpoint, VERSIONS } from "./http/http.testkit.ts";

const any = z.looseObject({});

it.each(VERSIONS)("clients of %s are told of skills, and list, get and read them", async (version) => {
  const { url, store } = await openEndpoint();
  await store.capabilities.save(sum);
  const { client } = await connectClient(url, version);
  expect(client.getServerCapabilities()?.["extensions"]).toMatchObject({
    "io.modelcontextprotocol/skills": { directoryRead: true },
  });
  const uri = "skill://math/math-sum/SKILL.md";
  const listed = await client.request({ method: "skills/list" }, any);
  expect(listed).toMatchObject({ skills: [{ uri }], ttlMs: 0, cacheScope: "private" });
  expect(await client.request({ method: "skills/get", params: { uri } }, any)).toMatchObject({
    skill: { uri },
  });
  expect((await client.readResource({ uri })).contents).toMatchObject([{ uri, mimeType: "text/markdown" }]);
  const folder = { method: "resources/directory/read", params: { uri: "skill://math" } };
  expect(await client.request(folder, any)).toMatchObject({ resources: [{ name: "math-sum" }] });
  for (const params of [{ uri: "skill://x/y/SKILL.md" }, {}, { uri: 5 }])
    await expect(client.request({ method: "skills/get", params }, any)).rejects.toMatchObject({
      code: -32_602,
    });
  const cursor = { method: "skills/list", params: { cursor: "made up" } };
  await expect(client.request(cursor, any)).rejects.toMatchObject({ code: -32_602 });
});
