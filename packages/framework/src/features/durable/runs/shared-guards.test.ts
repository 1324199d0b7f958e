import { VirtualClock } from '@botwright/clock'
import type { Call } from '@botwright/rest'
import { expect, test } from 'vitest'
import { MemoryStore } from '../../../author/state/memory-store.ts'
import { id, message, start } from '../../../tests/loaded-bot.test.fixture.ts'

// Guards of durable handlers share the limit of refusals and the caches of the bot.

const code = (guard: string, options: string) =>
  `import { command, cooldown, guard, hasRole } from 'botwright'
  export default command({ description: 'x', ${options} guards: [${guard}], run: () => 'ok' })`

/** Calls a command ten times. Returns the names of the calls, and the reads of the store. */
async function tenTimes(guard: string, options: string) {
  const clock = new VirtualClock()
  const calls: string[] = []
  const store = new MemoryStore(clock)
  const reads: string[] = []
  const { get } = store
  store.get = (key) => (reads.push(key), get.call(store, key))
  const call = (async (name: string, input: Record<string, unknown>) => {
    calls.push(name)
    if (name === 'servers.roles') return { roles: [{ id: id(70), name: 'Manager', position: 1 }] }
    if (name === 'members.get') return { member: { roles: [] } }
    return {
      id: id(500 + calls.length),
      channel_id: input['channel_id'],
      content: 'x',
      created_at: '2026-01-01T00:00:00Z',
    }
  }) as unknown as Call
  const { bot, logged } = await start({ 'commands/go.ts': code(guard, options) }, {}, { call, clock, store })
  for (let i = 0; i < 10; i++) await bot.handle(message({ command: 'go', created_at: '2026-01-01T00:00:01Z' }))
  expect(logged).toEqual([])
  const count = (name: string) => calls.filter((one) => one === name).length
  return {
    messages: count('messages.create'),
    roles: count('servers.roles'),
    members: count('members.get'),
    cooldowns: reads.filter((key) => key.startsWith('cooldown:')).length,
  }
}

test.each([
  ["hasRole('Manager')"],
  ["guard({ describe: 'x', check: () => false, refusal: 'No.' })"],
  ["cooldown('1h')"],
  ["hasRole('Manager'), cooldown('1h')"],
])('%s costs a durable command as much as any other', async (guard) => {
  const plain = await tenTimes(guard, '')
  expect(plain.messages).toBeLessThanOrEqual(5)
  expect(await tenTimes(guard, 'durable: true,')).toEqual(plain)
})
