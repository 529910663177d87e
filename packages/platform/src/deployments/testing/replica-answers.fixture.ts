import { expect } from "vitest";
import {
  buildsOf,
  callService,
} from "../../server/routes/deployments/testing/deploying.fixture.ts";
import type { TestPlatform } from "../../server/testing/test-platform.fixture.ts";

/** Builds that another replica has left unfinished are looked for by the tests themselves. */
export const UNWATCHFUL = { watchMs: 3_600_000 };

/** What the application answers, soon. */
export function expectAnswer(platform: TestPlatform, application: string) {
  return expect.poll(() => callService(platform, application));
}

/** The numbers and statuses of an application's builds, newest first. */
export async function statusesOf(
  platform: TestPlatform,
  application: string,
): Promise<[number: number, status: string][]> {
  const builds = await buildsOf(platform, application);
  return builds.map(({ number, status }: { number: number; status: string }) => [number, status]);
}
