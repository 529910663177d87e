import { expect } from "vitest";
import { SeededRandom } from "../durability/seeded-random.ts";
import { ReadComparison, type When } from "./compare-reads.ts";
import type { ModelLog } from "./model-log.ts";
import type { ModelScore } from "./model-score.ts";
import { type ModelSpan, otlpRequest } from "./model-span.ts";
import { NaiveModel } from "./naive-model.ts";
import { PlatformClient } from "./platform-client.ts";
import { LOG_WORD, longLog, randomLog, randomTime, tooLongLog } from "./random-logs.ts";
import {
  isoMicros,
  randomAnalytics,
  randomFilter,
  randomScoreAnalytics,
} from "./random-questions.ts";
import { manyScores, randomScore } from "./random-scores.ts";
import { COMMON_WORD, changedSpan, randomTrace, type TraceSize, wordOf } from "./random-spans.ts";

/** What a history is made of. */
export interface HistoryPlan {
  /** The traces that each round adds. */
  readonly rounds: readonly (readonly TraceSize[])[];
  /** Traces of one span that are sent at once, in a request each: more than share a commit (64). */
  readonly atOnce: number;
  /** How often spans are added while the index removes what a resend replaced. */
  readonly indexRounds: number;
  /** Questions after each round. */
  readonly questions: number;
}

/** From this size on a summary may trail the commit. */
const LARGE = 2_000;
const LIMITS = [1, 2, 3, 7, 50, 99, 100, 101, 999, 1_000];
const MOST_PAGES = 20;
/** The longest page that may be asked for. */
const MOST_ITEMS = 1_000;
/** The most scores in a request, and in a trace. */
const MOST_SCORES = { inRequest: 500, inTrace: 1_000 };
const REQUEST_BYTES = 8 * 1024 * 1024;

/** The seeds of AGATE_MODEL_SEED, such as `7` or `7,8`, to repeat a failure; else these. */
export function seedsOr(usual: readonly number[]): readonly number[] {
  return process.env.AGATE_MODEL_SEED?.split(",").map(Number) ?? usual;
}

/** Sends a random history to a platform and compares all it answers with the naive model. */
export async function runHistory(url: string, seed: number, plan: HistoryPlan): Promise<void> {
  const client = await PlatformClient.inNewProject(url, `seed-${seed}`);
  const history = new History(client, new SeededRandom(seed));
  for (const sizes of plan.rounds) {
    await history.addTraces(sizes);
    await history.judgeSome();
    await history.logSome();
    await history.resendSome();
    await history.deleteSome();
    await history.logDeleted();
    await history.ask(plan.questions);
  }
  await history.judgeBeyondLimit();
  await history.logBeyondLimit();
  await history.listWhileAdding();
  await history.sendAtOnce(plan.atOnce);
  for (let n = 0; n < plan.indexRounds; n++) await history.addWhileIndexRemoves();
  await history.compareEverything(plan.questions);
}

class History {
  readonly #random: SeededRandom;
  readonly #client: PlatformClient;
  readonly #model: NaiveModel;
  readonly #comparison: ReadComparison;
  readonly #deleted: string[] = [];

  constructor(client: PlatformClient, random: SeededRandom) {
    this.#random = random;
    this.#client = client;
    this.#model = new NaiveModel(client.projectId);
    this.#comparison = new ReadComparison(client, this.#model);
  }

  /** Each in one request, or in several in any order: children may come long before their parents. */
  async addTraces(sizes: readonly TraceSize[]): Promise<void> {
    const random = this.#random;
    const traces = sizes.map((size) => randomTrace(random, size));
    const isMixed = random.chance(0.3);
    const requests = isMixed
      ? pieces(random, shuffled(random, traces.flat()))
      : traces.flatMap((spans) =>
          random.chance(0.6) ? [spans] : pieces(random, shuffled(random, spans)),
        );
    // Some are judged, or have logged content, before any span of them has arrived.
    for (const spans of traces) {
      const count = random.chance(0.3) ? random.between(1, 5) : 0;
      await this.#judge(Array.from({ length: count }, () => randomScore(random, spans)));
      const logged = random.chance(0.5) ? random.between(1, 8) : 0;
      await this.#log(Array.from({ length: logged }, () => randomLog(random, spans)));
    }
    await this.#sendAll(shuffled(random, requests));
    for (const [span] of traces) await this.#comparison.trace(span!.traceId);
  }

  /** Some traces, several at once: the same judgement again replaces the one before, in a request too. */
  async judgeSome(): Promise<void> {
    const random = this.#random;
    const traceIds = shuffled(random, this.#model.traceIds).slice(0, 6);
    const scores = traceIds.flatMap((traceId) => {
      // Of a large trace, often the same spans.
      const spans = this.#model.spansOf(traceId).slice(0, 5);
      return Array.from({ length: random.between(0, 20) }, () => randomScore(random, spans));
    });
    for (const some of pieces(random, shuffled(random, scores))) await this.#judge(some);
    for (const traceId of traceIds) await this.#comparison.trace(traceId);
  }

  /** Content of some traces, several at once: a request that is sent again changes nothing. */
  async logSome(): Promise<void> {
    const random = this.#random;
    const traceIds = shuffled(random, this.#model.traceIds).slice(0, 6);
    const logs = traceIds.flatMap((traceId) => {
      const spans = shuffled(random, this.#model.spansOf(traceId)).slice(0, 5);
      return Array.from({ length: random.between(0, 12) }, () => randomLog(random, spans));
    });
    for (const some of pieces(random, shuffled(random, logs))) {
      await this.#log(some);
      if (random.chance(0.4)) await this.#log(some);
      // The same messages at another time are the same content.
      if (random.chance(0.2)) {
        await this.#log(some.map((log) => ({ ...log, at: randomTime(random) })));
      }
    }
    for (const traceId of traceIds) await this.#comparison.trace(traceId);
  }

  /** Content of a trace that was deleted is shown only with spans that come later, if any do. */
  async logDeleted(): Promise<void> {
    const random = this.#random;
    const traceId = this.#deleted.at(-1);
    if (traceId === undefined) return;
    const [span] = randomTrace(random, "small");
    const later = { ...span!, traceId, parentId: null, outputs: null };
    await this.#log([randomLog(random, [later])]);
    await this.#comparison.trace(traceId);
    if (random.chance(0.5)) return;
    this.#deleted.pop();
    await this.#sendAll([[later]]);
    await this.#comparison.trace(traceId);
  }

  /** One span until it takes no more, and what is longer than a request may have of a span. */
  async logBeyondLimit(): Promise<void> {
    const random = this.#random;
    const [first, ...others] = randomTrace(random, "small");
    const span = { ...first!, inputs: null };
    const some = Array.from({ length: 5 }, () => randomLog(random, [span, ...others]));
    await this.#log([tooLongLog(random, span), ...some]);
    const isFirst = random.chance(0.5);
    if (isFirst) await this.#sendAll([[span, ...others]]);
    for (let n = 0; n < 35; n++) await this.#log([longLog(random, span)]);
    if (!isFirst) await this.#sendAll([[span, ...others]]);
    const { traceId, spanId } = span;
    await this.#comparison.trace(traceId);
    await this.#comparison.span(traceId, spanId);
    for (const limit of [1, 2]) {
      const filter = { q: LOG_WORD, from: isoMicros(span.start), traffic: "all" };
      await this.#comparison.list("traces", filter, limit, "soon");
    }
    // Else each of the lists after it would have its 4 MiB.
    await this.#delete(traceId);
  }

  /** One trace until it takes no more, and then some that replace others, and some that are new. */
  async judgeBeyondLimit(): Promise<void> {
    const random = this.#random;
    const traceId = random.pick(this.#model.traceIds);
    const spans = this.#model.spansOf(traceId);
    const room = MOST_SCORES.inTrace - this.#model.rowsOf(traceId);
    const scores = manyScores(random, spans, room + random.between(0, 3));
    while (scores.length > 0) await this.#judge(scores.splice(0, MOST_SCORES.inRequest));
    const known = this.#model.scoresOf(traceId).map(({ score }) => score);
    const again = shuffled(random, known).slice(0, 20);
    const changed = again.map((score) => ({
      ...score,
      status: "ok" as const,
      error: null,
      value: 3,
    }));
    await this.#judge(
      shuffled(random, [...changed, ...manyScores(random, spans, 1_010).slice(1_000)]),
    );
    await this.#log([randomLog(random, spans)]);
    await this.#comparison.trace(traceId);
  }

  /** Some spans of some traces again, often the top: the last write wins. */
  async resendSome(): Promise<void> {
    const random = this.#random;
    const traceIds = shuffled(random, this.#model.traceIds).slice(0, 3);
    const large = this.#largeTrace();
    if (large !== undefined && !traceIds.includes(large)) traceIds.push(large);
    const again = traceIds.flatMap((traceId) => {
      const placed = this.#model.tree(traceId).map(({ span }) => span);
      const some = shuffled(random, placed.slice(1)).slice(0, random.between(0, 4));
      return random.chance(0.8) ? [placed[0]!, ...some] : some;
    });
    await this.#sendAll([again.map((span) => changedSpan(random, span))]);
    for (const traceId of traceIds) await this.#comparison.trace(traceId);
  }

  async deleteSome(): Promise<void> {
    const random = this.#random;
    const traceIds = shuffled(random, this.#model.traceIds).slice(0, random.between(0, 2));
    for (const traceId of traceIds) await this.#delete(traceId);
  }

  /** Walks both lists while new traces arrive, earlier and later than what is listed. */
  async listWhileAdding(): Promise<void> {
    const random = this.#random;
    const counts = { traces: this.#model.traceIds.length, spans: this.#model.spans.length };
    for (const kind of ["traces", "spans"] as const) {
      const share = Math.floor(counts[kind] / random.between(2, 8));
      const limit = Math.min(Math.max(share, 1), MOST_ITEMS);
      const add = () => this.#sendAll([randomTrace(random, "small")]);
      await this.#comparison.listWhile(kind, limit, add);
    }
  }

  async sendAtOnce(count: number): Promise<void> {
    const random = this.#random;
    const requests = Array.from({ length: count }, () => randomTrace(random, "small"));
    await Promise.all(requests.map((spans) => this.#client.send(spans, "none")));
    for (const spans of requests) this.#model.append(spans);
    await this.ask(2);
  }

  /**
   * Replaces the text of many spans and, as soon as the index has the new one and removes the old,
   * sends one more span. It must be found though no further commit wakes the index.
   */
  async addWhileIndexRemoves(): Promise<void> {
    const random = this.#random;
    const traceId = this.#largeTrace() ?? random.pick(this.#model.traceIds);
    const again = this.#model.spansOf(traceId).map((span) => changedSpan(random, span));
    await this.#sendAll([again]);
    const last = again.at(-1)!;
    await this.#comparison.list("spans", { q: wordOf(last), traffic: "all" }, 1, "soon");
    const [added] = randomTrace(random, "small");
    const single = { ...added!, parentId: null, inputs: `${COMMON_WORD} ${wordOf(added!)}` };
    await this.#sendAll([[single]]);
    await this.#comparison.list("spans", { q: wordOf(single), traffic: "all" }, 1, "soon");
  }

  /** Lists and figures with random conditions. Searches wait for the end: they trail the commits. */
  async ask(questions: number): Promise<void> {
    for (let n = 0; n < questions; n++) await this.#askOne(false, this.#listsWhen());
  }

  async compareEverything(questions: number): Promise<void> {
    const random = this.#random;
    const comparison = this.#comparison;
    for (const traceId of [...this.#model.traceIds, ...this.#deleted])
      await comparison.trace(traceId);
    for (const { traceId, spanId } of shuffled(random, this.#model.spans).slice(0, 20)) {
      await comparison.span(traceId, spanId);
    }
    for (const kind of ["traces", "spans"] as const) {
      await comparison.list(kind, {}, this.#limitFor(this.#model.spans.length), this.#listsWhen());
      await comparison.list(kind, { q: COMMON_WORD, traffic: "all" }, 1_000, "soon");
      await comparison.list(kind, { q: LOG_WORD, traffic: "all" }, 1_000, "soon");
      const traffic = random.pick(["live", "evaluation", "all"]);
      await comparison.list(kind, { score: "helpful:any", traffic }, 100, this.#listsWhen());
    }
    for (let n = 0; n < 2 * questions; n++) await this.#askOne(true, "soon");
  }

  async #askOne(mayHaveWords: boolean, when: When): Promise<void> {
    const random = this.#random;
    if (random.chance(0.4)) {
      const question = randomAnalytics(random, this.#model, mayHaveWords);
      await this.#comparison.analytics(question, when);
      return;
    }
    if (random.chance(0.4)) {
      const question = randomScoreAnalytics(random, this.#model, mayHaveWords);
      await this.#comparison.scoreAnalytics(question, when);
      return;
    }
    const filter = randomFilter(random, this.#model.spans, mayHaveWords);
    const kind = random.pick(["traces", "spans"] as const);
    const count =
      kind === "traces"
        ? this.#model.listTraces(filter).length
        : this.#model.listSpans(filter).length;
    await this.#comparison.list(kind, filter, this.#limitFor(count), when);
  }

  /** A page's length that gives some pages, but not hundreds. */
  #limitFor(count: number): number {
    return this.#random.pick(LIMITS.filter((limit) => count / limit <= MOST_PAGES));
  }

  #listsWhen(): When {
    return this.#largeTrace() === undefined ? "now" : "soon";
  }

  #largeTrace(): string | undefined {
    return this.#model.traceIds.find((traceId) => this.#model.spansOf(traceId).length > LARGE);
  }

  async #judge(scores: readonly ModelScore[]): Promise<void> {
    if (scores.length === 0) return;
    const beyond = this.#model.beyondLimit(scores);
    const answer = await this.#client.putScores(scores);
    const rejected = "ids" in answer ? [] : answer.rejected;
    expect(rejected, "places of the scores that a full trace does not take").toEqual(beyond);
    const kept = scores.filter((_, n) => !beyond.includes(n));
    if (kept.length === 0) return;
    // A request that was rejected in part answers without ids: the stored ones are sent again.
    const stored = "ids" in answer ? answer : await this.#client.putScores(kept);
    if (!("ids" in stored)) throw new Error("Scores that were stored do not replace themselves");
    for (const [n, score] of kept.entries()) this.#model.putScore(score, stored.ids[n]!);
  }

  async #delete(traceId: string): Promise<void> {
    const status = await this.#client.delete(traceId);
    if (status !== 204) throw new Error(`DELETE of trace ${traceId} answered ${status}`);
    this.#model.delete(traceId);
    this.#deleted.push(traceId);
    await this.#comparison.trace(traceId);
  }

  async #log(logs: readonly ModelLog[]): Promise<void> {
    if (logs.length === 0) return;
    const rejected = this.#model.log(logs);
    expect(await this.#client.sendLogs(logs), "log records that have no room").toBe(rejected);
  }

  async #sendAll(requests: readonly (readonly ModelSpan[])[]): Promise<void> {
    for (const spans of requests.flatMap(withinLimit)) {
      await this.#client.send(spans, this.#random.chance(0.3) ? "gzip" : "none");
      this.#model.append(spans);
    }
  }
}

function shuffled<Item>(random: SeededRandom, items: readonly Item[]): Item[] {
  const left = [...items];
  for (let n = left.length - 1; n > 0; n--) {
    const other = random.between(0, n);
    [left[n], left[other]] = [left[other]!, left[n]!];
  }
  return left;
}

/** Requests that the platform takes: at most 16 MiB each. */
function withinLimit(spans: readonly ModelSpan[]): ModelSpan[][] {
  const requests: ModelSpan[][] = [];
  let room = 0;
  for (const span of spans) {
    const bytes = Buffer.byteLength(otlpRequest([span]));
    if (bytes > room) {
      requests.push([]);
      room = REQUEST_BYTES;
    }
    requests.at(-1)!.push(span);
    room -= bytes;
  }
  return requests;
}

/** Cuts a list at random places into two to five. */
function pieces<Item>(random: SeededRandom, items: readonly Item[]): Item[][] {
  const cuts = Array.from({ length: random.between(1, 4) }, () => random.between(0, items.length));
  const places = [0, ...cuts.sort((a, b) => a - b), items.length];
  return places
    .slice(1)
    .map((end, n) => items.slice(places[n], end))
    .filter((piece) => piece.length > 0);
}
