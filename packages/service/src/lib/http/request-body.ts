import type { Context } from 'hono'
import { parseJson } from './json-text.ts'
import { Refusal } from '../refusal.ts'

const tooLarge = (max: number) => new Refusal(413, `the body is larger than ${max} bytes`)

const brokenOff = () => new Refusal(400, 'the body ended early')

/** The bytes of a request, refused as soon as they exceed `max`. Hono keeps them for the journal of the controls. */
async function readBytes(context: Context, max: number): Promise<Uint8Array> {
  const length = context.req.header('content-length')
  if (length === undefined) return readStream(context, max)
  if (Number(length) > max) throw tooLarge(max)
  return new Uint8Array(
    await context.req.arrayBuffer().catch(() => {
      throw brokenOff()
    }),
  )
}

/** Streams the bytes of a request; refuses them as soon as they exceed `max`, without reading the rest (decisions row 30). */
export async function readStream(
  context: Context,
  max: number,
  refusal: () => Refusal = () => tooLarge(max),
): Promise<Uint8Array> {
  if (Number(context.req.header('content-length') ?? 0) > max) throw refusal()
  const { body } = context.req.raw
  if (body === null) return new Uint8Array()
  const parts: Uint8Array[] = []
  let size = 0
  try {
    for await (const part of body as AsyncIterable<Uint8Array>) {
      size += part.byteLength
      if (size > max) throw refusal()
      parts.push(part)
    }
  } catch (error) {
    throw error instanceof Refusal ? error : brokenOff()
  }
  return parts.length === 1 ? parts[0]! : Buffer.concat(parts)
}

/** The JSON of a request; 400 if it is invalid, nested too deeply, or contains texts that cannot be stored. */
export async function readJson(context: Context, max: number): Promise<unknown> {
  const bytes = await readBytes(context, max)
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new Refusal(400, 'the body is not JSON')
  }
  return parseJson(text)
}
