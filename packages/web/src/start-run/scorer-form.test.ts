import type { ConfigFieldSchema } from "@agate/protocol";
import { expect, test } from "vitest";
import { labels } from "./evaluation.fixture.ts";
import { committedConfigs, scorerForms, shownValues } from "./scorer-form.ts";

const rubric: ConfigFieldSchema = {
  type: "string",
  default: "Is it?",
  "x-ag-control": "text-area",
};
const points: ConfigFieldSchema = { type: "integer", default: 5, "x-ag-control": "number" };
const helpful = {
  name: "helpful",
  version: "1",
  kind: "model",
  config: {
    name: "helpful",
    code: "1",
    fields: { rubric, points },
    defaults: { rubric: "Is it?", points: 5 },
  },
} as const;
const evaluation = { ...labels, scorers: [...labels.scorers, helpful] };
const forms = scorerForms([evaluation, evaluation]);

test("A scorer has one form, whose values are the committed ones over the code's defaults", () => {
  expect(forms.map(({ name }) => name)).toEqual(["helpful"]);
  const [form] = forms;
  if (form === undefined) throw new Error("There is no form.");
  expect(shownValues(form, { helpful: { points: 3 } })).toEqual({ rubric: "Is it?", points: 3 });
  expect(shownValues(form, {})).toEqual({ rubric: "Is it?", points: 5 });
});

test("A commit has the fields that differ from the defaults, and keeps other scorers", () => {
  const before = { helpful: { points: 3 }, polite: { tone: "warm" } };
  expect(committedConfigs(before, forms, before)).toEqual(before);
  const stricter = { ...before, helpful: { rubric: "Is it solved?", points: 5 } };
  expect(committedConfigs(before, forms, stricter)).toEqual({
    helpful: { rubric: "Is it solved?" },
    polite: { tone: "warm" },
  });
  const asDeclared = { ...before, helpful: { rubric: "Is it?", points: 5 } };
  expect(committedConfigs(before, forms, asDeclared)).toEqual({ polite: { tone: "warm" } });
});
