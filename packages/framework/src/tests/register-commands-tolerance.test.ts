import { BotwrightError } from '@botwright/protocol/facts'
import type { Call } from '@botwright/rest'
import { expect, test } from 'vitest'
import type { Log } from '../author/ports.ts'
import { registerCommands } from '../runtime/start/register-commands.ts'

const ping = { name: 'ping', description: 'Answers' }

/** Registers `ping` at a service with this response to GET /commands; returns the requests. */
async function registeredAfter(answer: unknown): Promise<unknown[]> {
  const sent: unknown[] = []
  const call = ((name: string, input: unknown) => {
    if (name === 'commands.replace') sent.push(input)
    return Promise.resolve(name === 'commands.list' ? answer : { ok: true })
  }) as unknown as Call
  const silent = () => {}
  const log: Log = { debug: silent, info: silent, warn: silent, error: silent }
  await registerCommands({ call, commands: [ping], log })
  return sent
}

test.each([
  ['no list', {}],
  ['a list that is none', { commands: { ping } }],
  ['null for the list', { commands: null }],
  ['things in the list that are no commands', { commands: [null, 7, 'ping', {}] }],
])('registers all commands if GET /commands responds with %s', async (_what, answer) => {
  expect(await registeredAfter(answer)).toEqual([{ commands: [ping] }])
})

test('ignores unknown fields of a registered command', async () => {
  expect(await registeredAfter({ commands: [{ ...ping, id: 'x', uses: 3 }], more: true })).toEqual([])
})

test('logs a failed GET /commands and continues without registering', async () => {
  const refused = new BotwrightError('ERR_REFUSED', 'GET /commands: 403 not allowed')
  const call = (() => Promise.reject(refused)) as unknown as Call
  const errors: string[] = []
  const log = { error: (_facts: object, text: string) => void errors.push(text) } as Log
  expect(await registerCommands({ call, commands: [ping], log })).toMatchObject({ done: false })
  expect(errors).toEqual(['the commands could not be registered: GET /commands: 403 not allowed'])
})

test.each(['ERR_UNAUTHORIZED', 'ERR_ABORTED'] as const)(
  '%s ends the registration, whichever call failed',
  async (code) => {
    const call = (() => Promise.reject(new BotwrightError(code, 'no'))) as unknown as Call
    await expect(registerCommands({ call, commands: [ping], log: {} as Log })).rejects.toMatchObject({ code })
  },
)
