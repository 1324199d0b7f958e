import type { StreamEvent, StreamEventType } from '../people-api/stream-events.ts'
import type { startTest } from './driver.test.fixture.ts'

export interface Received {
  type: StreamEventType
  data: StreamEvent & Record<string, unknown>
}

const LIMIT_MS = 60_000

/** Rejects after 60 s with what was awaited. */
export async function withLimit<T>(promise: Promise<T>, awaited: () => string): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`not received after ${LIMIT_MS / 1000} s: ${awaited()}`)), LIMIT_MS)
  })
  return Promise.race([promise, limit]).finally(() => clearTimeout(timer))
}

/** A page that listens to the stream like a browser. For this package's own tests. */
export async function openPage(chat: Awaited<ReturnType<typeof startTest>>, name: string) {
  const token = chat.service.world.people[name]!.token
  const gone = new AbortController()
  const answer = await fetch(`${chat.service.url}/people/v1/stream?token=${token}`, { signal: gone.signal })
  const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  const more = async (awaited: string) => {
    const { value, done } = await withLimit(reader.read(), () => `${awaited} in the stream; so far: ${text}`)
    if (done) throw new Error(`the stream ended; so far: ${text}`)
    text += value
  }
  while (!text.includes('listening')) await more('listening')
  const received: Received[] = []
  const take = () => {
    const end = text.lastIndexOf('\n\n')
    for (const [, type, data] of text.slice(0, end).matchAll(/^event: (.*)\ndata: (.*)$/gm)) {
      received.push({ type: type as StreamEventType, data: JSON.parse(data!) as Received['data'] })
    }
    text = text.slice(end)
  }
  return {
    received,
    /**
     * Returns all events of the page since the last call. A presence event serves as the end marker: it arrives after all
     * earlier events, on every page that shares a server with the bot.
     */
    async news(): Promise<Received[]> {
      const mark = `mark ${received.length} ${Math.random()}`
      await chat.bot('PUT', '/me/status', { status: 'online', activity: mark })
      while (!text.includes(mark)) await more(mark)
      take()
      return received.splice(0).filter(({ type }) => type !== 'presence')
    },
    async until(type: StreamEventType): Promise<Received> {
      for (;;) {
        take()
        const found = received.findIndex((each) => each.type === type)
        if (found !== -1) return received.splice(found, 1)[0]!
        await more(type)
      }
    },
    close: () => gone.abort(),
  }
}
