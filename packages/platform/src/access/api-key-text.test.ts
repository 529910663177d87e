import { expect, it } from "vitest";
import { isApiKeyName } from "./api-key-text.ts";

it.each(["ci", "Grace Hopper", "デプロイ", "a".repeat(64), "🚀".repeat(64), "build@host:3"])(
  "%s is a name",
  (name) => expect(isApiKeyName(name)).toBe(true),
);

it.each([
  "",
  " ",
  " ci",
  "ci ",
  "a\nb",
  "a\u0000b",
  "\u202Eevil",
  "a\u2028b",
  "a".repeat(65),
  "local",
])("%j is none", (name) => expect(isApiKeyName(name)).toBe(false));
