import { expect, it } from "vitest";
import { SecretsInUse } from "./secrets-in-use.ts";

function values(version: number, ...secrets: readonly string[]) {
  return {
    version,
    values: [
      ...secrets.map((value, n) => ({ name: `S${n}`, value, isSecret: true })),
      { name: "REGION", value: "a-plain-value", isSecret: false },
    ],
  };
}

function valuesIn(json: string | null): string[] {
  return (JSON.parse(json ?? "[]") as { value: string }[]).map(({ value }) => value).sort();
}

it("has the secrets of all environments of a project, and nothing where there are none", () => {
  const secrets = new SecretsInUse();
  secrets.learn("a", "env_1", values(1));
  expect(secrets.of("a")).toBeNull();
  secrets.learn("a", "env_1", values(2, "one", "two"));
  secrets.learn("a", "env_2", values(1, "two", "three"));
  secrets.learn("b", "env_3", values(1, "other"));
  expect(valuesIn(secrets.of("a"))).toEqual(["one", "three", "two"]);
  expect(valuesIn(secrets.of("b"))).toEqual(["other"]);
  expect(secrets.of("c")).toBeNull();
});

it("keeps those of two earlier changes, whose processes may still send spans", () => {
  const secrets = new SecretsInUse();
  for (const version of [1, 2, 3]) secrets.learn("a", "env_1", values(version, `v${version}`));
  expect(valuesIn(secrets.of("a"))).toEqual(["v1", "v2", "v3"]);
  secrets.learn("a", "env_1", values(4, "v4"));
  secrets.learn("a", "env_1", values(4, "v4"));
  expect(valuesIn(secrets.of("a"))).toEqual(["v2", "v3", "v4"]);
  // A change that did not come about, and another in its place.
  secrets.learn("a", "env_1", values(5, "tried"));
  secrets.learn("a", "env_1", values(5, "v5"));
  expect(valuesIn(secrets.of("a"))).toEqual(["v3", "v4", "v5"]);
});
