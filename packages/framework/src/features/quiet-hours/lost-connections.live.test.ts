import { AdvanceableClock, systemClock } from '@botwright/clock'
import { type Connect, Transport, TransportFailure } from '@botwright/rest/transport'
import { expect, test } from 'vitest'
import { MemoryStore } from '../../author/state/memory-store.ts'
import { ChatRig } from '../../tests/chat-rig.test.fixture.ts'
import { newHeldId } from './held-messages.ts'
import { heldPrefix } from './held-prefix.ts'
import { quietNow } from './quiet-now.test.fixture.ts'

test('a held message is not lost if the service is unreachable and the store fails at the same time', async () => {
  await using rig = await ChatRig.start()
  const clock = new AdvanceableClock(systemClock)
  const store = new MemoryStore(clock)
  const message = { channel_id: rig.channel('general'), content: 'tea' }
  const row = { state: 'waiting', message, server_id: 'x', heldMs: clock.now() }
  await store.set(heldPrefix + newHeldId(clock.now()), row)
  let isAway = true
  const connect: Connect = (origin, options) => {
    const real = new Transport(origin, options)
    return {
      close: () => real.close(),
      destroy: () => real.destroy(),
      send: (sending) =>
        isAway && sending.method === 'POST'
          ? Promise.reject(new TransportFailure('not_sent', false, 'no connection'))
          : real.send(sending),
    }
  }
  const set = store.set.bind(store)
  let sending = false
  let failures = 0
  store.set = async (key, value, options) => {
    const { state } = value as { state?: string }
    if (isAway && sending && state === 'running') {
      isAway = false
      failures++
      throw new Error('disk full')
    }
    sending ||= state === 'sending'
    return set(key, value, options)
  }
  await rig.startBot({}, { clock, connect, config: { store: () => store, quietHours: {} } })
  await rig.until(() => failures === 1)
  await rig.until(async () => {
    clock.advance(30_000)
    return (await rig.texts()).includes('tea')
  })
  expect(rig.logged('error')).toEqual([])
})

test('a field without a value leaves that part of a held message as it is', async () => {
  await using rig = await ChatRig.start()
  const clock = new AdvanceableClock(systemClock)
  const files = {
    'commands/tea.ts': `export default async (ctx) => {
      const held = await ctx.send(ctx.channel_id, 'tea')
      await ctx.edit(held, { content: undefined, embeds: [{ title: 'Green' }] })
      return 'done'
    }`,
  }
  await rig.startBot(files, { clock, config: { quietHours: quietNow } })
  await rig.says('ann', '/tea')
  await rig.until(async () => (await rig.texts()).includes('done'))
  clock.advance(3 * 60 * 60_000)
  await rig.until(async () => (await rig.texts()).includes('tea'))
})
