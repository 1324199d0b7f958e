import type { Upload } from '@botwright/protocol/shapes'
import { invalid } from './request.ts'

/** The type of an image, detected by its first bytes; undefined if it is not one of the four. */
function imageType(bytes: Uint8Array): string | undefined {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.byteLength, 12)).toString('latin1')
  if (start.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png'
  if (start.startsWith('\xff\xd8\xff')) return 'image/jpeg'
  if (start.startsWith('GIF87a') || start.startsWith('GIF89a')) return 'image/gif'
  if (start.startsWith('RIFF') && start.slice(8) === 'WEBP') return 'image/webp'
  return undefined
}

/**
 * The body of an upload (§4, PUT /me/avatar): bytes are sent raw with their Content-Type, a `Blob` as a form with the image in its field.
 * Throws `ERR_INVALID_REQUEST` if the service would refuse it: too many bytes, or not one of the four types.
 */
export async function uploadBody(
  endpoint: string,
  upload: Upload,
  input: Record<string, unknown>,
): Promise<{ body: Uint8Array; contentType: string }> {
  const { file, content_type } = input
  if (!(file instanceof Uint8Array) && !(file instanceof Blob)) throw invalid(endpoint, 'file: must be bytes or a Blob')
  const size = file instanceof Blob ? file.size : file.byteLength
  if (size === 0) throw invalid(endpoint, 'file: is empty')
  if (size > upload.bytes) throw invalid(endpoint, `file: is ${size} bytes; the limit is ${upload.bytes}`)
  const bytes = file instanceof Blob ? new Uint8Array(await file.arrayBuffer()) : file
  const type = typeof content_type === 'string' ? content_type : imageType(bytes)
  if (type === undefined || !upload.types.includes(type)) {
    throw invalid(endpoint, `file: must be an image of type ${upload.types.join(', ')}`)
  }
  if (!(file instanceof Blob)) return { body: bytes, contentType: type }
  const form = new FormData()
  form.set(upload.field, new Blob([bytes], { type }), `picture.${type.slice('image/'.length)}`)
  const encoded = new Response(form)
  // Bun has no boundary after the body was read.
  const contentType = encoded.headers.get('content-type') ?? 'multipart/form-data'
  return { body: new Uint8Array(await encoded.arrayBuffer()), contentType }
}
