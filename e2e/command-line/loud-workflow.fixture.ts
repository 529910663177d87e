/** A workflow whose field has this upper bound, and which adds this mark. */
export function workflow(le: number, mark = "!"): string {
  return `import * as ag from "@agate/sdk";
class ShoutConfig extends ag.BaseModel {
  marks = ag.Field(ag.int, { default: 1, ge: 0, le: ${le} });
}
class NoConfig extends ag.BaseModel {}
export const shout = ag.route("/shout", ShoutConfig)(
  async ({ text }: { text: string }, { config }) => {
    console.log("\\u001b[31mshouting\\u001b[0m " + text);
    if (text === "") throw new ag.HttpError(422, "Say something.", { type: "nothing_said" });
    return text.toUpperCase() + "${mark}".repeat(config.marks);
  },
);
export const spell = ag.route("/spell", NoConfig)(async function* ({ text }: { text: string }) {
  for (const letter of text) {
    if (letter === "?") throw new Error("I cannot spell that.");
    yield letter;
  }
});
`;
}

/** A program that ends while it starts, with last words that a terminal would obey. */
export const CRASH = `${workflow(5)}\nconsole.error("\\u001b[2Jno database");\nprocess.exit(3);\n`;
