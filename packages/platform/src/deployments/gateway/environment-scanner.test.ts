import fc from "fast-check";
import { expect, it } from "vitest";
import { EnvironmentScanner, type ScanOutcome } from "./environment-scanner.ts";

function scan(text: string | Buffer, cuts: readonly number[] = []): ScanOutcome {
  const bytes = Buffer.from(text as string);
  const scanner = new EnvironmentScanner();
  let from = 0;
  for (const cut of [...cuts, bytes.length]) {
    scanner.push(bytes.subarray(from, cut));
    from = cut;
  }
  return scanner.end();
}

/** By every place where the text can be cut in two, and byte by byte. */
function scanEveryWay(text: string | Buffer): ScanOutcome[] {
  const { length } = Buffer.from(text as string);
  const places = Array.from({ length }, (_, n) => n);
  return [scan(text, places), ...places.map((cut) => scan(text, [cut]))];
}

const named = (name: string): ScanOutcome => ({ kind: "named", name });
const NONE: ScanOutcome = { kind: "none" };

it.each<[string, ScanOutcome]>([
  ['{"environment":"staging","inputs":{}}', named("staging")],
  ['{"inputs":{"environment":"no"},"environment":"staging"}', named("staging")],
  ['\ufeff { "inputs" : [ "]" , { } ] ,\r\n\t"environment" : "staging" } ', named("staging")],
  [String.raw`{"\u0065nv\u0069ronment":"st\u0061ging"}`, named("staging")],
  [
    String.raw`{"a\\":"\"environment\":\"no\"","environment":"é\n€ \ud83d\ude00 😀"}`,
    named("é\n€ 😀 😀"),
  ],
  ['{"inputs":"\\\\","environment":"staging"}', named("staging")],
  ['{"n":-1.5e3,"t":true,"z":null,"environment":"staging"}', named("staging")],
  ['{"environment":"a","environment":"a"}', named("a")],
  ['{"environment":5,"environment":{"slug":"x"},"environment":"a"}', named("a")],
  ['{"environment":"a","environment":"","environment":[["b"]]}', named("a")],
  ['{"environment":"a","inputs":1,"environment":"b"}', { kind: "conflicting", names: ["a", "b"] }],
  ['{"environment":5}', NONE],
  ['{"environment":""}', NONE],
  ['{"environments":"a","environmen":"b","Environment":"c"}', NONE],
  ["{}", NONE],
  ["", NONE],
  ['["environment","a"]', NONE],
  ['"environment"', NONE],
  ['{"inputs":{}} {"environment":"a"}', NONE],
])("%s", (text, outcome) => {
  for (const found of scanEveryWay(text)) expect(found).toEqual(outcome);
});

it.each(['{"environment" "a"}', '{environment:"a"}', "nonsense", '{"inputs":,"environment":"a"}'])(
  "gives up early on what is no JSON: %s",
  (text) => {
    const scanner = new EnvironmentScanner();
    expect(scanner.push(Buffer.from(text))).toEqual(NONE);
  },
);

it("compares a name with the one that the request has elsewhere", () => {
  const body = Buffer.from('{"environment":"env_1"}');
  const strict = new EnvironmentScanner("staging");
  expect(strict.push(body)).toEqual({ kind: "conflicting", names: ["staging", "env_1"] });
  const isSame = (...names: string[]) => names.sort().join() === "env_1,staging";
  expect(new EnvironmentScanner("staging", isSame).push(body)).toEqual(named("staging"));
});

it("cuts names that are too long, and holds no more of them", () => {
  const written = (length: number) => `{"environment":"${"a".repeat(length)}"}`;
  expect(scan(written(1024))).toEqual(named("a".repeat(1024)));
  for (const found of [scan(written(5000)), scan(written(5000), [1100, 1101, 4000])]) {
    expect(found).toEqual(named("a".repeat(1025)));
  }
  const field = (letters: number) => `{"${"\\u0065".repeat(letters)}":"no","environment":"a"}`;
  expect([11, 12, 100].map((letters) => scan(field(letters)))).toEqual(Array(3).fill(named("a")));
});

it("reads any depth", () => {
  const deep = `{"inputs":${'[{"environment":'.repeat(200_000)}1${"}]".repeat(200_000)},"environment":"a"}`;
  expect(scan(deep)).toEqual(named("a"));
});

const SPELLINGS = ['"environment"', '"\\u0065nvironment"', '"environ\\u006dent"'];
const key = fc.oneof(
  fc.constantFrom(...SPELLINGS),
  fc.constantFrom('"inputs"', '"variant"', '"environment\\\\"', '"\\"environment\\""', '"env"'),
  fc.string({ unit: "binary" }).map((text) => JSON.stringify(text)),
);
const text = fc.oneof(
  fc.constantFrom('"a"', '"b"', '"\\u0061"', '""', '"\\\\"', '"{\\"environment\\":\\"c\\"}"'),
  fc.string({ unit: "binary" }).map((each) => JSON.stringify(each)),
  // Long ones, in which quotes and backslashes meet in every way.
  fc
    .array(fc.constantFrom("\\", '"', "xxxxxxx", "é"), { maxLength: 40 })
    .map((parts) => JSON.stringify(parts.join(""))),
);
const space = fc.constantFrom("", "", " ", "\n", "\t\r\n ");
const { value } = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    text,
    fc.constantFrom("1", "-0.5E+9", "true", "false", "null"),
    fc.array(tie("value"), { maxLength: 3 }).map((items) => `[${items.join()}]`),
    fc.array(fc.tuple(key, tie("value")), { maxLength: 3 }).map((fields) => written(fields)),
  ),
}));
type Field = readonly [name: string, value: string, gap?: string];
const document = fc.array(fc.tuple(key, value, space), { maxLength: 6 });

function written(fields: readonly Field[]): string {
  const texts = fields.map(([name, is, gap = ""]) => `${gap}${name}${gap}:${gap}${is}${gap}`);
  return `{${texts.join()}}`;
}

/** The names in a document, each part of it parsed by itself, since parsing the whole drops duplicates. */
function model(fields: readonly Field[]): ScanOutcome {
  const names = fields
    .filter(([name]) => JSON.parse(name) === "environment")
    .map(([, is]) => JSON.parse(is) as unknown)
    .filter((is): is is string => typeof is === "string" && is !== "");
  const [first, ...others] = names;
  if (first === undefined) return NONE;
  const second = others.find((other) => other !== first);
  return second === undefined ? named(first) : { kind: "conflicting", names: [first, second] };
}

it("finds what JSON.parse finds, wherever a document is cut", () => {
  fc.assert(
    fc.property(document, (fields) => {
      const json = written(fields);
      const outcome = model(fields);
      for (const found of scanEveryWay(json)) expect(found).toEqual(outcome);
      const { environment } = JSON.parse(json) as { environment?: unknown };
      const isName = typeof environment === "string" && environment !== "";
      // What a workflow would run with is what was found.
      if (isName && outcome.kind !== "conflicting") expect(outcome).toEqual(named(environment));
    }),
  );
});

it("takes any bytes, and finds the same however they are cut", () => {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 60 }).map((each) => Buffer.from(each)),
    fc
      .tuple(document, fc.nat(), fc.nat(255))
      .map(([fields, at, byte]) => damaged(Buffer.from(written(fields)), at, byte)),
  );
  fc.assert(
    fc.property(bytes, (each) => {
      const whole = scan(each);
      for (const found of scanEveryWay(each)) expect(found).toEqual(whole);
    }),
  );
});

/** With another byte somewhere. */
function damaged(bytes: Buffer, at: number, byte: number): Buffer {
  bytes[at % bytes.length] = byte;
  return bytes;
}
