import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { DeclaredEvaluation } from "@agate/protocol/evaluator";
import { expect, it } from "vitest";
import { createApiClient } from "../api-client/api-client.ts";
import { loadCases, type PinnedTestset } from "./load-cases.ts";

/** A platform whose test sets have 2 revisions, with the revision as the input of their one case. */
async function startPlatform() {
  const server = createServer((request, response) => {
    const [, name, asked, exported] =
      /^\/registry\/testsets\/([^/]+)\/revisions\/([^/]+)(\/export)?$/.exec(request.url ?? "") ??
      [];
    const revision = asked === "latest" ? 2 : Number(asked);
    if (exported === undefined) {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ test_set: { id: "ts_1", slug: name, revision } }));
      return;
    }
    const purged = JSON.stringify({ id: "gone", purged: true });
    response.end(`${JSON.stringify({ id: "one", inputs: { revision } })}\n${purged}\n`);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    api: createApiClient({ url, apiKey: undefined, project: undefined }),
    [Symbol.dispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function evaluationOf(testset: string): DeclaredEvaluation {
  const sizes = { trials: 1, concurrency: 1, gate: null, scorers: [] };
  return { name: "quality", application: "app", route: "/", testset, ...sizes };
}

const FIRST: PinnedTestset = { kind: "testset", name: "golden", revision: 1 };

it.each([
  ["golden", null, 2],
  ["golden@1", null, 1],
  ["golden", FIRST, 1],
  ["golden@2", FIRST, 2],
  ["other", FIRST, 2],
])(
  "takes %s of a platform, in a run that is pinned to %j, at revision %i",
  async (testset, pinned, revision) => {
    using platform = await startPlatform();
    const place = { folder: ".", api: platform.api, pinned };
    expect(await loadCases(evaluationOf(testset), place)).toMatchObject({
      kind: "cases",
      source: `${testset.replace(/@.*/, "")}@${revision}`,
      testset: { kind: "testset", revision },
      cases: [{ id: "one", inputs: { revision } }],
    });
  },
);

it.each(["golden@", "golden@0", "golden@latest", "@3", "a@1@2"])(
  "says what to write instead of %s",
  async (testset) => {
    using platform = await startPlatform();
    const place = { folder: ".", api: platform.api, pinned: null };
    const refusal = await loadCases(evaluationOf(testset), place);
    expect(refusal).toMatchObject({ kind: "refused" });
    expect(JSON.stringify(refusal)).toContain("golden@3");
  },
);
