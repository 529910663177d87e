import { setTimeout as pause } from "node:timers/promises";
import { expect } from "vitest";
import { deployClient } from "./deploy-client.fixture.ts";
import type { Packer } from "./pack-workflow.fixture.ts";

/** What a call answers: the code's number, those of its configuration, and the secret that its process has. */
export interface Answered {
  readonly build: number;
  readonly own: number;
  readonly mark: number;
  readonly secret: string;
}

/**
 * A workflow that takes no configuration but its own: a revision of another build is refused by its schema,
 * and fails the call if it reaches the function nevertheless.
 */
function numbered(build: number): string {
  return `import * as ag from "@agate/sdk";

class PairConfig extends ag.BaseModel {
  own = ag.Field(ag.int, { default: ${build}, ge: ${build}, le: ${build} });
  mark = ag.Field(ag.int, { default: 0 });
}

const step = ag.instrument({ name: "step" })(async (text: string) => text);

export const pair = ag.route("/pair", PairConfig)(async ({ text }: { text: string }, { config }) => {
  if (config.own !== ${build}) throw new Error("build ${build} has the configuration of " + config.own);
  await step(text);
  return { build: ${build}, own: config.own, mark: config.mark, secret: process.env.ROTATED ?? "" };
});
`;
}

export const PAIR_CALL = { path: "/services/support/run/pair", body: { inputs: { text: "x" } } };

/** What answers were, and what is wrong with one that no pair can give. */
export class SeenPairs {
  /** `build mark` of every answer. */
  readonly pairs = new Set<string>();
  readonly secrets = new Set<string>();
  /** The build that each trace is of. */
  readonly traces = new Map<string, number>();

  faultOf(status: number, body: string): string | undefined {
    if (status !== 200) return `${status} ${body}`;
    const { data, trace_id } = JSON.parse(body) as { data: Answered; trace_id: string };
    this.pairs.add(`${data.build} ${data.mark}`);
    this.secrets.add(data.secret);
    this.traces.set(trace_id, data.build);
    return data.build === data.own ? undefined : `a mixed pair: ${body}`;
  }
}

/** Build 1 in production, build 2 in staging, each with a configuration that the other refuses. */
export async function deployPairs(url: string, packer: Packer): Promise<void> {
  const client = deployClient(url);
  await client.mustDeploy(await packer.pack(numbered(1)), "?environment=production&variant=one");
  await client.mustDeploy(await packer.pack(numbered(2)), "?environment=staging&variant=two");
  const refused = await client.send("POST", "/environments/production/deployments", {
    variant: "two",
  });
  expect(refused.status, await refused.text()).toBe(409);
}

/** Gives staging a configuration that it has not had before. */
export async function markStaging(url: string, mark: number): Promise<void> {
  const client = deployClient(url);
  const commit = { params: { "/pair": { own: 2, mark } }, base_revision: mark };
  const committed = { ...commit, environment: "staging" };
  await change(() => client.send("POST", "/variants/two/revisions", committed));
  await change(() => client.send("POST", "/environments/staging/deployments", { variant: "two" }));
}

/** How often a busy machine may put a change off: nothing was changed then. */
const MOST_TRIES = 20;

/** Makes a change, again where the server has no time for it (503). Calls have no such second try. */
export async function change(send: () => Promise<Response>): Promise<void> {
  for (let tries = 1; ; tries++) {
    const response = await send();
    if (response.status !== 503 || tries === MOST_TRIES) return must(Promise.resolve(response));
    await response.body?.cancel();
    await pause(Number(response.headers.get("retry-after") ?? 1) * 1000);
  }
}

export async function must(sent: Promise<Response>): Promise<void> {
  const response = await sent;
  const body = await response.text();
  if (!response.ok) throw new Error(`${response.status} ${body}`);
}

interface Deployed {
  readonly build: { readonly number: number };
  readonly variant: { readonly slug: string; readonly revision: number };
}

/** `build mark` of everything that production has had, the last first: revision n of `two` has the mark n - 1. */
export async function pairsInHistory(url: string): Promise<Set<string>> {
  const pairs = new Set<string>();
  const client = deployClient(url);
  for (let cursor: string | null = ""; cursor !== null; ) {
    const query: string = cursor === "" ? "" : `&cursor=${cursor}`;
    const path = `/environments/production/deployments?limit=100${query}`;
    const page = (await (await client.send("GET", path)).json()) as {
      readonly items: readonly Deployed[];
      readonly next_cursor: string | null;
    };
    for (const { build, variant } of page.items) {
      pairs.add(`${build.number} ${variant.revision - 1}`);
    }
    cursor = page.next_cursor;
  }
  return pairs;
}
