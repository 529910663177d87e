import { expect } from "vitest";
import type { NewPlatformRun, Run } from "../../packages/protocol/src/evaluations/run.ts";
import { deployClient } from "../deployments/deploy-client.fixture.ts";

export interface Listed<Value> {
  readonly items: readonly Value[];
}

export async function readJson<Value>(url: string): Promise<Value> {
  const response = await fetch(url);
  expect([url, response.status]).toEqual([url, 200]);
  return (await response.json()) as Value;
}

/** The run, when it is no longer running. */
export async function endOf(platform: string, id: string): Promise<Run> {
  const now = () => readJson<Run>(`${platform}/registry/runs/${id}`);
  await expect.poll(async () => (await now()).status, { timeout: 60_000 }).not.toBe("running");
  return now();
}

/** Starts a run on the platform and waits for its end. */
export async function runToEnd(
  platform: string,
  evaluation: string,
  asked: NewPlatformRun,
): Promise<Run> {
  const client = deployClient(platform);
  const response = await client.send("POST", `/evaluations/${evaluation}/runs`, asked);
  const { id, ...created } = (await response.json()) as Run;
  expect(response.status, JSON.stringify(created)).toBe(201);
  return endOf(platform, id);
}
