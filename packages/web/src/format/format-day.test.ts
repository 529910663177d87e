import fc from "fast-check";
import { expect, it } from "vitest";
import { formatDay } from "./format-day.ts";

it("writes days as British English does, in the time zone of the machine", () => {
  const sameYear = new Intl.DateTimeFormat("en-GB", {
    day: "numeric",
    month: "short",
    hour: "2-digit",
    minute: "2-digit",
  });
  const otherYear = new Intl.DateTimeFormat("en-GB", {
    day: "numeric",
    month: "short",
    year: "numeric",
  });
  const time = fc.integer({ min: Date.UTC(1970, 0, 2), max: Date.UTC(2100, 0, 1) });
  fc.assert(
    fc.property(time, time, (then, now) => {
      const isSame = new Date(then).getFullYear() === new Date(now).getFullYear();
      expect(formatDay(then, now)).toBe((isSame ? sameYear : otherYear).format(then));
      expect(formatDay(then, then)).toBe(sameYear.format(then));
    }),
  );
});
