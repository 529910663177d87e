import { nameField, optional, textField, wholeNumberField } from "../../body/field-kinds.ts";

// Fields that several bodies of the registry have.

export const SLUG = nameField({
  description:
    "1 to 64 lower-case letters and digits, with single `-`, `_` or `.` inside. Unique among its kind.",
  example: "concise",
});

export const MESSAGE = optional(
  textField({ description: "Why, for the history.", example: "Less creative" }, 1000),
);

export const REVISION = optional(
  wholeNumberField({ description: "Without it, the latest.", example: 3 }, 1),
);
