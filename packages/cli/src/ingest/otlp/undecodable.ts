/**
 * Thrown inside the decoders and turned into an `undecodable` outcome at their face: a fault deep
 * in nested messages ends the whole decoding.
 */
export class Undecodable extends Error {
  override readonly name = "Undecodable";
}
