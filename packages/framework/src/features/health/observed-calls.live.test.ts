import { systemClock } from '@botwright/clock'
import { expect, test } from 'vitest'
import type { Log } from '../../author/ports.ts'
import { readConfig } from '../../runtime/config/read-config.ts'
import { Cleanup } from '../../runtime/instance/cleanup.ts'
import type { StartBotOptions } from '../../runtime/ports/running-bot.ts'
import { healthOf } from './health.ts'

test.each([
  ['a health port alone', false, undefined],
  ['a control room', true, 'a-control-token-for-tests'],
])('with %s, calls are observed: %j', async (_, isObserved, controlToken) => {
  const config = await readConfig({ health: { port: 0, control: { actions: false } } })
  const log: Log = { debug() {}, info() {}, warn() {}, error() {} }
  const cleanup = new Cleanup(log)
  const options = { config, controlToken, log, token: 'a-token', io: { env: {} } } as unknown as StartBotOptions
  try {
    const observer = await healthOf(options, systemClock, cleanup)
    expect(observer.called !== undefined).toBe(isObserved)
  } finally {
    await cleanup.run()
  }
})
