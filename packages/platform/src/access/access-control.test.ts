import type { Scope } from "@agate/protocol";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { OpenAccess } from "./open-access.ts";
import type { RegistryFile } from "./testing/registry-file.fixture.ts";
import { BLUE, RED, registryFile } from "./testing/registry-file.fixture.ts";

let file: RegistryFile;
beforeEach(async () => {
  file = await registryFile();
});
afterEach(() => file[Symbol.asyncDispose]());

async function redKey(access: OpenAccess): Promise<string> {
  const { key } = await access.keys.create(RED, { name: "ci", scopes: ["read"] });
  return `Bearer ${key}`;
}

describe("without a key", () => {
  it("one is missing where keys are needed", async () => {
    const { control } = await file.open({ policy: "keys" });
    for (const project of [undefined, "red", "nothing"]) {
      expect(control.authenticate({ authorization: undefined, project })).toEqual({
        kind: "key-missing",
      });
    }
  });

  it("the operator chooses the project by slug or id on a loopback address", async () => {
    const { control } = await file.open({ policy: "loopback" });
    for (const [project, id] of [
      [undefined, "default"],
      ["default", "default"],
      ["red", RED],
      [BLUE, BLUE],
    ]) {
      expect(control.authenticate({ authorization: undefined, project })).toMatchObject({
        kind: "caller",
        caller: { project: id, name: "local", isOperator: true },
      });
    }
  });

  it.each(["nothing", "", "__proto__", "Red"])("there is no project %j", async (project) => {
    const { control } = await file.open({ policy: "loopback" });
    expect(control.authenticate({ authorization: undefined, project })).toEqual({
      kind: "project-not-found",
      project,
    });
  });

  it("a project is known under its new name only, once projects were read again", async () => {
    const access = await file.open({ policy: "loopback" });
    await file.db.updateTable("projects").set({ slug: "rose" }).where("id", "=", RED).execute();
    await access.reload();
    const named = (project: string) =>
      access.control.authenticate({ authorization: undefined, project });
    expect(named("red")).toMatchObject({ kind: "project-not-found" });
    expect(named("rose")).toMatchObject({ caller: { project: RED } });
    expect(named(RED)).toMatchObject({ caller: { project: RED } });
  });
});

describe.each(["loopback", "keys"] as const)("with a key, on a server of policy %s", (policy) => {
  it("the key's project is the only one there is", async () => {
    const access = await file.open({ policy });
    const authorization = await redKey(access);
    for (const project of [undefined, "red", RED]) {
      expect(access.control.authenticate({ authorization, project })).toMatchObject({
        caller: { project: RED, isOperator: false },
      });
    }
    for (const project of ["blue", BLUE, "default", "nothing", ""]) {
      expect(access.control.authenticate({ authorization, project })).toEqual({
        kind: "project-not-found",
        project,
      });
    }
  });

  it("a wrong one is refused", async () => {
    const { control } = await file.open({ policy });
    const authorization = `Bearer ag_12345678_${"x".repeat(32)}`;
    for (const project of [undefined, "red", "nothing"]) {
      expect(control.authenticate({ authorization, project })).toEqual({ kind: "key-invalid" });
    }
    expect(control.authenticate({ authorization: "", project: undefined })).toEqual({
      kind: "key-invalid",
    });
  });
});

it("ignores credentials of another product where no key is needed", async () => {
  const foreign = { authorization: "Bearer undefined", isForeign: true };
  const { control } = await file.open({ policy: "loopback" });
  expect(control.authenticate({ ...foreign, project: "red" })).toMatchObject({
    caller: { project: RED, isOperator: true },
  });
  expect(control.authenticate({ ...foreign, project: "nothing" })).toMatchObject({
    kind: "project-not-found",
  });
  const keyed = await file.open({ policy: "keys" });
  expect(keyed.control.authenticate({ ...foreign, project: undefined })).toEqual({
    kind: "key-invalid",
  });
});

describe("the rate limit", () => {
  it("lets a burst of twice the rate pass, then the rate, and says how long to wait", async () => {
    const access = await file.open({ rateLimit: 2 });
    const authorization = await redKey(access);
    const ask = () => access.control.authenticate({ authorization, project: undefined });
    const kinds = (count: number) => Array.from({ length: count }, () => ask().kind);
    expect(kinds(5)).toEqual(["caller", "caller", "caller", "caller", "rate-limited"]);
    expect(ask()).toEqual({ kind: "rate-limited", retryAfterSeconds: 1 });
    file.clock.now += 499;
    expect(kinds(1)).toEqual(["rate-limited"]);
    file.clock.now += 1;
    expect(kinds(2)).toEqual(["caller", "rate-limited"]);
    file.clock.now += 3_600_000;
    expect(kinds(5)).toEqual(["caller", "caller", "caller", "caller", "rate-limited"]);
  });

  it("of a key that may only score is 50 a second, unless the server's is lower", async () => {
    const passing = async (scopes: readonly Scope[], rateLimit: number) => {
      const access = await file.open({ rateLimit });
      const { key } = await access.keys.create(RED, { name: "page", scopes });
      const ask = () =>
        access.control.authenticate({ authorization: `Bearer ${key}`, project: undefined }).kind;
      const passed = () =>
        Array.from({ length: 300 }, ask).filter((kind) => kind === "caller").length;
      const burst = passed();
      file.clock.now += 19;
      const early = passed();
      file.clock.now += 1;
      return [burst, early, passed()];
    };
    expect(await passing(["score"], 0)).toEqual([100, 0, 1]);
    expect(await passing(["score"], 51)).toEqual([100, 0, 1]);
    expect(await passing(["score"], 49)).toEqual([98, 0, 0]);
    expect(await passing(["score", "evaluate"], 0)).toEqual([300, 300, 300]);
  });

  it("is each key's own, and holds for none without a key", async () => {
    const access = await file.open({ policy: "loopback", rateLimit: 1 });
    const [first, second] = [await redKey(access), await redKey(access)];
    const ask = (authorization: string | undefined) =>
      access.control.authenticate({ authorization, project: undefined }).kind;
    for (let n = 0; n < 3; n++) ask(first);
    expect(ask(first)).toBe("rate-limited");
    expect(ask(second)).toBe("caller");
    for (let n = 0; n < 100; n++) expect(ask(undefined)).toBe("caller");
  });

  it("is not paid back by reading the keys again, nor lost to a clock that is put back", async () => {
    const access = await file.open({ rateLimit: 1 });
    const authorization = await redKey(access);
    const ask = () => access.control.authenticate({ authorization, project: undefined }).kind;
    for (let n = 0; n < 2; n++) ask();
    await access.reload();
    expect(ask()).toBe("rate-limited");
    file.clock.now -= 3_600_000;
    expect(ask()).toBe("rate-limited");
    file.clock.now += 1000;
    expect(ask()).toBe("caller");
  });
});

describe("keys that open nothing", () => {
  it("are reported at once, then counted and reported once a minute", async () => {
    const { control } = await file.open();
    const guess = () => control.authenticate({ authorization: "Bearer x", project: undefined });
    guess();
    expect(file.attempts).toEqual([1]);
    for (let n = 0; n < 1000; n++) guess();
    expect(file.attempts).toEqual([1]);
    file.clock.now += 60_000;
    guess();
    expect(file.attempts).toEqual([1, 1001]);
  });
});
