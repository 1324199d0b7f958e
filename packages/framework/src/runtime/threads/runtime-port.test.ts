import { expect, test } from 'vitest'
import type { MadeCall } from '../ports/observer.ts'
import { type DispatcherOptions, loadRequest } from './dispatcher.ts'
import { runtimePort } from './runtime-port.ts'

const noSignal = { signal: undefined }

/** The port of a runtime whose calls the test answers, and everything that it passes on. */
function rig({ recorded = true, observed = true, answer = async () => 'answer' } = {}) {
  const seen: unknown[] = []
  const called: MadeCall[] = []
  const note =
    (name: string) =>
    (...args: unknown[]) =>
      void seen.push([name, ...args])
  type Hooks = { waiting?: () => void; leaving?: () => void }
  const given: (Hooks & Record<string, unknown>)[] = []
  const call = async (name: string, input: unknown, options: Hooks & Record<string, unknown>) => {
    seen.push([name, input])
    given.push(options)
    return answer()
  }
  const recorder = { called: (one: MadeCall) => called.push(one), continued: note('continued'), steps: note('steps') }
  const store = { get: note('get') }
  const outbox = { broadcasts: { start: note('start') }, budget: note('budget') }
  const options = {
    services: { call, store, outbox },
    log: Object.fromEntries(['debug', 'info', 'warn', 'error'].map((level) => [level, note(level)])),
    observer: { ...(recorded && recorder), ...(observed && { outcome: note('outcome') }) },
  } as unknown as DispatcherOptions
  const port = runtimePort(options, {
    onWaits: note('waits'),
    onConversation: note('conversation'),
    onDeadLetter: note('deadLetter'),
    onBegins: note('begins'),
  })
  return { port, seen, called, given, store, outbox }
}

test('serves the store, broadcasts and the budget of the runtime', () => {
  const { port, store, outbox } = rig()
  expect(port.store).toBe(store)
  expect(port.broadcasts).toBe(outbox.broadcasts)
  expect(port.outbox).toBe(outbox)
})

test('passes on what the code reports', () => {
  const { port, seen } = rig()
  const { reports } = port
  const event = { id: 5 } as never
  reports.log('warn', { a: 1 }, 'text')
  reports.outcome({ eventId: 5 } as never)
  reports.continued(event, 7)
  reports.steps([] as never)
  reports.waits('key', true)
  reports.conversation(5, false)
  reports.deadLetter(event, 'why', 'file')
  reports.begins('at', 'close')
  expect(seen).toEqual([
    ['warn', { a: 1 }, 'text'],
    ['outcome', { eventId: 5 }],
    ['continued', event, 7],
    ['steps', []],
    ['waits', 'key', true],
    ['conversation', 5, false],
    ['deadLetter', event, 'why', 'file'],
    ['begins', 'at', 'close'],
  ])
})

test('ignores reports that have no listener', () => {
  const { port, seen } = rig({ recorded: false, observed: false })
  port.reports.outcome({} as never)
  port.reports.continued({} as never, 7)
  port.reports.steps({} as never)
  expect(seen).toEqual([])
})

test('makes a call with its options, and does not record one outside of handlers', async () => {
  const t = rig()
  expect(await t.port.client.call('me.get', { a: 1 }, { ...noSignal, priority: 'reply' })).toBe('answer')
  expect(t.seen).toEqual([['me.get', { a: 1 }]])
  expect(t.given).toEqual([{ ...noSignal, priority: 'reply' }])
  expect(t.called).toEqual([])
  const other = rig({ recorded: false })
  expect(await other.port.client.call('me.get', {}, { ...noSignal, eventId: 5, timeoutMs: 1 })).toBe('answer')
  expect(other.given).toEqual([{ ...noSignal, eventId: 5, timeoutMs: 1 }])
})

test('records a call of a handler with its result', async () => {
  const startedMs = Date.now()
  const t = rig()
  expect(await t.port.client.call('me.get', { a: 1 }, { ...noSignal, eventId: 5, priority: 'reply' })).toBe('answer')
  expect(t.given).toEqual([
    { ...noSignal, eventId: 5, priority: 'reply', waiting: expect.any(Function), leaving: expect.any(Function) },
  ])
  expect(t.called).toEqual([
    {
      ...{ eventId: 5, name: 'me.get', input: { a: 1 }, value: 'answer' },
      ...{ atMs: expect.any(Number), ms: expect.any(Number), budgetMs: 0, attempts: 0 },
    },
  ])
  const [{ atMs, ms }] = t.called as [MadeCall]
  expect(atMs).toBeGreaterThanOrEqual(startedMs - 1)
  expect(ms).toBeGreaterThanOrEqual(0)
  expect(ms).toBeLessThan(atMs)
})

test('records a call that fails, and passes on its error', async () => {
  const error = new Error('refused')
  const t = rig({ answer: () => Promise.reject(error) })
  await expect(t.port.client.call('me.get', {}, { ...noSignal, eventId: 5 })).rejects.toBe(error)
  expect(t.called).toMatchObject([{ eventId: 5, name: 'me.get', input: {}, error, budgetMs: 0, attempts: 0 }])
  expect(t.called[0]).not.toHaveProperty('value')
})

test('records the attempts of a call, and how long it waited for the budget before the first', async () => {
  let respond!: () => void
  const answered = new Promise<string>((resolve) => (respond = () => resolve('answer')))
  const t = rig({ answer: () => answered })
  const made = t.port.client.call('messages.create', {}, { ...noSignal, eventId: 5 })
  const { waiting, leaving } = t.given[0]!
  waiting!()
  await new Promise((resolve) => setImmediate(resolve))
  leaving!()
  leaving!()
  respond()
  await made
  const [{ attempts, budgetMs, ms }] = t.called as [MadeCall]
  expect(attempts).toBe(2)
  expect(budgetMs).toBeGreaterThan(0)
  expect(budgetMs).toBeLessThanOrEqual(ms)
})

test('calls are observed by a feature that sees no other steps', () => {
  const options = { config: { store: undefined }, me: {}, observer: { called() {} } } as unknown as DispatcherOptions
  expect(loadRequest({} as never, options)).toMatchObject({ record: true, observed: false })
})
