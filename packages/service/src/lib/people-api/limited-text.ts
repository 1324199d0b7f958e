/** More than the service ever sends: a page of messages with embeds of the largest size. */
const MOST_BYTES = 32 * 1024 * 1024

/** The text of a response. Rejects, and ends the response, once it is longer than `most` bytes. */
export async function limitedText(response: Response, most = MOST_BYTES): Promise<string> {
  const reader = response.body?.getReader() as ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>> | undefined
  const decoder = new TextDecoder()
  let text = ''
  let size = 0
  for (;;) {
    const chunk = await reader?.read()
    if (!chunk || chunk.done) return text + decoder.decode()
    size += chunk.value.length
    if (size > most) {
      await reader?.cancel()
      throw new Error(`the response is longer than ${most} bytes`)
    }
    text += decoder.decode(chunk.value, { stream: true })
  }
}
