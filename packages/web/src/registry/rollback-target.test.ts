import type { Deployment } from "@agate/protocol";
import { describe, expect, it } from "vitest";
import { rollbackTarget } from "./rollback-target.ts";

const variants = ["var_1", "var_2"].map((id) => ({
  id,
  slug: "default",
  created_at: "2026-11-15T09:00:00Z",
  forked_from: null,
  latest_revision: 2,
}));

function deployment(
  id: string,
  revision: number,
  isLive = false,
  build: number | null = 1,
): Deployment {
  return {
    id,
    environment: "production",
    build: build === null ? null : { id: `bld_${build}`, number: build, kind: "hosted" },
    variant: { id: "var_1", slug: "default", revision },
    kind: "deploy",
    promoted_from: null,
    rolled_back_to: null,
    message: "",
    deployed_by: "local",
    deployed_at: "2026-11-15T10:00:00Z",
    ended_at: isLive ? null : "2026-11-15T11:00:00Z",
  };
}

describe("rollbackTarget", () => {
  it("is the last deployment that had another revision", () => {
    const history = [deployment("c", 2, true), deployment("b", 2), deployment("a", 1)];
    expect(rollbackTarget(history, variants)?.id).toBe("a");
  });

  it("is the last deployment that had another build", () => {
    const history = [deployment("c", 2, true, 3), deployment("b", 2, false, 2), deployment("a", 1)];
    expect(rollbackTarget(history, variants)?.id).toBe("b");
  });

  it("passes over what differs only in having no build: that cannot come back", () => {
    const history = [deployment("b", 2, true), deployment("a", 2, false, null)];
    expect(rollbackTarget(history, variants)).toBeUndefined();
  });

  it("is the last one where nothing is live", () => {
    expect(rollbackTarget([deployment("b", 2), deployment("a", 1)], variants)?.id).toBe("b");
  });

  it("is none where nothing else was ever live", () => {
    expect(
      rollbackTarget([deployment("b", 2, true), deployment("a", 2)], variants),
    ).toBeUndefined();
    expect(rollbackTarget([], variants)).toBeUndefined();
  });

  it("passes over what ran a variant that is deleted", () => {
    const gone = { ...deployment("b", 1), variant: { id: "var_9", slug: "gone", revision: 1 } };
    const history = [deployment("c", 2, true), gone, deployment("a", 1)];
    expect(rollbackTarget(history, variants)?.id).toBe("a");
  });
});
