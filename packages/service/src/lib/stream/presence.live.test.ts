import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { VirtualClock } from '@botwright/clock'
import { openDatabase } from '@botwright/sqlite'
import { expect, it, vi } from 'vitest'
import { startOn } from '../start/start-service.ts'
import { startTest, testWorld } from '../test-tools/driver.test.fixture.ts'
import { checkWorld } from '../world/world.ts'

it('a bot between two polls stays online with its activity when the clock is moved', async () => {
  await using chat = await startTest({ controls: true })
  const presence = async () => {
    const { bots } = (await chat.person('ann', 'GET', '/bots')).body as { bots: { id: string; presence: object }[] }
    return bots.find(({ id }) => id === chat.botId)?.presence
  }
  const shown = { status: 'dnd', activity: 'counting' }
  expect((await chat.bot('PUT', '/me/status', shown)).status).toBe(200)
  expect((await chat.call('POST', '/controls/v1/clock', { body: { advance_seconds: 3600 } })).status).toBe(200)
  await chat.events()
  expect(await presence()).toEqual(shown)
})

it('a person whose page closes while another program locks the data file leaves voice afterwards', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'botwright-presence-'))
  const file = join(folder, 'chat.db')
  const db = openDatabase(file, { busyTimeoutMs: 20 })
  const clock = new VirtualClock()
  try {
    await using service = await startOn(db, { port: 0, clock }, checkWorld(testWorld()))
    const { id, channels } = service.world.servers['Workshop']!
    const call = async (name: string, method: string, path: string) => {
      const answer = await fetch(`${service.url}/people/v1${path}`, {
        method,
        headers: {
          authorization: `Person ${service.world.people[name]!.token}`,
        },
      })
      return { status: answer.status, body: (await answer.json()) as { voice: { user_ids: string[] }[] } }
    }
    const seats = async () => (await call('ann', 'GET', `/servers/${id}`)).body.voice[0]!.user_ids
    const page = await fetch(`${service.url}/people/v1/stream?token=${service.world.people['bob']!.token}`)
    expect((await call('bob', 'PUT', `/channels/${channels['Lounge']!}/voice`)).status).toBe(200)
    using other = openDatabase(file)
    other.exec('BEGIN IMMEDIATE')
    const failures = vi.spyOn(console, 'error').mockImplementation(() => {})
    await page.body!.cancel()
    const left = async () => {
      await clock.advance(10_000)
      return failures.mock.calls.flat().join().includes('still in voice')
    }
    await expect.poll(left).toBe(true)
    expect(await seats()).toEqual([service.world.people['bob']!.id])
    other.exec('ROLLBACK')
    await clock.advance(10_000)
    expect(await seats()).toEqual([])
  } finally {
    vi.restoreAllMocks()
    rmSync(folder, { recursive: true })
  }
})
