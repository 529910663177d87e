import { expect, it } from "vitest";
import { BuildUsers } from "./build-users.ts";

it("gives each environment a user, in the group that installs its application's packages", () => {
  const users = new BuildUsers({ first: 100, last: 200 });
  const staging = users.ofEnvironment("app_1", "env_1");
  const production = users.ofEnvironment("app_1", "env_2");
  const another = users.ofEnvironment("app_2", "env_3");
  expect(new Set([staging.uid, production.uid, another.uid, staging.gid, another.gid]).size).toBe(
    5,
  );
  expect(production.gid).toBe(staging.gid);
  expect(users.ofApplication("app_1")).toEqual({ uid: staging.gid, gid: staging.gid });
  expect(users.ofEnvironment("app_1", "env_1")).toEqual(staging);
});

it("refuses the first environment beyond the range, and no earlier one", () => {
  const users = new BuildUsers({ first: 100, last: 102 });
  users.ofEnvironment("app_1", "env_1");
  expect(users.ofEnvironment("app_1", "env_2").uid).toBe(102);
  expect(() => users.ofEnvironment("app_1", "env_3")).toThrow(
    "all 3 users of --build-users are in use: give it a larger range",
  );
  expect(users.ofEnvironment("app_1", "env_2").uid).toBe(102);
});
