import { systemClock } from '@botwright/clock'
import { expect, test } from 'vitest'
import { MemoryStore } from '../../author/state/memory-store.ts'
import { type Server, switchOff, switchOn } from './change.ts'
import { readOff } from './switch-store.ts'

const workshop: Server = { id: 's1', name: 'Workshop' }

/** A store in which these are off, in this order. */
async function storeWith(...off: readonly (readonly [name: string, server?: Server])[]) {
  const store = new MemoryStore(systemClock)
  for (const [name, server] of off) await switchOff(store, { name, server, sinceMs: 0 })
  const left = async () => (await readOff(store)).map((one) => [one.name, one.server?.name])
  return { store, left }
}

test('a subcommand that is off by itself and with its command is not switched on before the command', async () => {
  const { store, left } = await storeWith(['/team add'], ['/team'])
  await expect(switchOn(store, '/team add')).rejects.toThrow('/team add is off because of /team: switch that on')
  expect(await left()).toHaveLength(2)
  await switchOn(store, '/team')
  expect(await switchOn(store, '/team add')).toMatchObject([{ name: '/team add' }])
  expect(await left()).toEqual([])
})

test('a command that is off everywhere is not switched on in a server in which it was off before', async () => {
  const { store } = await storeWith(['/roll', workshop], ['/roll'])
  await expect(switchOn(store, '/roll', workshop)).rejects.toThrow(
    '/roll is off in Workshop because of /roll: switch that on',
  )
  expect(await switchOn(store, '/roll')).toHaveLength(2)
})

test('a subcommand is switched on although its command is off in one server', async () => {
  const { store, left } = await storeWith(['/team', workshop], ['/team add'])
  expect(await switchOn(store, '/team add')).toHaveLength(1)
  expect(await left()).toEqual([['/team', 'Workshop']])
  await expect(switchOn(store, '/team add')).rejects.toThrow(
    '/team add is off because of /team in Workshop: switch that on',
  )
})
