import { expect, it } from "vitest";
import type { ScoredItem } from "../registry/runs/run-registry.ts";
import type { ScoreBatch, ScoreOutcome } from "../stores/score-store.ts";
import { ScoreWriter } from "./score-writer.ts";

/** A store that answers when it is told to. */
function heldStore() {
  const asked: {
    readonly cases: readonly string[];
    answer(outcome: ScoreOutcome): void;
  }[] = [];
  const putScores = ({ scores }: ScoreBatch) =>
    new Promise<ScoreOutcome>((answer) => {
      asked.push({ cases: scores.map(({ record }) => JSON.parse(record).case), answer });
    });
  return { asked, putScores };
}

function writerTo(putScores: (batch: ScoreBatch) => Promise<ScoreOutcome>) {
  const reasons: string[] = [];
  const pauses: number[] = [];
  const writer = new ScoreWriter({
    store: { putScores },
    now: () => 0,
    ref: { project: "default", run: "nightly" },
    onStoreUnavailable: (reason) => reasons.push(reason),
    wait: async (milliseconds) => {
      pauses.push(milliseconds);
    },
  });
  return { writer, reasons, pauses };
}

function scored(id: string): ScoredItem {
  return {
    column: "candidate",
    case: id,
    trial: 0,
    trace_id: "0af7651916cd43dd8448eb211c80319c",
    span_id: "b7ad6b7169203331",
    created_at: "2026-06-01T00:00:00.000Z",
    scores: [
      {
        name: "right",
        status: "ok",
        value: 1,
        label: null,
        explanation: null,
        error: null,
        version: null,
        kind: "code",
      },
    ],
  };
}

const COMMITTED: ScoreOutcome = { kind: "committed" };
const UNAVAILABLE: ScoreOutcome = { kind: "unavailable", reason: "The disk is full." };
const untilAsked = (asked: readonly unknown[], times: number) =>
  expect.poll(() => asked.length).toBe(times);

it("lets the run go on during a batch, and has it wait for the one before", async () => {
  const { asked, putScores } = heldStore();
  const { writer } = writerTo(putScores);
  await writer.write([scored("a")]);
  let isTaken = false;
  const second = writer.write([scored("b")]).then(() => {
    isTaken = true;
  });
  await untilAsked(asked, 1);
  expect(isTaken).toBe(false);
  asked[0]?.answer(COMMITTED);
  await second;
  let isClosed = false;
  const closed = writer.close().then(() => {
    isClosed = true;
  });
  await untilAsked(asked, 2);
  expect([isClosed, asked.map(({ cases }) => cases)]).toEqual([false, [["a"], ["b"]]]);
  asked[1]?.answer(COMMITTED);
  await closed;
});

it("writes again where the store is unavailable, a few times", async () => {
  const outcomes = [UNAVAILABLE, UNAVAILABLE, UNAVAILABLE, COMMITTED];
  const back = writerTo(async () => outcomes.shift() ?? expect.fail());
  await back.writer.write([scored("a")]);
  await back.writer.close();
  expect(back.pauses).toEqual([1_000, 2_000, 4_000]);
  expect(back.reasons).toHaveLength(3);
  // The run has them: it does not fail for their traces.
  let attempts = 0;
  const gone = writerTo(async () => {
    attempts += 1;
    return UNAVAILABLE;
  });
  await gone.writer.write([scored("a")]);
  await gone.writer.close();
  expect([attempts, gone.pauses.length, gone.reasons.length]).toEqual([4, 3, 4]);
});

it("throws what the store threw with the next batch, and at the end", async () => {
  const { writer } = writerTo(async () => {
    throw new Error("The thread has ended.");
  });
  await writer.write([scored("a")]);
  await expect(writer.write([scored("b")])).rejects.toThrow("The thread has ended.");
  await expect(writer.close()).rejects.toThrow("The thread has ended.");
});
