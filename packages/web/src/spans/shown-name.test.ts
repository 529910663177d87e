import { expect, it } from "vitest";
import { shownName } from "./shown-name.ts";

it.each([
  ["chat gpt-5-mini", "chat gpt-5-mini"],
  ["a\u202Eb", "a⟨202E⟩b"],
  ["a\u0000\tb", "a⟨0000⟩⟨0009⟩b"],
  ["", "(no name)"],
  ["  \n ", "(blank name)"],
  ["x".repeat(1_000_000), `${"x".repeat(500)}…`],
  ["👩‍🔬 שלום", "👩‍🔬 שלום"],
])("%# is shown on one line, with its invisible characters", (name, shown) => {
  expect(shownName(name)).toBe(shown);
});
