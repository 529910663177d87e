import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { SecretKey } from "../../variables/secret-keys.ts";
import { newSecretKey, noSecretKeys, SecretKeys } from "../../variables/secret-keys.ts";
import type { VariablesChange } from "../variables-change.ts";
import { readVariablesChange } from "../variables-change.ts";
import type { Subject } from "./subject.fixture.ts";
import { done, keysOf, problem, problems } from "./subject.fixture.ts";

const CANARY = "canary-5b8efff798038103";

function change(set: Record<string, unknown>, unset: readonly string[] = []): VariablesChange {
  return done(readVariablesChange({ set, unset }));
}

export function describeVariables(subject: Subject): void {
  const idOf = async (environment: string) =>
    done(await subject.registry.environments.get(subject.app, environment)).id;
  const set = (environment: string, values: Record<string, unknown>, unset: string[] = []) =>
    subject.registry.variables.change(subject.app, environment, change(values, unset), "ci");
  const list = async (environment: string) =>
    done(await subject.registry.variables.list(subject.app, environment));

  describe("variables", () => {
    it("are secret unless plain, and no read has the value of a secret", async () => {
      await subject.freshApplication();
      const { variables: changed, since } = done(
        await set("staging", { TOKEN: CANARY, REGION: { value: "eu", plain: true } }),
      );
      expect(since).toBeNull();
      expect(changed).toEqual(await list("staging"));
      expect(changed).toEqual({
        version: 1,
        items: [
          {
            ...{ name: "REGION", secret: false, value: "eu", status: "set", version: 1 },
            ...{ updated_by: "ci", updated_at: expect.stringMatching(/^2026-/) },
          },
          {
            ...{ name: "TOKEN", secret: true, value: null, status: "set", version: 1 },
            ...{ updated_by: "ci", updated_at: expect.stringMatching(/^2026-/) },
          },
        ],
        history: ["REGION", "TOKEN"].map((name) => ({
          ...{ name, action: "set", version: 1, by: "ci", at: expect.stringMatching(/^2026-/) },
        })),
      });
      const rows = await subject.db.selectFrom("variables").selectAll().execute();
      const history = await subject.db.selectFrom("variable_history").selectAll().execute();
      expect(JSON.stringify([rows, history])).not.toContain(CANARY);
      expect(await subject.registry.variables.values(await idOf("staging"))).toEqual({
        version: 1,
        values: [
          { name: "REGION", value: "eu", isSecret: false },
          { name: "TOKEN", value: CANARY, isSecret: true },
        ],
        unreadable: [],
      });
      expect(await list("production")).toEqual({ version: 0, items: [], history: [] });
    });

    it("are what a naive model has after random changes", async () => {
      await subject.freshApplication();
      const names = ["A", "B", "C_2", "_d"];
      const steps = fc.array(
        fc.record({
          environment: fc.constantFrom("staging", "production"),
          set: fc.dictionary(
            fc.constantFrom(...names),
            fc.oneof(
              fc.string({ unit: "grapheme" }).filter((value) => !value.includes("\0")),
              fc.record({ value: fc.string({ unit: "grapheme-ascii" }), plain: fc.boolean() }),
            ),
          ),
          unset: fc.uniqueArray(fc.constantFrom(...names)),
        }),
        { maxLength: 12 },
      );
      const model = new Map<string, Map<string, string>>();
      const versions = new Map<string, number>();
      await fc.assert(
        fc.asyncProperty(steps, async (changes) => {
          for (const { environment, set: values, unset } of changes) {
            const had = model.get(environment) ?? new Map<string, string>();
            model.set(environment, had);
            const read = readVariablesChange({ set: values, unset });
            const isEmpty = Object.keys(values).length + unset.length === 0;
            const isRefused =
              read.kind === "refused" || isEmpty || unset.some((name) => !had.has(name));
            const outcome =
              read.kind === "refused"
                ? read
                : await subject.registry.variables.change(
                    subject.app,
                    environment,
                    read.value,
                    "ci",
                  );
            expect(outcome.kind).toBe(isRefused ? "refused" : "done");
            if (isRefused) continue;
            versions.set(environment, (versions.get(environment) ?? 0) + 1);
            for (const name of unset) had.delete(name);
            for (const [name, input] of Object.entries(values)) {
              had.set(name, typeof input === "string" ? input : input.value);
            }
          }
          for (const [environment, had] of model) {
            const { version, values } = await subject.registry.variables.values(
              await idOf(environment),
            );
            expect(version).toBe(versions.get(environment) ?? 0);
            const sorted = [...had].sort(([a], [b]) => (a < b ? -1 : 1));
            expect(values.map(({ name, value }) => [name, value])).toEqual(sorted);
          }
        }),
        { numRuns: subject.histories },
      );
    });

    it("preview a change without making it", async () => {
      await subject.freshApplication();
      done(await set("staging", { A: "one", B: "two" }));
      const before = await list("staging");
      const { variables } = subject.registry;
      const after = done(
        await variables.preview(subject.app, "staging", change({ C: "three" }, ["A"])),
      );
      expect(after.version).toBe(2);
      expect(after.values.map(({ name }) => name)).toEqual(["B", "C"]);
      expect(await list("staging")).toEqual(before);
      const unknown = await variables.preview(subject.app, "staging", change({}, ["Z"]));
      expect(problem(unknown).type).toBe("variable_not_found");
    });

    it("change all names of a request, or none", async () => {
      await subject.freshApplication();
      done(await set("staging", { A: "one" }));
      const before = await list("staging");
      const outcome = await set("staging", { B: "two" }, ["A", "NOPE", "NEITHER"]);
      expect(problems(outcome).map(({ type, loc }) => [type, loc])).toEqual([
        ["variable_not_found", ["body", "unset", 1]],
        ["variable_not_found", ["body", "unset", 2]],
      ]);
      expect(await list("staging")).toEqual(before);
      expect(problem(await set("nope", { A: "b" })).type).toBe("environment_not_found");
    });

    it("go with their environment, and are not there under its old name", async () => {
      await subject.freshApplication();
      done(await set("staging", { TOKEN: CANARY }));
      const id = await idOf("staging");
      done(await subject.registry.environments.delete(subject.app, "staging"));
      const left = (table: "variables" | "variable_history") =>
        subject.db.selectFrom(table).selectAll().where("environment_id", "=", id).execute();
      expect(await left("variables")).toEqual([]);
      // The history has names alone.
      expect(JSON.stringify(await left("variable_history"))).not.toContain(CANARY);
      done(await subject.registry.environments.create(subject.app, "staging"));
      expect((await list("staging")).items).toEqual([]);
    });

    it("name what another environment lacks", async () => {
      await subject.freshApplication();
      done(await set("staging", { B: "1", A: "1", C: "1" }));
      done(await set("production", { C: "2", D: "2" }));
      const { variables } = subject.registry;
      const lacking = (from: string, to: string) =>
        variables.lacking(subject.app, { from, to }).then(done);
      expect(await lacking("staging", "production")).toEqual(["A", "B"]);
      expect(await lacking("production", "staging")).toEqual(["D"]);
      expect(await lacking("development", "staging")).toEqual([]);
    });
  });

  describe("secrets", () => {
    it("need a key, and plain variables none", async () => {
      await subject.freshApplication();
      const { variables } = await subject.registryWith(noSecretKeys());
      const secret = await variables.change(subject.app, "staging", change({ A: CANARY }), "ci");
      expect(problem(secret)).toMatchObject({
        type: "secret_key_missing",
        loc: ["body", "set", "A"],
        msg: expect.stringContaining("AGATE_SECRET_KEY_FILE"),
      });
      const plain = change({ A: { value: "eu", plain: true } });
      done(await variables.change(subject.app, "staging", plain, "ci"));
      expect(problem(await variables.rekey()).type).toBe("secret_key_missing");
    });

    it("read as unreadable without their key, and can be set again", async () => {
      await subject.freshApplication();
      done(await set("staging", { TOKEN: CANARY, REGION: { value: "eu", plain: true } }));
      const id = await idOf("staging");
      const before = await subject.registry.variables.unreadableKeys();
      const other = await subject.registryWith(keysOf(newSecretKey()));
      expect(await other.variables.unreadableKeys()).toBeGreaterThan(before);
      const shown = done(await other.variables.list(subject.app, "staging"));
      expect(shown.items.map(({ name, status }) => [name, status])).toEqual([
        ["REGION", "set"],
        ["TOKEN", "unreadable"],
      ]);
      expect(await other.variables.values(id)).toMatchObject({
        values: [{ name: "REGION" }],
        unreadable: ["TOKEN"],
      });
      done(await other.variables.change(subject.app, "staging", change({ TOKEN: "new" }), "ci"));
      expect((await other.variables.values(id)).unreadable).toEqual([]);
      expect((await subject.registry.variables.values(id)).unreadable).toEqual(["TOKEN"]);
    });

    it("do not open when rows were swapped or an older row was put back", async () => {
      await subject.freshApplication();
      done(await set("staging", { A: "first-value", B: "other-value" }));
      done(await set("production", { A: "prod-value" }));
      const id = await idOf("staging");
      const storedValue = async (environmentId: string, name: string) => {
        const row = await subject.db
          .selectFrom("variables")
          .select("value")
          .where("environment_id", "=", environmentId)
          .where("name", "=", name)
          .executeTakeFirstOrThrow();
        return row.value;
      };
      const put = (value: string) =>
        subject.db
          .updateTable("variables")
          .set({ value })
          .where("environment_id", "=", id)
          .where("name", "=", "A")
          .execute();
      const own = await storedValue(id, "A");
      for (const swapped of [
        await storedValue(id, "B"),
        await storedValue(await idOf("production"), "A"),
      ]) {
        await put(swapped);
        const { values, unreadable } = await subject.registry.variables.values(id);
        expect(unreadable).toEqual(["A"]);
        expect(values.map(({ name }) => name)).toEqual(["B"]);
      }
      await put(own);
      done(await set("staging", { A: "second-value" }));
      await put(own);
      expect((await subject.registry.variables.values(id)).unreadable).toEqual(["A"]);
    });

    it("are encrypted with a new key without a restart, and the old one can go", async () => {
      await subject.freshApplication();
      done(await set("staging", { A: "first-value", B: "second-value" }));
      const id = await idOf("staging");
      const next = newSecretKey();
      // The old key is not told to this server: what it cannot read stays as it is.
      let stored: readonly SecretKey[] = [next];
      const server = await subject.registryWith(
        new SecretKeys({ read: () => stored, create: null }),
      );
      done(
        await server.variables.change(subject.app, "staging", change({ C: "third-value" }), "ci"),
      );
      const first = done(await server.variables.rekey());
      expect(first.rekeyed).toBe(0);
      expect(first.unreadable).toBeGreaterThanOrEqual(2);
      expect((await server.variables.values(id)).unreadable).toEqual(["A", "B"]);

      const history = (await list("staging")).history;
      stored = [next, subject.key];
      expect(done(await server.variables.rekey()).rekeyed).toBeGreaterThanOrEqual(2);
      const alone = await subject.registryWith(keysOf(next));
      expect((await alone.variables.values(id)).values.map(({ value }) => value)).toEqual([
        "first-value",
        "second-value",
        "third-value",
      ]);
      expect((await list("staging")).history).toEqual(history);
      expect(done(await server.variables.rekey())).toMatchObject({ rekeyed: 0 });
    });
  });
}
