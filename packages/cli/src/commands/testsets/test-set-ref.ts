import { Argument, InvalidArgumentError } from "commander";

/** `.argument(...SET)` */
export const SET = ["<set>", "name or id of the test set"] as const;

/** A test set at a revision. */
export interface TestSetAt {
  readonly name: string;
  /** A number, or `latest`. */
  readonly revision: string;
}

/** `<set[@revision]>` */
export function testSetArgument(): Argument {
  return new Argument("<set>", "test set, or a revision of one: golden, golden@3").argParser(
    parseTestSetAt,
  );
}

/** @example parseTestSetAt("golden@3") // { name: "golden", revision: "3" } */
export function parseTestSetAt(text: string): TestSetAt {
  const [name = "", revision = "latest", ...others] = text.split("@");
  if (name === "" || others.length > 0 || !/^([1-9]\d{0,8}|latest)$/.test(revision)) {
    throw new InvalidArgumentError("Must be a test set (golden), or a revision of one (golden@3).");
  }
  return { name, revision };
}
