import { describe, expect, it } from "vitest";
import type { Subject } from "./subject.fixture.ts";
import { done, problem, problems } from "./subject.fixture.ts";

export function describeRedaction(subject: Subject): void {
  describe("redaction rules", () => {
    const RULES = {
      keys: ["password", "user.email"],
      patterns: ["card", "email"],
      custom: [{ name: "staff", regex: "EMP-\\d{6}" }],
    };

    it("has none at first, replaces all of them, and keeps those of projects apart", async () => {
      const { redaction, projects } = subject.registry;
      await subject.freshProject();
      const first = subject.project;
      await subject.freshProject();
      expect(done(await redaction.get(first))).toEqual({
        ...{ keys: [], patterns: [], custom: [], updated_at: null, updated_by: null },
      });
      const set = done(await redaction.set(first, RULES, "ci"));
      expect(set).toEqual({
        ...{ ...RULES, patterns: ["email", "card"] },
        ...{ updated_at: expect.stringMatching(/^2026-/), updated_by: "ci" },
      });
      expect(done(await redaction.get(first))).toEqual(set);
      expect(done(await redaction.get(subject.project)).keys).toEqual([]);

      const other = done(await redaction.set(first, { patterns: ["iban"] }, "joe"));
      expect(other).toMatchObject({ keys: [], patterns: ["iban"], custom: [], updated_by: "joe" });
      expect(done(await redaction.get(first))).toEqual(other);

      done(await projects.delete(first));
      expect(problem(await redaction.get(first)).type).toBe("project_not_found");
      expect(problem(await redaction.set(first, RULES, "ci")).type).toBe("project_not_found");
    });

    it("names everything that is wrong, and changes nothing then", async () => {
      const { redaction } = subject.registry;
      await subject.freshProject();
      const before = done(await redaction.set(subject.project, RULES, "ci"));
      const wrong = {
        keys: ["ok", "", "a..b", "*", 'x"', 7, "k".repeat(201)],
        patterns: ["cards"],
        custom: [
          { name: "Bad Name", regex: "a" },
          { name: "card", regex: "a" },
          { name: "slow", regex: "(a+)+" },
          "a",
        ],
        more: 1,
      };
      const found = problems(await redaction.set(subject.project, wrong, "ci"));
      expect(found.map(({ type, loc }) => `${type} ${loc.join(".")}`)).toEqual([
        "redaction_invalid body.more",
        ...[1, 2, 3, 4, 5, 6].map((index) => `redaction_invalid body.keys.${index}`),
        "redaction_invalid body.patterns.0",
        "redaction_invalid body.custom.0.name",
        "redaction_invalid body.custom.1.name",
        "redaction_invalid body.custom.2.regex",
        "redaction_invalid body.custom.3",
      ]);
      expect(problem(await redaction.set(subject.project, null, "ci")).loc).toEqual(["body"]);
      expect(done(await redaction.get(subject.project))).toEqual(before);
    });

    it("takes as many keys and patterns as it says, and no more", async () => {
      const { redaction } = subject.registry;
      await subject.freshProject();
      const keys = (count: number) => Array.from({ length: count }, (_, n) => `k${n}`);
      const custom = (count: number) =>
        keys(count).map((name) => ({ name, regex: `${name}-\\d{2}` }));
      done(await redaction.set(subject.project, { keys: keys(200), custom: custom(20) }, "ci"));
      expect(
        problem(await redaction.set(subject.project, { keys: keys(201) }, "ci")),
      ).toMatchObject({
        loc: ["body", "keys"],
        msg: "Must be a list of at most 200 (got a list of 201).",
      });
      expect(
        problem(await redaction.set(subject.project, { custom: custom(21) }, "ci")).loc,
      ).toEqual(["body", "custom"]);
    });
  });
}
