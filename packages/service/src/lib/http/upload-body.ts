import type { Upload } from '@botwright/protocol'
import type { Context } from 'hono'
import { checkTexts } from './json-text.ts'
import { readStream } from './request-body.ts'
import { Refusal } from '../refusal.ts'
import type { Picture } from '../store/uploads.ts'

/** Allowance for everything in a form except the picture: boundaries, part headers, and the fields of a message. */
const FORM_BYTES = 64 * 1024

/** The maximum dimensions of a picture, in pixels (decision 0008). */
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

/** Whether a JPEG marker starts a frame: SOF0 to SOF15, except DHT, DAC and JPG. */
const isFrame = (marker: number) => (marker & 0xf0) === 0xc0 && ![0xc4, 0xc8, 0xcc].includes(marker)

/**
 * The size of a JPEG, read segment by segment like a decoder. image-size mistakes padding for a marker, so a picture can hide its size
 * from it. It also searches invalid data byte by byte: 8 MB of junk would block the service for a second.
 */
function jpegSize(bytes: Uint8Array): Size {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  for (let at = 2; at + 9 <= bytes.byteLength && bytes[at] === 0xff;) {
    const marker = bytes[at + 1]!
    if (isFrame(marker)) return { height: view.getUint16(at + 5), width: view.getUint16(at + 7) }
    // Any number of 0xff may precede a marker; every other segment states its length.
    at += marker === 0xff ? 1 : 2 + view.getUint16(at + 2)
  }
  return noSize
}

const mediaType = (context: Context): string =>
  (context.req.header('content-type') ?? '').split(';', 1)[0]!.trim().toLowerCase()

/** Whether a request is a form with files. */
export const isForm = (context: Context): boolean => mediaType(context) === 'multipart/form-data'

const tooLarge = ({ field, bytes }: Upload) => new Refusal(413, `${field}: is larger than ${bytes} bytes`)

/** Reads a picture. Detects its type from the content; the declared type is not trusted (§4, PUT /me/avatar). */
async function pictureIn(bytes: Uint8Array, { field, types }: Upload): Promise<Picture> {
  const allowed = types.map((type) => type.replace('image/', '').toUpperCase()).join(', ')
  if (bytes.byteLength === 0) throw new Refusal(400, `${field}: is empty; send an image (${allowed})`)
  // Loaded on first use, for a fast startup: most runs of the service handle no pictures.
  const { fileTypeFromBuffer } = await import('file-type')
  // If file-type throws, the file is not a valid picture.
  const found = await fileTypeFromBuffer(bytes).catch(() => undefined)
  // An animated PNG is a PNG.
  const type = found?.mime === 'image/apng' ? 'image/png' : found?.mime
  if (type === undefined || !types.includes(type)) {
    throw new Refusal(400, `${field}: must be an image (${allowed}); the content is ${type ?? 'something else'}`)
  }
  await checkDimensions(bytes, type, field)
  return { type, bytes }
}

/** Refuses pictures with huge dimensions in a small file: displaying one takes memory for every pixel. */
async function checkDimensions(bytes: Uint8Array, type: string, field: string): Promise<void> {
  const { width, height } = type === 'image/jpeg' ? jpegSize(bytes) : await headerSize(bytes)
  if (width < 1 || height < 1) {
    throw new Refusal(400, `${field}: the header of the image is invalid; save the image again and retry`)
  }
  if (width <= MAX_SIDE && height <= MAX_SIDE && width * height <= MAX_PIXELS) return
  throw new Refusal(
    400,
    `${field}: is ${width} × ${height} pixels; the maximum is ${MAX_SIDE} × ${MAX_SIDE} and ${MAX_PIXELS / 1e6} megapixels`,
  )
}

/** The picture of an upload: raw bytes with their Content-Type, or the file of a form (§4, PUT /me/avatar). */
export async function readPicture(context: Context, upload: Upload): Promise<Picture> {
  if (isForm(context)) {
    const { file } = await readForm(context, upload)
    if (!file) throw new Refusal(400, `${upload.field}: is required (file)`)
    return file
  }
  const declared = mediaType(context)
  if (!upload.types.includes(declared)) {
    throw new Refusal(
      400,
      `Content-Type: must be ${upload.types.join(', ')} or multipart/form-data${declared === '' ? '' : `, not ${declared}`}`,
    )
  }
  return pictureIn(await readStream(context, upload.bytes, () => tooLarge(upload)), upload)
}

/** A text of a form as it was before its encoding, which writes each line break as two characters. */
export const formText = (value: string): string => value.replaceAll('\r\n', '\n')

/** Reads a form: its text fields by name, and the picture if there is one. */
export async function readForm(
  context: Context,
  upload: Upload,
): Promise<{ fields: Record<string, string>; file: Picture | undefined }> {
  const bytes = await readStream(context, upload.bytes + FORM_BYTES, () => tooLarge(upload))
  const form = await new Response(bytes, { headers: { 'content-type': context.req.header('content-type')! } })
    .formData()
    .catch(() => {
      throw new Refusal(400, 'the body is not a valid form: its boundary or its parts are invalid')
    })
  const fields: Record<string, string> = {}
  const files: Blob[] = []
  for (const [name, value] of form) {
    if (name === upload.field) {
      if (typeof value === 'string') throw new Refusal(400, `${name}: must be a file, with a filename`)
      files.push(value)
    } else if (typeof value === 'string') fields[name] = formText(value)
  }
  checkTexts(fields)
  const [file, second] = files
  if (second) throw new Refusal(400, `${upload.field}: must be one file`)
  if (!file) return { fields, file: undefined }
  if (file.size > upload.bytes) throw tooLarge(upload)
  return { fields, file: await pictureIn(new Uint8Array(await file.arrayBuffer()), upload) }
}
