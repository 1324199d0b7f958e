import { createHash } from 'node:crypto'

/** A short digest of plain data. Bytes count with their length: an upload may have megabytes. */
export function digestOf(data: unknown): string {
  return createHash('sha256')
    .update(textOf(data) ?? '')
    .digest('base64url')
    .slice(0, 10)
}

function textOf(data: unknown): string | undefined {
  try {
    const text: string | undefined = JSON.stringify(
      data,
      function (this: Record<string, unknown>, key, value: unknown) {
        const given = this[key]
        if (given instanceof Uint8Array) return given.length
        return typeof value === 'bigint' ? String(value) : value
      },
    )
    return text
  } catch {
    // The effect itself reports data that cannot be sent or stored.
    return undefined
  }
}

/** Draws hexadecimal digits: the same ones in the same order for each seed. */
export function digestsOf(seed: string): () => string {
  let drawn = 0
  return () => createHash('sha256').update(`${seed}:${++drawn}`).digest('hex')
}
