import type { LogLine } from "@agate/protocol";
import fc from "fast-check";
import { expect, it } from "vitest";
import { SeenLines } from "./logs-command.ts";

it("shows every line of a log exactly once, however often the stream is lost and begun again", () => {
  const log = fc
    .array(
      fc.record({
        step: fc.nat({ max: 2 }),
        environment: fc.constantFrom("staging", null),
        line: fc.constantFrom("ok", "failed"),
      }),
      { maxLength: 40 },
    )
    .map((entries) => {
      let time = 0;
      return entries.map(({ step, environment, line }): LogLine => {
        time += step;
        const at = String(time).padStart(6, "0");
        return { time: at, build: 1, environment, stream: "stdout", line };
      });
    });
  fc.assert(
    fc.property(log, fc.array(fc.nat({ max: 40 })), (lines, losses) => {
      const seen = new SeenLines();
      const shown: LogLine[] = [];
      const read = (upTo: number) => {
        for (const line of lines.slice(0, upTo)) if (seen.isNew(line)) shown.push(line);
      };
      let written = 0;
      for (const loss of losses.toSorted((a, b) => a - b)) {
        written = Math.min(loss, lines.length);
        read(written);
        seen.reconnected();
      }
      read(lines.length);
      expect(shown).toEqual(lines);
    }),
  );
});
