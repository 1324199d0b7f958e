import type { Upload } from '@botwright/protocol'
import type { Context } from 'hono'
import { checkTexts } from './json-text.ts'
import { readStream } from './request-body.ts'
import { Refusal } from './refusal.ts'
import type { Picture } from './store/uploads.ts'

/** What a form may hold beside the bytes of its picture: boundaries, part headers, and the fields of a message. */
const FORM_BYTES = 64 * 1024

/** The bounds of a picture in pixels (decision 0008). */
const MAX_SIDE = 8192
const MAX_PIXELS = 40_000_000

interface Size {
  width: number
  height: number
}
const noSize: Size = { width: 0, height: 0 }

async function headerSize(bytes: Uint8Array): Promise<Size> {
  const { imageSize } = await import('image-size')
  try {
    return imageSize(bytes)
  } catch {
    return noSize
  }
}

/** Whether a JPEG marker begins a frame: SOF0 to SOF15, without the tables (DHT, DAC) and JPG in between. */
const isFrame = (marker: number) => (marker & 0xf0) === 0xc0 && ![0xc4, 0xc8, 0xcc].includes(marker)

/**
 * The size of a JPEG, read segment by segment as decoders do. image-size takes padding for a marker, so that a picture can hide its size
 * from it, and searches what is no segment byte by byte: 8 MB of junk would hold up the service for a second.
 */
function jpegSize(bytes: Uint8Array): Size {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let at = 2; at + 9 <= bytes.byteLength && bytes[at] === 0xff;) {
    const marker = bytes[at + 1]!
    if (isFrame(marker)) return { height: view.getUint16(at + 5), width: view.getUint16(at + 7) }
    // Any number of 0xff may precede a marker; every other segment says how long it is.
    at += marker === 0xff ? 1 : 2 + view.getUint16(at + 2)
  }
  return noSize
}

const mediaType = (context: Context): string =>
  (context.req.header('content-type') ?? '').split(';', 1)[0]!.trim().toLowerCase()

/** Whether a request is a form with files. */
export const isForm = (context: Context): boolean => mediaType(context) === 'multipart/form-data'

const tooLarge = ({ field, bytes }: Upload) => new Refusal(413, `${field}: is larger than ${bytes} bytes`)

/** The picture in some bytes, its kind told by the content alone: what a sender says of it is no proof (§4, PUT /me/avatar). */
async function pictureIn(bytes: Uint8Array, { field, types }: Upload): Promise<Picture> {
  const allowed = types.map((type) => type.replace('image/', '').toUpperCase()).join(', ')
  if (bytes.byteLength === 0) throw new Refusal(400, `${field}: is empty; send a picture (${allowed})`)
  // Loaded with the first picture: most runs of the service see none, and all of them want to start at once.
  const { fileTypeFromBuffer } = await import('file-type')
  // What the sniffer cannot follow to its end is no picture either.
  const found = await fileTypeFromBuffer(bytes).catch(() => undefined)
  // An animated PNG is a PNG.
  const type = found?.mime === 'image/apng' ? 'image/png' : found?.mime
  if (type === undefined || !types.includes(type)) {
    throw new Refusal(400, `${field}: must be a picture (${allowed}); its content is ${type ?? 'none of these'}`)
  }
  await checkDimensions(bytes, type, field)
  return { type, bytes }
}

/** Refuses a picture that a few bytes make huge: whoever shows it has to hold every pixel. */
async function checkDimensions(bytes: Uint8Array, type: string, field: string): Promise<void> {
  const { width, height } = type === 'image/jpeg' ? jpegSize(bytes) : await headerSize(bytes)
  if (width < 1 || height < 1) {
    throw new Refusal(400, `${field}: the header of the picture is broken; save the picture again and send that`)
  }
  if (width <= MAX_SIDE && height <= MAX_SIDE && width * height <= MAX_PIXELS) return
  throw new Refusal(
    400,
    `${field}: is ${width} × ${height} pixels; at most ${MAX_SIDE} × ${MAX_SIDE} and ${MAX_PIXELS / 1e6} megapixels are allowed; send a smaller picture`,
  )
}

/** The picture of an upload: raw bytes with their Content-Type, or the file of a form (§4, PUT /me/avatar). */
export async function readPicture(context: Context, upload: Upload): Promise<Picture> {
  if (isForm(context)) {
    const { file } = await readForm(context, upload)
    if (!file) throw new Refusal(400, `${upload.field}: is required (file)`)
    return file
  }
  const said = mediaType(context)
  if (!upload.types.includes(said)) {
    throw new Refusal(
      400,
      `Content-Type: must be ${upload.types.join(', ')} or multipart/form-data${said === '' ? '' : `, not ${said}`}`,
    )
  }
  return pictureIn(await readStream(context, upload.bytes, () => tooLarge(upload)), upload)
}

/** A form: its text fields by name, and the picture if there is one. */
export async function readForm(
  context: Context,
  upload: Upload,
): Promise<{ fields: Record<string, string>; file: Picture | undefined }> {
  const bytes = await readStream(context, upload.bytes + FORM_BYTES, () => tooLarge(upload))
  const form = await new Response(bytes, { headers: { 'content-type': context.req.header('content-type')! } })
    .formData()
    .catch(() => {
      throw new Refusal(400, 'the body is not a form: its boundary or its parts are broken')
    })
  const fields: Record<string, string> = {}
  const files: Blob[] = []
  for (const [name, value] of form) {
    if (name === upload.field) {
      if (typeof value === 'string') throw new Refusal(400, `${name}: must be a file, with a filename`)
      files.push(value)
    } else if (typeof value === 'string') fields[name] = value
  }
  checkTexts(fields)
  const [file, second] = files
  if (second) throw new Refusal(400, `${upload.field}: must be one file`)
  if (!file) return { fields, file: undefined }
  if (file.size > upload.bytes) throw tooLarge(upload)
  return { fields, file: await pictureIn(new Uint8Array(await file.arrayBuffer()), upload) }
}
