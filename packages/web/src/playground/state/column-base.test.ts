import type { Environment, RegistryVariant } from "@agate/protocol";
import { expect, test } from "vitest";
import { baseOf, firstSource, pinned } from "./column-base.ts";
import { columnOf } from "./workspace.ts";

function variant(slug: string, latest_revision: number): RegistryVariant {
  return { id: `var_${slug}`, slug, created_at: "", forked_from: null, latest_revision };
}

function environment(slug: string, live: [string, number] | null): Environment {
  const deployment = live && {
    id: "",
    environment: slug,
    build: null,
    variant: { id: "", slug: live[0], revision: live[1] },
    kind: "deploy" as const,
    promoted_from: null,
    rolled_back_to: null,
    message: "",
    deployed_by: "local",
    deployed_at: "",
    ended_at: null,
  };
  const settings = { is_default: slug === "production", playground: true };
  return { id: "", slug, created_at: "", ...settings, deployment };
}

test("One begins with the schema's defaults where nothing is committed", () => {
  const known = { variants: [variant("default", 0)], environments: [] };
  expect(firstSource(known)).toEqual({ kind: "defaults" });
});

test("One begins with the latest of the variant default", () => {
  const variants = [variant("a", 5), variant("default", 3)];
  const environments = [environment("production", ["a", 5])];
  expect(firstSource({ variants, environments })).toEqual({
    kind: "revision",
    variant: "default",
    revision: 3,
  });
});

test("One begins with what is live in production where there is no such variant", () => {
  const variants = [variant("a", 5), variant("b", 2)];
  const environments = [environment("development", ["a", 4]), environment("production", ["b", 1])];
  expect(firstSource({ variants, environments })).toEqual({
    kind: "revision",
    variant: "b",
    revision: 1,
  });
});

test("The latest revision is pinned when it is opened", () => {
  const variants = [variant("default", 3)];
  expect(pinned({ kind: "variant", variant: "default" }, { variants })).toEqual({
    kind: "revision",
    variant: "default",
    revision: 3,
  });
});

test("A draft stays with its revision when another is deployed", () => {
  const known = { variants: [], environments: [environment("production", ["default", 9])] };
  const column = columnOf(1, { kind: "environment", environment: "production" });
  const base = { variant: "default", revision: 2 };
  expect(baseOf(column, known)).toEqual({
    kind: "known",
    base: { variant: "default", revision: 9 },
  });
  expect(baseOf({ ...column, draft: { base, changes: { a: 1 } } }, known)).toEqual({
    kind: "known",
    base,
  });
});

test("An environment with nothing live is reported as missing", () => {
  const known = { variants: [], environments: [environment("staging", null)] };
  expect(baseOf(columnOf(1, { kind: "environment", environment: "staging" }), known)).toEqual({
    kind: "missing",
    reason: "Nothing is live in staging.",
  });
});
