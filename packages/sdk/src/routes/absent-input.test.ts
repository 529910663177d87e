import { expect, it } from "vitest";
import { instrument } from "../tracing/instrument.ts";
import { absentInput } from "./absent-input.ts";

interface Filter {
  readonly name?: string;
  readonly tags?: readonly string[];
}

class Desk {
  list(filter: Filter) {
    return [this.list.name, filter.name];
  }
  static async open(name?: string) {
    return name ?? "world";
  }
}

it.each<[string, (...args: never[]) => unknown]>([
  ["no parameter", () => "hi"],
  ["a default", (name = "world") => name],
  ["a default of a pattern", ({ name = "world" }: Filter = {}) => name],
  ["only rest parameters", (...names: string[]) => names],
  ["an optional text", (name?: string) => name ?? "world"],
  ["an optional object that is asked for", (filter?: Filter) => (filter ? filter.name : "none")],
  ["an optional chain", (filter?: Filter) => filter?.name],
  ["a spread", (filter?: Filter) => ({ name: "world", ...filter })],
  ["an unused parameter", (_filter?: Filter) => 1],
  ["an async static method", Desk.open],
  // biome-ignore format: without parentheses
  ["an arrow without parentheses", name => name ?? "world"],
  ["a parameter beside a member of that name", (name?: string) => [Desk.name, name]],
])("%s: the function gets undefined", (_case, handler) => {
  expect(absentInput(handler)()).toBeUndefined();
});

it.each<[string, (...args: never[]) => unknown]>([
  ["a pattern", ({ name }: Filter) => name],
  ["a pattern of an async function", async ({ name = "world" }: Filter) => name],
  [
    "a pattern of an async generator",
    async function* tell({ tags = [] }: Filter) {
      yield* tags;
    },
  ],
  ["members that are read", (filter: Filter) => [filter.name, filter.tags?.length]],
  ["members that are read in a method", new Desk().list],
  ["$ in the name", ($filter: Filter) => $filter.name],
  ["a member of the same name", (name: { name?: string }) => name.name],
  ["a function that is instrumented", instrument()(({ name }: Filter) => name)],
  [
    "a function that is bound",
    function (this: unknown, filter: Filter) {
      return filter.name;
    }.bind(null),
  ],
])("%s: the function gets {}", (_case, handler) => {
  const empty = absentInput(handler);
  expect(empty()).toEqual({});
  // One call may change its input without another one seeing it.
  expect(empty()).not.toBe(empty());
});
