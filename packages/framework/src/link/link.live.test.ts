import { Worker } from 'node:worker_threads'
import { BotwrightError } from '@botwright/protocol/facts'
import { ServiceError } from '@botwright/rest'
import { expect, test } from 'vitest'
import { type Frame, Link } from './link.ts'
import { linkPair } from './link-pair.test.fixture.ts'

interface Echo {
  readonly echo: {
    say(text: string): string
    later(text: string): Promise<string>
    fail(error: 'service' | 'own' | 'plain' | 'text'): Promise<void>
    give(what: 'function'): unknown
    take(value: unknown): void
    wait(options: { signal: AbortSignal | undefined; label?: string }): Promise<string>
  }
}

const notes: string[] = []
let aborted: Promise<unknown> | undefined

const echo: Echo['echo'] = {
  say: (text) => text,
  later: async (text) => text,
  async fail(error) {
    if (error === 'text') throw 'only a text' as unknown as Error
    if (error === 'plain') throw Object.assign(new TypeError('broken'), { code: 'EPIPE' })
    if (error === 'own') throw new BotwrightError('ERR_STATE', 'the disk is full')
    throw new ServiceError('ERR_REFUSED', 'no', { status: 403, endpoint: 'messages.create' })
  },
  give: () => () => {},
  take: (value) => void notes.push(String(value)),
  wait: ({ signal, label }) =>
    new Promise((_resolve, reject) => {
      notes.push(label ?? '')
      aborted = new Promise((resolve) => signal!.addEventListener('abort', () => resolve(signal!.reason)))
      signal!.addEventListener('abort', () => reject(signal!.reason as Error))
    }),
}

const pair = () => linkPair<object, Echo>({}, { echo })

test('resolves a request with the return value of a synchronous or asynchronous method', async () => {
  using both = pair()
  expect(await both.a.request.echo.say('now')).toBe('now')
  expect(await both.a.request.echo.later('soon')).toBe('soon')
})

test('sends requests in both directions', async () => {
  using both = linkPair<Echo, Echo>({ echo }, { echo: { ...echo, say: (text) => text.toUpperCase() } })
  expect(await Promise.all([both.a.request.echo.say('x'), both.b.request.echo.say('x')])).toEqual(['X', 'x'])
})

test('an error keeps its class, code and fields', async () => {
  using both = pair()
  const errorOf = (kind: Parameters<typeof echo.fail>[0]) =>
    both.a.request.echo.fail(kind).then(
      () => expect.unreachable(),
      (error: unknown) => error,
    )
  const service = await errorOf('service')
  expect(service).toBeInstanceOf(ServiceError)
  expect(service).toMatchObject({ code: 'ERR_REFUSED', status: 403, endpoint: 'messages.create' })
  const own = await errorOf('own')
  expect(own).toBeInstanceOf(BotwrightError)
  expect(own).not.toBeInstanceOf(ServiceError)
  expect(own).toMatchObject({ code: 'ERR_STATE', message: 'the disk is full' })
  expect(await errorOf('plain')).toMatchObject({ name: 'TypeError', message: 'broken', code: 'EPIPE' })
  expect(await errorOf('text')).toMatchObject({ message: 'only a text' })
})

test('a method that throws synchronously rejects the request', async () => {
  using both = linkPair<object, Echo>(
    {},
    {
      echo: {
        ...echo,
        say: () => {
          throw new Error('thrown at once')
        },
      },
    },
  )
  await expect(both.a.request.echo.say('x')).rejects.toThrow('thrown at once')
})

test('sends all frames of one turn in one message, in both directions', async () => {
  using both = pair()
  both.a.notify.echo.take(0)
  await Promise.all(Array.from({ length: 50 }, (_, i) => both.a.request.echo.later(`${i}`)))
  expect(both.messages.a.map((frames) => frames.length)).toEqual([51])
  expect(both.messages.b.map((frames) => frames.length)).toEqual([50])
})

test('flush sends immediately, in order and only once', async () => {
  using both = pair()
  notes.length = 0
  both.a.notify.echo.take('first')
  both.a.notify.echo.take('second')
  both.a.flush()
  expect(both.messages.a).toHaveLength(1)
  await both.a.request.echo.say('x')
  expect(notes).toEqual(['first', 'second'])
  expect(both.messages.a).toHaveLength(2)
})

test('sends responses before it handles the next message', async () => {
  const order: string[] = []
  using both = linkPair<object, Echo>(
    {},
    {
      echo: {
        ...echo,
        async later(text) {
          for (let i = 0; i < 10; i++) await Promise.resolve()
          return text
        },
        take: () => void order.push(`answers sent before: ${both.messages.b.length}`),
      },
    },
  )
  const asked = both.a.request.echo.later('x')
  both.a.flush()
  both.a.notify.echo.take('blocks')
  both.a.flush()
  await asked
  await expect.poll(() => order).toEqual(['answers sent before: 1'])
})

test('an abort rejects with its reason and aborts the signal of the other end', async () => {
  using both = pair()
  notes.length = 0
  const abort = new AbortController()
  const asked = both.a.request.echo.wait({ signal: abort.signal, label: 'other options arrive' })
  await expect.poll(() => notes).toEqual(['other options arrive'])
  expect(both.b.serving).toEqual(['echo'])
  abort.abort(new Error('not needed any more'))
  await expect(asked).rejects.toThrow('not needed any more')
  expect(await aborted).toMatchObject({ message: 'the other side aborted this request' })
  await expect.poll(() => both.served).toEqual(['b'])
  expect(both.b.serving).toEqual([])
})

test('one signal may be that of many requests, without a warning of Node', async () => {
  using both = pair()
  const warnings: Error[] = []
  const note = (warning: Error) => void warnings.push(warning)
  process.on('warning', note)
  const abort = new AbortController()
  const asked = Array.from({ length: 20 }, () => both.a.request.echo.wait({ signal: abort.signal }))
  const ended = Promise.allSettled(asked)
  await both.a.request.echo.say('x')
  abort.abort(new Error('over'))
  expect((await ended).every(({ status }) => status === 'rejected')).toBe(true)
  process.off('warning', note)
  expect(warnings).toEqual([])
})

test('does not send a request whose signal has already aborted', async () => {
  using both = pair()
  const signal = AbortSignal.abort(new Error('too late'))
  await expect(both.a.request.echo.wait({ signal })).rejects.toThrow('too late')
  await both.a.request.echo.say('x')
  expect(both.messages.a.flat()).toHaveLength(1)
})

test('a value that cannot be cloned fails only its own request', async () => {
  using both = pair()
  notes.length = 0
  const others = [both.a.request.echo.say('before'), both.a.request.echo.take('sent')]
  await expect(both.a.request.echo.take(() => {})).rejects.toThrow(/could not be cloned/)
  expect(await Promise.all([...others, both.a.request.echo.say('after')])).toEqual(['before', undefined, 'after'])
  expect(notes).toEqual(['sent'])
})

test('a result that cannot be cloned rejects the request', async () => {
  using both = pair()
  const other = both.a.request.echo.say('x')
  await expect(both.a.request.echo.give('function')).rejects.toThrow(/could not be cloned/)
  expect(await other).toBe('x')
})

test('a notification that cannot be cloned throws when it is flushed', () => {
  using both = pair()
  both.a.notify.echo.take(() => {})
  expect(() => both.a.flush()).toThrow(/could not be cloned/)
})

test('a notification that cannot be cloned stops neither those after it nor a response', async () => {
  using both = pair()
  notes.length = 0
  both.a.notify.echo.take('before')
  both.a.notify.echo.take(() => {})
  both.a.notify.echo.take('after')
  const asked = both.a.request.echo.say('x')
  expect(() => both.a.flush()).toThrow(/could not be cloned/)
  await expect.poll(() => notes).toEqual(['before', 'after'])
  expect(await asked).toBe('x')
})

test('closing ends requests in both directions and stops all messages', async () => {
  using both = pair()
  notes.length = 0
  const open = both.a.request.echo.wait({ signal: undefined, label: 'open' })
  await expect.poll(() => notes).toEqual(['open'])
  both.b.close(new Error('the thread has ended'))
  expect(await aborted).toMatchObject({ message: 'the thread has ended' })
  both.a.close(new Error('gone'))
  await expect(open).rejects.toThrow('gone')
  await expect(both.a.request.echo.say('x')).rejects.toThrow('gone')
  both.a.notify.echo.take('after the end')
  both.a.flush()
  both.b.receive([['notify', 'echo', 'take', ['from the other side']]])
  expect(notes).toEqual(['open'])
})

test('rejects open requests when the thread exits', async () => {
  const worker = new Worker(
    `const { parentPort } = require('node:worker_threads')
     parentPort.on('message', (frames) => {
       for (const [kind, id, service, method] of frames)
         if (method === 'say') parentPort.postMessage([['response', id, 'from the thread']])
         else process.exit(7)
     })`,
    { eval: true },
  )
  const link = new Link<object, Echo>({ local: {}, post: (frames) => worker.postMessage(frames) })
  worker.on('message', (frames: readonly Frame[]) => link.receive(frames))
  worker.on('exit', (code) => link.close(new Error(`the thread ended with code ${code}`)))
  expect(await link.request.echo.say('x')).toBe('from the thread')
  const open = [link.request.echo.later('a'), link.request.echo.wait({ signal: undefined })]
  for (const one of open) await expect(one).rejects.toThrow('the thread ended with code 7')
})

test('two ends in one thread pass each request on at once', async () => {
  const ends: { a?: Link<object, Echo>; b?: Link<Echo, object> } = {}
  const a = (ends.a = new Link<object, Echo>({
    local: {},
    sameThread: true,
    post: (frames) => ends.b!.receive(frames),
  }))
  const b = (ends.b = new Link<Echo, object>({
    local: { echo },
    sameThread: true,
    post: (frames) => ends.a!.receive(frames),
  }))
  a.notify.echo.take('told at once')
  expect(notes).toContain('told at once')
  expect(await a.request.echo.say('now')).toBe('now')
  await expect(a.request.echo.fail('own')).rejects.toMatchObject({ code: 'ERR_STATE' })
  const abort = new AbortController()
  const waiting = a.request.echo.wait({ signal: abort.signal, label: 'same thread' })
  expect(notes).toContain('same thread')
  abort.abort(new Error('enough'))
  await expect(waiting).rejects.toThrow('enough')
  const open = a.request.echo.wait({ signal: undefined })
  for (const end of [a, b]) end.close(new Error('closed'))
  await expect(open).rejects.toThrow('closed')
  await expect(aborted).resolves.toMatchObject({ message: 'closed' })
})
