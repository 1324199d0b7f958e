/**
 * Whether headers show that a body is not longer than `most` bytes, so that it can be read at once. HTTP servers and clients refuse a body that
 * does not keep to its `Content-Length`; of a compressed one, they pass on more bytes.
 */
export function isAtMost(headers: Headers, most: number): boolean {
  const length = headers.get('content-length') ?? ''
  return /^\d+$/.test(length) && Number(length) <= most && !headers.has('content-encoding')
}
