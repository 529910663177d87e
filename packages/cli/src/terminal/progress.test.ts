import { describe, expect, it } from "vitest";
import { plainPaint } from "./plain-paint.fixture.ts";
import { progressBar, startProgress } from "./progress.ts";
import type { Terminal } from "./terminal.ts";

const CLEAR = "\r\u001b[2K";

function recordingTerminal(canAnimate: boolean): { terminal: Terminal; text: () => string } {
  let written = "";
  const terminal: Terminal = {
    columns: undefined,
    canAsk: false,
    canAnimate,
    paint: plainPaint,
    paintNote: plainPaint,
    unread: new AbortController().signal,
    write: async () => {},
    print: () => {},
    note: () => {},
    writeNote: (text) => {
      written += text;
    },
  };
  return { terminal, text: () => written };
}

describe("progress", () => {
  it("is one line a step in a pipe, when the step is over", () => {
    const { terminal, text } = recordingTerminal(false);
    {
      using progress = startProgress(terminal, 6);
      progress.begin("pack", "app.ts");
      progress.done("3 files");
      progress.begin("upload", "1 of 2");
      progress.update("2 of 2");
      expect(text()).toMatch(/^✓ pack {4}.*3 files\n$/);
      progress.begin("start");
      progress.failed();
    }
    expect(
      text()
        .split("\n")
        .map((line) => line.slice(0, 8)),
    ).toEqual(["✓ pack  ", "✓ upload", "✗ start ", ""]);
    expect(text()).toMatch(/^✓ upload .* {2}2 of 2$/m);
  });

  it("draws the step under way over itself in a terminal, and leaves no half line behind", () => {
    const { terminal, text } = recordingTerminal(true);
    {
      using progress = startProgress(terminal, 4);
      progress.begin("pack", "app\u001b[2J.ts");
      expect(text().split(CLEAR)).toEqual(["", expect.stringMatching(/^. pack .*app\.ts$/)]);
    }
    expect(text().split(CLEAR).at(-1)).toMatch(/^✗ pack .*\n$/);
  });
});

it.each([
  [0, 10, "░░░░░░░░░░░░░░░░░░░░   0%"],
  [1, 100_000, "▏░░░░░░░░░░░░░░░░░░░   0%"],
  [3, 8, "███████▌░░░░░░░░░░░░  37%"],
  [9_999, 10_000, "████████████████████  99%"],
  [12, 10, "████████████████████ 100%"],
  [0, 0, "████████████████████ 100%"],
])("shows %i of %i", (done, total, bar) => {
  expect(progressBar(done, total)).toBe(bar);
});
