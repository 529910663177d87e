import { Readable, type Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { promisify } from "node:util";
import {
  brotliCompress,
  constants,
  createBrotliCompress,
  createGzip,
  createZstdCompress,
  gzip,
  zstdCompress,
} from "node:zlib";
import { freeMemory } from "../stores/byte-window.ts";
import { packedLength, unpackFrame, unpackFrameAside } from "../stores/segments/segment-frame.ts";
import type { Answer, AnswerHeaders, FullAnswer, StreamAnswer } from "./answer.ts";
import { chooseEncoding } from "./choose-encoding.ts";

/** Shorter bodies are sent as they are: they fit into one packet either way. */
export const LEAST_BYTES = 1024;

/** Larger bodies are unpacked in another thread: a megabyte takes a millisecond or two. */
export const MOST_UNPACKED_AT_ONCE = 1024 * 1024;

// Fast levels: most clients are near, and a page of JSON shrinks to a tenth all the same.
const ZSTD = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
// As fast as gzip's first level, and a tenth smaller.
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 2 } };
const GZIP = { level: 1 };
// A tenth smaller, for a millisecond more: on a slow connection that is worth ten.
const DOCUMENT_ZSTD = { params: { [constants.ZSTD_c_compressionLevel]: 6 } };
const DOCUMENT_BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };
const DOCUMENT_GZIP = { level: 6 };

interface Compression {
  readonly whole: (answer: FullAnswer) => Promise<Uint8Array>;
  readonly stream: () => Transform;
}

/** By the names of the codings; those that are preferred come first. */
const COMPRESSIONS = {
  zstd: {
    whole: ({ body, isDocument }) =>
      promisify(zstdCompress)(body, isDocument ? DOCUMENT_ZSTD : ZSTD),
    stream: () => createZstdCompress(ZSTD),
  },
  br: {
    whole: ({ body, isDocument }) =>
      promisify(brotliCompress)(body, isDocument ? DOCUMENT_BROTLI : BROTLI),
    stream: () => createBrotliCompress(BROTLI),
  },
  gzip: {
    whole: ({ body, isDocument }) => promisify(gzip)(body, isDocument ? DOCUMENT_GZIP : GZIP),
    stream: () => createGzip(GZIP),
  },
} satisfies Record<string, Compression>;
type Coding = keyof typeof COMPRESSIONS;
const CODINGS = Object.keys(COMPRESSIONS) as Coding[];

/** Not among them: archives, which are compressed, and events, which must not wait for more. */
const COMPRESSIBLE = /^(?:application\/json|application\/x-ndjson|text\/(?!event-stream))/;

/**
 * The answer as it is sent to a client with this `Accept-Encoding`: compressed where the client takes it
 * and where it helps, else as it is.
 */
export function compressedAnswer(
  answer: Answer,
  accepted: string | undefined,
): Answer | Promise<Answer> {
  if (answer.kind === "full" && answer.coding !== undefined) return packedAnswer(answer, accepted);
  if (accepted === undefined || !isCompressible(answer)) return answer;
  const coding = chooseEncoding(CODINGS, accepted);
  if (coding === null) return answer;
  const headers = encodedHeaders(answer, coding);
  return answer.kind === "stream"
    ? { ...answer, headers, open: (signal) => compressChunks(answer.open(signal), coding) }
    : compressFull(answer, headers, coding);
}

/** An answer that is compressed already: as it is for clients that take it, else unpacked. */
function packedAnswer(
  { coding, ...answer }: FullAnswer,
  accepted: string | undefined,
): Answer | Promise<Answer> {
  if (coding !== undefined && accepted !== undefined) {
    const chosen = chooseEncoding(CODINGS, accepted);
    if (chosen === coding) return { ...answer, headers: encodedHeaders(answer, coding) };
  }
  const frame = answer.body as Uint8Array;
  const unpacked = (body: Uint8Array<ArrayBuffer>) =>
    compressedAnswer(
      {
        ...answer,
        body,
        onSent: () => {
          answer.onSent?.();
          freeMemory(body);
        },
      },
      accepted,
    );
  return packedLength(frame) > MOST_UNPACKED_AT_ONCE
    ? unpackFrameAside(frame).then(unpacked)
    : unpacked(unpackFrame(frame));
}

function encodedHeaders({ headers }: Answer, coding: Coding): AnswerHeaders {
  return {
    ...headers,
    // Others are kept by no cache.
    ...(headers?.["cache-control"] !== undefined && { vary: "accept-encoding" }),
    "content-encoding": coding,
  };
}

function isCompressible({ headers, contentType, ...answer }: Answer): boolean {
  if (contentType === null || !COMPRESSIBLE.test(contentType)) return false;
  // A tag names the bytes of an answer, and would be that of another.
  if (headers?.["content-encoding"] !== undefined || headers?.etag !== undefined) return false;
  if (answer.kind === "stream") return answer.headFirst !== true;
  return Buffer.byteLength(answer.body) >= LEAST_BYTES;
}

async function compressFull(
  answer: FullAnswer,
  headers: AnswerHeaders,
  coding: Coding,
): Promise<FullAnswer> {
  return { ...answer, headers, body: await COMPRESSIONS[coding].whole(answer) };
}

/** Throws what the chunks throw. When it is left early, so are they. */
async function* compressChunks(
  chunks: ReturnType<StreamAnswer["open"]>,
  coding: Coding,
): AsyncGenerator<Uint8Array> {
  const compressor = COMPRESSIONS[coding].stream();
  const fed = pipeline(Readable.from(chunks), compressor);
  // It is thrown where the compressor is read, too.
  fed.catch(() => {});
  yield* compressor;
  await fed;
}
