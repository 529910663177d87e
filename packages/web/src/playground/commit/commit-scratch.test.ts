import { expect, test } from "vitest";
import { ApiError } from "../../api/api-error.ts";
import type { PlatformClient } from "../../api/platform-client.ts";
import { commitScratch } from "./commit-scratch.ts";

/** A registry with the variant `scratch`, to which others commit before this client can. */
class BusyRegistry {
  #latest: number | null;
  #others: number;
  commits = 0;

  constructor(latest: number | null, others: number) {
    this.#latest = latest;
    this.#others = others;
  }

  async get() {
    const slug = "scratch";
    const items = this.#latest === null ? [] : [{ slug, latest_revision: this.#latest }];
    // Another user commits, or creates the variant, right after this was read.
    if (this.#others > 0) {
      this.#others -= 1;
      this.#latest = this.#latest === null ? 0 : this.#latest + 1;
    }
    return { items };
  }

  async send(_: string, path: string, body: { readonly base_revision?: number }) {
    if (path.endsWith("/variants")) {
      if (this.#latest !== null) throw conflict("slug_taken");
      this.#latest = 0;
      return {};
    }
    this.commits += 1;
    if (body.base_revision !== this.#latest) throw conflict("revision_stale");
    this.#latest += 1;
    return { variant: { slug: "scratch", revision: this.#latest } };
  }
}

function conflict(type: string): ApiError {
  return new ApiError(409, { detail: [{ loc: ["body"], msg: "Another came first.", type }] });
}

function commit(registry: BusyRegistry) {
  const draft = { app: "tickets", environment: null, params: {}, message: "" };
  return commitScratch(registry as unknown as PlatformClient, draft);
}

test.each([
  ["is created", null, 0, 1],
  ["has revisions", 3, 0, 4],
  ["was created by another at the same time", null, 1, 1],
  ["gets four other commits at the same time", 0, 4, 5],
])("A draft is committed where scratch %s", async (_, latest, others, revision) => {
  expect((await commit(new BusyRegistry(latest, others))).variant.revision).toBe(revision);
});

test("After five conflicts the commit fails", async () => {
  const registry = new BusyRegistry(0, 5);
  await expect(commit(registry)).rejects.toThrow("Another came first.");
  expect(registry.commits).toBe(5);
});
