import { LIST_CONTENTS } from "@agate/protocol";
import { PREVIEW_CHARACTERS } from "@agate/protocol/preview";
import * as z from "zod/mini";
import { choice } from "./input-kinds.ts";

/** What lists and live events have of long values. */
export function listContentInput() {
  return z._default(
    choice(
      {
        description: `Long values: \`preview\` has at most ${PREVIEW_CHARACTERS} characters of each, and names them in \`truncated\` with their sizes; \`full\` has all of them.`,
      },
      LIST_CONTENTS,
    ),
    "preview",
  );
}
