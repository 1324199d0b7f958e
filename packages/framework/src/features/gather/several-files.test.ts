import { VirtualClock } from '@botwright/clock'
import type { Delivery } from '@botwright/events'
import { expect, test } from 'vitest'
import { MemoryStore } from '../../author/state/memory-store.ts'
import { message, start } from '../../tests/loaded-bot.test.fixture.ts'

const gathers = (name: string) => `import { event } from 'botwright'
export default event('message', { gather: { quiet: '1s', max: '2s' }, run: () => '${name}' })`

/** A bot that notes which files gather. */
async function rig(files: Record<string, string>) {
  const reported: string[] = []
  const store = new MemoryStore(new VirtualClock())
  const host = { store, gathers: (_event: unknown, file: string) => void reported.push(file) }
  const { bot, calls } = await start(files, {}, host)
  /** The answers to an event, then the files that gather it. */
  const given = async (delivery: Delivery) => {
    calls.length = reported.length = 0
    await bot.handle(delivery)
    const answers = calls.flatMap(([name, { content }]) => (name === 'messages.create' ? [content] : []))
    return [...answers, ...reported]
  }
  return given
}

const ended = (delivery: Delivery, file: string): Delivery => ({
  ...delivery,
  burst: { file, events: [delivery.event] },
})

test('a file that has handled a burst does not gather its events again for another file', async () => {
  const [slow, fast] = ['events/message/slow.ts', 'events/message/fast.ts']
  const given = await rig({
    [slow]: gathers('slow'),
    [fast]: gathers('fast'),
    'events/message/at-once.ts': "export default () => 'at once'",
  })
  const one = { ...message({ content: 'one' }), gathers: true } as const
  expect(await given(one)).toEqual(['at once', fast, slow])
  expect(await given(ended(one, fast))).toEqual(['fast'])
  expect(await given({ ...one, attempt: 2 })).toEqual([slow])
})

test('the files that have ended stay known until the burst of the event has ended', async () => {
  const gathering = 'events/message/gathers.ts'
  const given = await rig({
    [gathering]: gathers('all'),
    'events/message/at-once.ts': "export default () => 'at once'",
  })
  const all = Array.from({ length: 200 }, (_, i) => ({ ...message({ content: String(i) }), gathers: true }) as const)
  for (const one of all) expect(await given(one)).toEqual(['at once', gathering])
  for (const one of all.slice(0, 2)) expect(await given({ ...one, attempt: 2 })).toEqual([gathering])
})
