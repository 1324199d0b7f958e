import type { Context } from 'hono'
import { Refusal } from './refusal.ts'

const tooLarge = (max: number) => new Refusal(413, `the body is larger than ${max} bytes`)

/** The bytes of a request, refused as soon as they exceed `max` (decisions row 30). */
export async function readBytes(context: Context, max: number): Promise<Uint8Array> {
  const length = context.req.header('content-length')
  if (Number(length ?? 0) > max) throw tooLarge(max)
  if (length !== undefined) return new Uint8Array(await context.req.arrayBuffer())
  const { body } = context.req.raw
  if (body === null) return new Uint8Array()
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of body as AsyncIterable<Uint8Array>) {
    size += part.byteLength
    if (size > max) throw tooLarge(max)
    parts.push(part)
  }
  return parts.length === 1 ? parts[0]! : Buffer.concat(parts)
}

/** The JSON of a request; 400 when it is none. */
export async function readJson(context: Context, max: number): Promise<unknown> {
  const bytes = await readBytes(context, max)
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as unknown
  } catch {
    throw new Refusal(400, 'the body is not JSON')
  }
}
